import type { Problem } from '../../core/errors.ts'
import type { EvaluationPlan } from '../../core/evaluation.ts'
import { checkKindConfig, type KindConfig } from '../../core/kind.ts'
import { evaluators } from '../../evaluators/index.ts'
import { type CustomEvaluators, customConfig } from './custom-evaluators.ts'
import { collectDemands, type Demands } from './demands.ts'
import { type EvaluatorChoice, mergeChoices } from './evaluator-choice.ts'
import { DEFAULT_EVALUATORS, EVALUATORS } from './evaluator-names.ts'
import type { PassRules } from './pass-rules.ts'

/** Source: seed 001, "Overall Test Score". */
const PASS_THRESHOLD = 75

interface Parts {
  /** The later ones win. */
  readonly choices: readonly EvaluatorChoice[]
  readonly demands: Demands
  readonly rules: PassRules
}

/** What a test asks of its evaluations: what was chosen, and whatever its expectations need besides. */
export function planEvaluations({ choices, demands, rules }: Parts): EvaluationPlan {
  const { only = DEFAULT_EVALUATORS, on, off, settings, weights, custom } = mergeChoices(choices)
  const needed = [
    ...demands.settings.keys(),
    // What may be violated need not be looked for.
    ...demands.violations.flatMap(({ evaluator, state }) => (state === 'may' ? [] : [evaluator])),
  ]
  const chosen = new Set([...only, ...on].filter((name) => !off.includes(name)))
  for (const name of needed) chosen.add(name)
  return {
    evaluators: [
      ...EVALUATORS.filter((name) => chosen.has(name)).map(
        (name): KindConfig => ({
          ...settings.get(name),
          ...(rules.approvalMode && takes(name, 'approvalMode') ? { approvalMode: rules.approvalMode } : {}),
          ...demands.settings.get(name),
          type: name,
        }),
      ),
      ...[...custom]
        .filter(([name]) => chosen.has(name))
        .map(([name, file]) => customConfig(name, file, settings.get(name) ?? {})),
    ],
    passThreshold: rules.passThreshold ?? PASS_THRESHOLD,
    passPolicy: rules.passPolicy ?? 'conjunction',
    expectedViolations: demands.violations,
    weights,
    ...(rules.compat === undefined ? {} : { compat: rules.compat }),
    ...(demands.passes === undefined ? {} : { expectedPass: demands.passes }),
    ...(rules.stopOnCritical === undefined ? {} : { stopOnCritical: rules.stopOnCritical }),
  }
}

/** A builder that starts with what is asked of every test of an agent. */
export function demandsFrom(shared: Demands | undefined, custom?: CustomEvaluators) {
  const demands = collectDemands(custom)
  for (const [evaluator, settings] of shared?.settings ?? []) {
    for (const [setting, value] of Object.entries(settings)) demands.set(evaluator, setting, value)
  }
  for (const violation of shared?.violations ?? []) demands.expectViolation(violation)
  for (const file of shared?.files ?? []) demands.expectFile(file)
  return demands
}

function takes(evaluator: string, setting: string): boolean {
  return setting in (evaluators.get(evaluator)?.schema.shape ?? {})
}

/** What the evaluators themselves say of what is expected; the rest was checked where it was read. */
export function checkDemands({ settings }: Demands): Problem[] {
  return [...settings].flatMap(([type, own]) =>
    checkKindConfig(evaluators, { ...own, type }, { noun: 'evaluator', field: 'behavior' }),
  )
}
