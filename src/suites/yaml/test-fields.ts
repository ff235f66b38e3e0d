import type { FieldTable } from '../../core/reading/fields.ts'
import { GATE } from './gate.ts'
import { PASS_RULES } from './pass-rules.ts'

/** One test of any dialect: only `id` and `prompt` are required. Source: spec opencode-evals A.1, A.8. */
export const TEST = {
  id: 'any',
  name: 'string',
  description: 'string',
  category: 'any',
  prompt: 'any',
  prompts: 'list',
  agent: 'string',
  model: 'any',
  attachments: 'list',
  approvalStrategy: 'any',
  behavior: 'object',
  expectedViolations: 'list',
  expected: 'any',
  assertions: 'list',
  expectations: 'list',
  expectedOutput: 'list',
  assert: 'any',
  evaluators: 'any',
  weights: 'any',
  ...PASS_RULES,
  ...GATE,
  timeout: 'any',
  tags: 'list',
  metadata: 'object',
  workspace: 'string',
  inherit: 'boolean',
  setup: 'list',
  skip: 'any',
} as const satisfies FieldTable

/** The first design has other names for two fields. */
export const FIRST_DESIGN = { ...TEST, input: 'any', expected_behavior: 'any' } as const satisfies FieldTable

/** Source: spec opencode-evals A.1. */
export const CATEGORIES = ['developer', 'business', 'creative', 'edge-case'] as const
