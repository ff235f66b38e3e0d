import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { summarise } from '../../src/core/message.ts'
import type { Report } from '../../src/core/report.ts'
import { type JudgedResult, type RunOutcome, toRecord } from '../../src/core/result.ts'
import type { Case } from '../../src/core/suite.ts'
import type { Reporter, RunPlan } from '../../src/reporters/index.ts'
import { aCaseReport, aReport, aRun } from './builders.ts'

/** A folder of this test's own, removed when it ends. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'reporting-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** A case with what its runs are like; without outcomes it is never started. */
export interface Played {
  readonly item: Case
  readonly outcomes: readonly RunOutcome[]
  readonly parts?: Parameters<typeof aRun>[0]
}

type PlayOptions = Partial<RunPlan> & { readonly report?: Parameters<typeof aReport>[0] }

/** Calls a reporter as the pipeline does: run 1 of every case, then run 2, each case when it is complete, the end. */
export async function play(
  reporter: Reporter,
  played: readonly Played[],
  { report: overrides, ...plan }: PlayOptions = {},
): Promise<Report> {
  const runsPerCase = plan.runsPerCase ?? Math.max(1, ...played.map(({ outcomes }) => outcomes.length))
  await reporter.onStart?.({
    startedAt: '2026-03-01T10:00:00.000Z',
    cases: played.map(({ item }) => item),
    runsPerCase,
    targets: ['yao:support-bot'],
    ...plan,
  })
  for (const { item } of played) if (item.skip !== undefined) await reporter.onCase?.(reportOf(item, []))
  for (let run = 1; run <= runsPerCase; run += 1) {
    for (const one of played) {
      const result = resultOf(one, run)
      if (!result) continue
      await reporter.onRun?.(result, one.item)
      if (run === runsPerCase) await reporter.onCase?.(reportOf(one.item, resultsOf(one)))
    }
  }
  const cases = played.map((one) => reportOf(one.item, resultsOf(one)))
  const report = aReport({ runsPerCase, ...overrides, cases })
  await reporter.onEnd?.(report)
  return report
}

function resultsOf({ outcomes, ...rest }: Played): JudgedResult[] {
  return outcomes.flatMap((_, index) => resultOf({ outcomes, ...rest }, index + 1) ?? [])
}

function resultOf({ item, outcomes, parts }: Played, run: number): JudgedResult | undefined {
  const outcome = outcomes[run - 1]
  return outcome && aRun({ key: item.key, run, ...parts }, outcome)
}

function reportOf(item: Case, runs: readonly JudgedResult[]) {
  const { key, id, suite, location, fingerprint, input, messages, skip } = item
  return aCaseReport({
    key,
    id,
    suite,
    location,
    fingerprint,
    input,
    summary: summarise(messages),
    ...(skip === undefined ? {} : { skip }),
    runs: runs.map(toRecord),
  })
}
