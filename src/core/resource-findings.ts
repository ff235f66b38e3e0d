import type { BaselineRun } from './baseline.ts'
import type { CaseReport } from './case-report.ts'
import type { Gate } from './gate.ts'
import type { Resource, ResourceFinding } from './judgement.ts'
import { type RunRecord, stageOf } from './result.ts'
import type { Samples } from './statistics/ranks.ts'
import { isIncrease, resourceChange } from './statistics/resource-change.ts'

/** A case that can be compared, with its runs on the base branch. */
export interface ComparedCase {
  readonly item: CaseReport
  readonly before: readonly BaselineRun[]
}

interface Measure {
  readonly resource: Resource
  readonly here: (run: RunRecord) => number | undefined
  readonly before: (run: BaselineRun) => number | undefined
}

const MEASURES: readonly Measure[] = [
  { resource: 'duration', here: ({ durationMs }) => durationMs, before: ({ durationMs }) => durationMs },
  {
    resource: 'tokens',
    here: ({ usage }) => (usage ? usage.inputTokens + usage.outputTokens : undefined),
    before: ({ inputTokens, outputTokens }) =>
      inputTokens === undefined && outputTokens === undefined ? undefined : (inputTokens ?? 0) + (outputTokens ?? 0),
  },
  { resource: 'cost', here: ({ usage }) => usage?.costUsd, before: ({ costUsd }) => costUsd },
  { resource: 'turns', here: ({ turns }) => turns, before: ({ turns }) => turns },
]

/**
 * How duration, tokens, cost and turns changed, on judged runs of the first stage; a resource that is not known on both
 * sides of any case is left out. Source: spec verdict 9.
 */
export function resourceFindings(
  compared: readonly ComparedCase[],
  { runsPerCase, gate }: { readonly runsPerCase: number; readonly gate: Gate },
): ResourceFinding[] {
  const judged = compared.map(({ item, before }) => ({
    here: item.runs.filter((run) => run.status !== 'errored' && stageOf(run, runsPerCase) === 'first'),
    before: before.filter(({ status }) => status !== 'errored'),
  }))
  return MEASURES.flatMap((measure): ResourceFinding[] => {
    const strata = judged.flatMap(({ here, before }): Samples[] => {
      const current = measured(here, measure.here)
      const baseline = current.length > 0 ? measured(before, measure.before) : []
      return baseline.length > 0 ? [{ baseline, current }] : []
    })
    if (strata.length === 0) return []
    const change = resourceChange(strata)
    const limit = measure.resource === 'duration' ? gate.maxLatencyIncrease : gate.maxCostIncrease
    const { ratio, p } = change
    return [{ resource: measure.resource, ratio, p, increased: isIncrease(change, limit), limit }]
  })
}

function measured<Run>(runs: readonly Run[], measure: (run: Run) => number | undefined): number[] {
  const values: number[] = []
  for (const run of runs) {
    const value = measure(run)
    if (value !== undefined) values.push(value)
  }
  return values
}
