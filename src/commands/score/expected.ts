import type { Evaluation } from '../../core/evaluation.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'

/** What `expected.json` beside a recorded timeline says. Source: corpus, `timeline.json` and `expected.json`. */
export interface Expected {
  readonly id?: string
  /** By evaluator. */
  readonly results: ReadonlyMap<string, ExpectedResult>
  readonly overall: {
    readonly passed?: boolean
    readonly leastScore?: number
    readonly mostScore?: number
    readonly violations?: number
  }
}

interface ExpectedResult {
  readonly passed?: boolean
  readonly score?: number
  /** Types, in any order. */
  readonly violations?: readonly string[]
}

export type ReadExpected = { readonly expected: Expected } | { readonly fault: string; readonly field?: string }

export function readExpected(value: JsonObject): ReadExpected {
  const { test_id: id, expected_results: results, evaluators = results, overall } = value
  if (!isJsonObject(evaluators)) return { field: 'expected_results', fault: 'expected what each evaluator must say' }
  const read = new Map<string, ExpectedResult>()
  for (const [name, result] of Object.entries(evaluators)) {
    if (!isJsonObject(result)) return { field: `expected_results.${name}`, fault: 'expected an object' }
    read.set(evaluatorOf(name), expectedResult(result))
  }
  return { expected: { ...(typeof id === 'string' ? { id } : {}), results: read, overall: expectedOverall(overall) } }
}

/** `ApprovalGateEvaluator` is `approval-gate`. */
function evaluatorOf(name: string): string {
  return name
    .replace(/Evaluator$/, '')
    .replace(/(?<=[a-z\d])(?=[A-Z])/g, '-')
    .toLowerCase()
}

function expectedResult({ passed, score, violations }: JsonObject): ExpectedResult {
  return {
    ...(typeof passed === 'boolean' ? { passed } : {}),
    ...(typeof score === 'number' ? { score } : {}),
    ...(Array.isArray(violations) ? { violations: violations.flatMap(typeOf) } : {}),
  }
}

function typeOf(violation: Json): string[] {
  const type = isJsonObject(violation) ? violation['type'] : violation
  return typeof type === 'string' ? [type] : []
}

function expectedOverall(overall: Json | undefined): Expected['overall'] {
  if (!isJsonObject(overall)) return {}
  const { should_pass: passed, expected_score_min: least, expected_score_max: most } = overall
  const { expected_violations_total: violations } = overall
  return {
    ...(typeof passed === 'boolean' ? { passed } : {}),
    ...(typeof least === 'number' ? { leastScore: least } : {}),
    ...(typeof most === 'number' ? { mostScore: most } : {}),
    ...(typeof violations === 'number' ? { violations } : {}),
  }
}

/** How each evaluation differs from what is expected, in words. What is not applicable stands for passed, with 100. */
export function differences({ results, overall }: Expected, { evaluations, score, passed }: Told): string[] {
  const found = [...results].flatMap(([name, expected]) => {
    const evaluation = evaluations.find(({ evaluator }) => evaluator === name)
    return evaluation ? resultDifferences(expected, evaluation) : [`${name}: was not evaluated`]
  })
  const violations = evaluations.flatMap((one) => (one.status === 'scored' ? one.violations : [])).length
  return [...found, ...overallDifferences(overall, { score, passed, violations })]
}

interface Told {
  readonly evaluations: readonly Evaluation[]
  readonly score: number | null
  readonly passed: boolean
}

function resultDifferences(expected: ExpectedResult, evaluation: Evaluation): string[] {
  const { evaluator } = evaluation
  if (evaluation.status === 'errored') return [`${evaluator}: ${evaluation.message}`]
  const { passed, score, violations } =
    evaluation.status === 'scored' ? evaluation : { passed: true, score: 100, violations: [] }
  const types = violations.map(({ type }) => type).sort()
  const wanted = expected.violations?.toSorted()
  return [
    ...differs(`${evaluator}: passed`, expected.passed, passed),
    ...differs(`${evaluator}: score`, expected.score, Math.round(score)),
    ...(wanted === undefined ? [] : differs(`${evaluator}: violations`, wanted.join(', '), types.join(', '))),
  ]
}

function overallDifferences(
  expected: Expected['overall'],
  told: { score: number | null; passed: boolean; violations: number },
) {
  const { leastScore, mostScore } = expected
  const score = told.score === null ? null : Math.round(told.score)
  const isLow = leastScore !== undefined && (score === null || score < leastScore)
  const isHigh = mostScore !== undefined && (score === null || score > mostScore)
  const range = leastScore === mostScore ? `${leastScore}` : `${leastScore ?? 0} to ${mostScore ?? 100}`
  return [
    ...differs('overall: passed', expected.passed, told.passed),
    ...(isLow || isHigh ? [`overall: score: expected ${range}, got ${score}`] : []),
    ...differs('overall: violations', expected.violations, told.violations),
  ]
}

function differs<T>(what: string, expected: T | undefined, got: T): string[] {
  if (expected === undefined || expected === got) return []
  const said = (value: T) => (value === '' ? 'none' : String(value))
  return [`${what}: expected ${said(expected)}, got ${said(got)}`]
}
