import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RunOutcome } from '../../src/core/result.ts'
import { outputOf, type TraceEvent } from '../../src/core/trace.ts'
import { createOutputReporters } from '../../src/reporters/index.ts'
import { createTarget } from '../../src/targets/index.ts'
import { aCase, aCaseReport, aReport, aRun, erroredOutcome, failedOutcome, passedOutcome } from '../support/builders.ts'
import { fakeHost } from '../support/fake-host.ts'
import { collect } from '../support/run-request.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agent-test-replay-roundtrip-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const host = () => fakeHost({ cwd: folder })

/** Writes the outcomes as the runs of one case, as a run of agent-test does, and opens the file as a target. */
async function recordAndOpen(file: string, outcomes: readonly RunOutcome[], traceOf: (run: number) => TraceEvent[]) {
  const { reporters } = await createOutputReporters([file], host())
  const [reporter] = reporters
  const skipped = aCase({ id: 'later', skip: 'not yet' })
  const cases = [aCase(), skipped]
  await reporter?.onStart?.({
    startedAt: '2026-03-01T10:00:00.000Z',
    cases,
    runsPerCase: outcomes.length,
    targets: ['yao:support-bot'],
  })
  await reporter?.onCase?.(aCaseReport({ id: skipped.id, skip: 'not yet' }))
  for (const [index, outcome] of outcomes.entries()) {
    const events = traceOf(index + 1)
    const run = aRun({ run: index + 1, trace: { events }, output: outputOf({ events }) }, outcome)
    await reporter?.onRun?.(run, aCase())
  }
  await reporter?.onEnd?.(aReport({ cases: [aCaseReport()] }))
  return createTarget({ type: 'replay', file }, { host: host() })
}

test.each([
  ['one run', [passedOutcome]],
  [
    'several runs',
    [passedOutcome, failedOutcome(), erroredOutcome('CONNECTION', 'cut off'), erroredOutcome('TIMEOUT', 'late')],
  ],
])('what was written of %s replays as it was, under the recorded label', async (title, outcomes) => {
  const traceOf = (run: number): TraceEvent[] => [
    { timestamp: 1, type: 'user_message', text: 'line\u2028end' },
    { timestamp: 2, type: 'approval_request', id: `p${run}`, tool: 'bash', parameters: { run } },
    { timestamp: 3, type: 'approval_response', id: `p${run}`, approved: true },
    { timestamp: 4, type: 'output', value: [{ run }] },
  ]
  const target = await recordAndOpen(`${title}.jsonl`, outcomes, traceOf)
  expect(target.label).toBe('yao:support-bot')
  for (const [index, outcome] of outcomes.entries()) {
    const { events, error } = await collect(target, { run: index + 1 })
    expect(events).toEqual(traceOf(index + 1))
    expect(error).toEqual(
      outcome.status === 'errored'
        ? expect.objectContaining({ code: outcome.code, message: outcome.message })
        : undefined,
    )
  }
  expect(await collect(target, { run: outcomes.length + 1 })).toMatchObject({ error: { code: 'NOT_RECORDED' } })
  expect(await collect(target, { case: aCase({ id: 'later' }) })).toMatchObject({ error: { code: 'NOT_RECORDED' } })
  await target.dispose?.()
})
