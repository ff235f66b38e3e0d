import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { EvaluationPlan } from '../../src/core/evaluation.ts'
import type { Json } from '../../src/core/json.ts'
import type { CallPlugin } from '../../src/core/means.ts'
import type { TraceEvent } from '../../src/core/trace.ts'
import { openWatch, stopCheck } from '../../src/runner/watch.ts'

const plan: EvaluationPlan = {
  evaluators: [{ type: 'custom', name: 'own', file: 'own.ts' }],
  passThreshold: 75,
  passPolicy: 'conjunction',
  expectedViolations: [],
  weights: {},
}
const said = (text: string): TraceEvent => ({ timestamp: 1, type: 'assistant_message', text })
const critical = (type: string): Json => ({ violations: [{ type, message: 'm', final: true }] })

/** A watch whose evaluator takes `costMs` of a clock that only the test moves, and says what `answer` says. */
function watched(answer: (events: number) => Json, { costMs = 0, stops = false } = {}) {
  let clock = 0
  let sleepers: { readonly until: number; readonly wake: () => void }[] = []
  const lengths: number[] = []
  const told: string[] = []
  const plugin: CallPlugin = async ({ args: [timeline] }) => {
    clock += costMs
    const { length } = timeline as readonly Json[]
    lengths.push(length)
    return { kind: 'returned', value: answer(length) }
  }
  const watch = openWatch({
    plan,
    means: { plugin },
    host: {
      now: () => clock,
      sleep: (ms) => new Promise((wake) => void sleepers.push({ until: clock + ms, wake })),
    },
    stops,
    tell: ({ evaluator, violation }) => void told.push(`${evaluator} ${violation.type}`),
  })
  const pass = async (ms: number) => {
    await setImmediate()
    clock += ms
    const due = sleepers.filter(({ until }) => until <= clock)
    sleepers = sleepers.filter(({ until }) => until > clock)
    for (const { wake } of due) wake()
    await setImmediate()
  }
  return { watch, lengths, told, pass }
}

test('judging takes at most a twentieth of the time that passes, however many events there are', async () => {
  const { watch, lengths, pass } = watched(() => null, { costMs: 10 })
  for (let count = 0; count < 10_000; count += 1) {
    watch.event(said('x'))
    await pass(1)
  }
  watch.close()
  expect(lengths.length).toBeGreaterThan(20)
  // Ten milliseconds each, and all the time that passed is ten seconds and what they took.
  expect(lengths.length * 10 * 20).toBeLessThanOrEqual(10_000 + lengths.length * 10 + 200)
})

test('the last event is judged without another one after it', async () => {
  const { watch, lengths, told, pass } = watched((events) => (events === 2 ? critical('second') : null))
  watch.event(said('one'))
  watch.event(said('two'))
  await pass(1)
  expect(lengths).toEqual([1])
  await pass(30)
  expect(lengths).toEqual([1, 2])
  expect(told).toEqual(['own second'])
  watch.close()
})

test('each kind of violation is told once, and only where it ends runs does it end this one', async () => {
  for (const stops of [false, true]) {
    const { watch, told, pass } = watched((events) => critical(events < 3 ? 'early' : 'late'), { stops })
    for (const text of ['one', 'two', 'three', 'four']) {
      watch.event(said(text))
      await pass(30)
    }
    watch.close()
    expect(told).toEqual(stops ? ['own early'] : ['own early', 'own late'])
    expect(watch.signal.aborted).toBe(stops)
    expect(watch.stoppedBy()?.violation.type).toBe(stops ? 'early' : undefined)
    expect(stopCheck(watch.stoppedBy())).toHaveLength(stops ? 1 : 0)
  }
})

test('a new attempt begins with nothing', async () => {
  const { watch, lengths, pass } = watched(() => null)
  watch.event(said('one'))
  await pass(30)
  watch.restart()
  watch.event(said('again'))
  await pass(30)
  watch.close()
  expect(lengths).toEqual([1, 1])
})

test('figures and logs are not judged', async () => {
  const { watch, lengths, pass } = watched(() => null)
  watch.event({ timestamp: 1, type: 'usage', inputTokens: 1, outputTokens: 1 })
  await pass(30)
  watch.event({ timestamp: 1, type: 'log', level: 'info', text: 'x' })
  await pass(30)
  watch.close()
  expect(lengths).toEqual([])
})
