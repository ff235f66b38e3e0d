import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'
import { shown } from '../../core/reading/fields.ts'

/** What a YAML file is. `foreign` is what somebody else's tool reads. */
export type Shape =
  | { readonly kind: 'test'; readonly value: JsonObject }
  | { readonly kind: 'list'; readonly value: JsonObject; readonly field: 'tests' | 'test_cases' }
  | { readonly kind: 'config' }
  | { readonly kind: 'foreign'; readonly name: string }

/** Fields that no test is without. */
const TEST_FIELDS = ['prompt', 'prompts', 'behavior', 'approvalStrategy', 'expectedViolations'] as const

/** Fields that make a file a config of tests rather than somebody else's. Source: spec opencode-evals A.7. */
const CONFIG_FIELDS = [
  'scoring',
  'pass_threshold',
  'passThreshold',
  'pass_policy',
  'passPolicy',
  'approvalMode',
  'testPaths',
  'test_directory',
] as const

/** Files of others that lie where tests lie, by fields that only they have. */
const FOREIGN: readonly { readonly name: string; readonly fields: readonly string[] }[] = [
  { name: 'a GitHub workflow', fields: ['jobs', 'on'] },
  { name: 'a GitHub workflow', fields: ['jobs', 'true'] },
  { name: 'a GitHub action', fields: ['runs', 'inputs'] },
  { name: 'a GitHub action', fields: ['runs', 'description'] },
  { name: 'a Compose file', fields: ['services'] },
  { name: 'a Kubernetes resource', fields: ['apiVersion', 'kind'] },
  { name: 'an OpenAPI description', fields: ['openapi'] },
  { name: 'an OpenAPI description', fields: ['swagger'] },
  { name: 'a promptfoo config', fields: ['providers', 'prompts'] },
  { name: 'a promptfoo config', fields: ['providers', 'tests'] },
  { name: 'a lock file', fields: ['lockfileVersion'] },
]

export function shapeOf(value: Json): Shape {
  if (!isJsonObject(value)) return { kind: 'foreign', name: value === null ? 'an empty file' : shown(value) }
  const has = (field: string) => Object.hasOwn(value, field)
  const foreign = FOREIGN.find(({ fields }) => fields.every(has))
  if (foreign) return { kind: 'foreign', name: foreign.name }
  if (has('test_cases')) return { kind: 'list', value, field: 'test_cases' }
  if (has('tests')) return { kind: 'list', value, field: 'tests' }
  if (isConfig(value)) return { kind: 'config' }
  // A test that lacks its prompt is told so.
  if (['id', 'expected', ...TEST_FIELDS].some(has)) return { kind: 'test', value }
  return { kind: 'foreign', name: 'something else' }
}

export function isConfig(value: JsonObject): boolean {
  const has = (field: string) => Object.hasOwn(value, field)
  if (has('id') || TEST_FIELDS.some((field) => field !== 'approvalStrategy' && has(field))) return false
  const isAgents = typeof value['agent'] === 'string' || isJsonObject(value['agent'])
  const besides = ['model', 'timeout', 'suites', 'defaults', 'approvalStrategy', 'tags'].some(has)
  return CONFIG_FIELDS.some(has) || has('evaluators') || (isAgents && besides)
}

/** Whether a text that cannot be read has a line that makes it a config of tests. */
export function mayBeConfig(text: string): boolean {
  return ['agent', 'evaluators', ...CONFIG_FIELDS].some((field) => new RegExp(`^${field}\\s*:`, 'm').test(text))
}

const WORDS =
  /\b(?:prompts?|tests|test_cases|behavior|approvalStrategy|expectedViolations|expected|evaluators)\b["']?\s*:/

/** Whether reading the text on is worth while: without one of these words it cannot be a test. */
export function mayBeTest(text: string): boolean {
  return WORDS.test(text) || /^["']?id["']?\s*:/m.test(text)
}
