import { didYouMean, quote } from '../../core/kind.ts'
import { shown } from '../../core/reading/fields.ts'
import type { Place } from '../../core/reading/values.ts'
import { evaluators } from '../../evaluators/index.ts'
import { type CustomEvaluators, NO_CUSTOM } from './custom-evaluators.ts'

/** Tools that change something, by all the names that OpenCode had for them. Source: spec opencode-evals C, A.8. */
export const EXECUTION_TOOLS: readonly string[] = ['bash', 'write', 'edit', 'task', 'patch', 'apply_patch', 'multiedit']

/** What runs when neither test nor config file chooses. Source: spec opencode-evals I. */
export const DEFAULT_EVALUATORS: readonly string[] = [
  'behavior',
  'approval-gate',
  'context-loading',
  'delegation',
  'tool-usage',
  'stop-on-failure',
  'report-first',
  'cleanup-confirmation',
  'performance-metrics',
  'agent-model',
]

/** All of ours, always in the same order; an author's own have names of their own. */
export const EVALUATORS: readonly string[] = [
  ...new Set([...DEFAULT_EVALUATORS, ...evaluators.types.filter((type) => type !== 'custom')]),
]

/** Source: spec opencode-evals A.5. */
const ALIASES: Readonly<Record<string, string>> = { 'confirm-cleanup': 'cleanup-confirmation' }

/** An evaluator by its name; older files write it with underscores. */
export function readEvaluatorName(
  written: unknown,
  { notes, at }: Place,
  custom: CustomEvaluators = NO_CUSTOM,
): string | undefined {
  if (typeof written === 'string' && custom.has(written)) return written
  if (typeof written !== 'string') {
    notes.problem(at, `expected the name of an evaluator, got ${shown(written as null)}`, KNOWN)
    return undefined
  }
  const name = written.replaceAll('_', '-')
  const known = Object.hasOwn(ALIASES, name) ? ALIASES[name] : EVALUATORS.find((evaluator) => evaluator === name)
  if (known !== undefined) return known
  notes.problem(
    at,
    `there is no evaluator ${shown(written)}`,
    didYouMean(name, [...EVALUATORS, ...custom.keys()]) ?? KNOWN,
  )
  return undefined
}

const KNOWN = `known: ${EVALUATORS.map(quote).join(', ')}`
