import type { ViolationExpectation } from '../../core/evaluation.ts'
import type { Json } from '../../core/json.ts'
import type { KindConfig } from '../../core/kind.ts'
import type { FileExpectation } from '../../core/session.ts'
import { type CustomEvaluators, NO_CUSTOM } from './custom-evaluators.ts'

/** Settings of one evaluator. */
export type Settings = Readonly<Record<string, Json>>

/** What a test expects, in whichever dialect it says so: the one model behind all of them. */
export interface Demands {
  /** By evaluator. */
  readonly settings: ReadonlyMap<string, Settings>
  readonly violations: readonly ViolationExpectation[]
  readonly files: readonly FileExpectation[]
  readonly assertions: readonly KindConfig[]
  /** The deprecated `expected.pass`. */
  readonly passes: boolean | undefined
}

export interface DemandsBuilder extends Demands {
  /** Evaluators of the author's own that may be named. */
  readonly custom: CustomEvaluators
  set(evaluator: string, setting: string, value: Json | undefined): void
  /** Several fields may add to one list; what is there is not added again. */
  add(evaluator: string, setting: string, items: readonly Json[]): void
  expectViolation(expectation: ViolationExpectation): void
  expectFile(expectation: FileExpectation): void
  assert(assertions: readonly KindConfig[]): void
  expectPass(passes: boolean): void
}

export function collectDemands(custom: CustomEvaluators = NO_CUSTOM): DemandsBuilder {
  const settings = new Map<string, Record<string, Json>>()
  const violations: ViolationExpectation[] = []
  const files: FileExpectation[] = []
  const assertions: KindConfig[] = []
  let passes: boolean | undefined
  const of = (evaluator: string) => {
    const known = settings.get(evaluator) ?? {}
    settings.set(evaluator, known)
    return known
  }
  return {
    custom,
    settings,
    violations,
    files,
    assertions,
    get passes() {
      return passes
    },
    set(evaluator, setting, value) {
      if (value !== undefined) of(evaluator)[setting] = value
    },
    add(evaluator, setting, items) {
      if (items.length === 0) return
      const own = of(evaluator)
      const known = own[setting]
      const earlier: readonly Json[] = Array.isArray(known) ? known : []
      own[setting] = withoutRepeats([...earlier, ...items])
    },
    expectViolation(expectation) {
      const text = JSON.stringify(expectation)
      if (!violations.some((known) => JSON.stringify(known) === text)) violations.push(expectation)
    },
    expectFile: (expectation) => void files.push(expectation),
    assert: (more) => void assertions.push(...more),
    expectPass(expected) {
      passes = expected
    },
  }
}

function withoutRepeats(items: readonly Json[]): Json[] {
  const seen = new Map(items.map((item) => [JSON.stringify(item), item]))
  return [...seen.values()]
}
