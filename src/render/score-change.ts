import { type CaseReport, caseScore } from '../core/case-report.ts'
import type { CasePool } from '../core/history.ts'
import type { Percent } from '../core/percent.ts'

/** Means over the runs of a case, on the base branch and here. */
interface ScoreSides {
  readonly before: Percent
  readonly after: Percent
}

interface ScoreChange {
  /** Of the case; absent where evaluators weigh differently, so that what the base branch came to is not known. */
  readonly whole?: ScoreSides
  /** Evaluators that give less than on the base branch, most fallen first. */
  readonly fallen: readonly (ScoreSides & { readonly evaluator: string })[]
}

/** Smaller differences are rounding. */
const LEAST_FALL = 0.05

/** How the scores of a case stand against the base branch's; undefined where one side has none. */
export function scoreChangeOf(item: CaseReport, pool: CasePool | undefined): ScoreChange | undefined {
  const before = meansOf(pool?.runs.flatMap(({ scores = {} }) => Object.entries(scores)) ?? [])
  const after = meansOf(item.runs.flatMap(ownScores))
  const both = [...after].flatMap(([evaluator, mean]) => {
    const was = before.get(evaluator)
    return was === undefined ? [] : [{ evaluator, before: was, after: mean }]
  })
  if (both.length === 0) return undefined
  const fallen = both
    .filter((side) => side.before - side.after >= LEAST_FALL)
    .sort((left, right) => left.after - left.before - (right.after - right.before))
  const whole = wholeOf(item, before, after)
  return { ...(whole ? { whole } : {}), fallen }
}

function ownScores({ evaluations = [] }: CaseReport['runs'][number]): [string, Percent][] {
  return evaluations.flatMap((evaluation): [string, Percent][] =>
    evaluation.status === 'scored' && !evaluation.informational ? [[evaluation.evaluator, evaluation.score]] : [],
  )
}

function meansOf(scores: readonly (readonly [string, Percent])[]): Map<string, Percent> {
  const sums = new Map<string, { total: number; count: number }>()
  for (const [name, score] of scores) {
    const sum = sums.get(name)
    if (sum) {
      sum.total += score
      sum.count += 1
    } else sums.set(name, { total: score, count: 1 })
  }
  return new Map([...sums].map(([name, { total, count }]) => [name, total / count]))
}

/** The base branch keeps no weights: its whole score is known only where here the plain mean is the score. */
function wholeOf(
  item: CaseReport,
  before: ReadonlyMap<string, Percent>,
  after: ReadonlyMap<string, Percent>,
): ScoreSides | undefined {
  const score = caseScore(item)
  const names = [...after.keys()]
  if (score === undefined || names.some((name) => !before.has(name))) return undefined
  const meanOf = (sides: ReadonlyMap<string, Percent>) =>
    names.reduce((sum, name) => sum + (sides.get(name) ?? 0), 0) / names.length
  return Math.abs(meanOf(after) - score) < LEAST_FALL ? { before: meanOf(before), after: score } : undefined
}
