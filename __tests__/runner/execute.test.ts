import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { TargetError } from '../../src/core/errors.ts'
import type { Host } from '../../src/core/host.ts'
import { asText } from '../../src/core/json.ts'
import type { Case } from '../../src/core/suite.ts'
import { execute, type FinishedRun } from '../../src/runner/execute.ts'
import { batchRuns, firstStage, type Plan } from '../../src/runner/plan.ts'
import type { Target } from '../../src/targets/target.ts'
import { aCase } from '../support/builders.ts'
import { fakeHost } from '../support/fake-host.ts'
import { aPlan, runPlan } from '../support/plans.ts'
import { failWith, rateLimited, say, scriptedTarget } from './fake-targets.ts'

function caseOf(id: string, overrides: Partial<Case> = {}): Case {
  return aCase({ suite: 'suite.jsonl', id, input: 'hello', assertions: [], ...overrides })
}

function planOf(target: Target, overrides: Partial<Plan> = {}, ids = ['a']): Plan {
  return aPlan(
    ids.map((id) => ({ item: caseOf(id), target })),
    overrides,
  )
}

async function runAll(plan: Plan, host: Host = fakeHost()): Promise<FinishedRun[]> {
  const finished: FinishedRun[] = []
  for await (const item of runPlan(plan, host)) finished.push(item)
  return finished
}

describe('order and number', () => {
  test('interleaves: run 1 of every case before run 2 of any', async () => {
    const plan = planOf(
      scriptedTarget(() => say('hi')),
      { runsPerCase: 2 },
      ['a', 'b', 'c'],
    )
    const order = (await runAll(plan)).map(({ result, planned }) => `${planned.item.id}${result.run}`)
    expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'c2'])
  })

  test('does several at a time, each once', async () => {
    let running = 0
    let most = 0
    const target = scriptedTarget(async function* ({ run, case: item }) {
      running += 1
      most = Math.max(most, running)
      await delay(5)
      running -= 1
      yield { type: 'assistant_message', text: `${item.id}${run}` }
    })
    const finished = await runAll(planOf(target, { runsPerCase: 3, parallel: 4 }, ['a', 'b', 'c']))
    expect(
      finished.map(({ result }) => asText(result.output)).toSorted((left, right) => left.localeCompare(right)),
    ).toEqual(['a', 'b', 'c'].flatMap((id) => [1, 2, 3].map((run) => `${id}${run}`)))
    expect(most).toBe(4)
  })

  test('leaves skipped cases alone', async () => {
    const target = scriptedTarget(() => say('hi'))
    const plan = { ...planOf(target), cases: [{ item: caseOf('a', { skip: 'not today' }), target }] }
    expect(await runAll(plan)).toEqual([])
  })
})

describe('judging', () => {
  test.each([
    ['passes when every assertion holds', 'red fox', 'passed'],
    ['fails when one does not', 'red owl', 'failed'],
  ])('%s', async (_, text, status) => {
    const item = caseOf('a', {
      assertions: [
        { type: 'contains', value: 'red' },
        { type: 'contains', value: 'fox' },
      ],
    })
    const target = scriptedTarget(() => say(text))
    const [finished] = await runAll({ ...planOf(target), cases: [{ item, target }] })
    expect(finished?.result).toMatchObject({ status, output: text })
  })

  test.each([
    ['holds', true, 'passed'],
    ['does not hold', false, 'failed'],
  ])('counts a check of the target itself that %s', async (_, passed, status) => {
    const target = scriptedTarget(async function* () {
      yield { type: 'check', name: 'Equal', passed, message: passed ? '' : 'not equal', expected: 1, actual: 2 }
    })
    const [finished] = await runAll(planOf(target))
    expect(finished?.result).toMatchObject({ status, checks: [{ name: 'Equal', passed, expected: 1, actual: 2 }] })
  })

  test('hands the resolved identity and options to the target', async () => {
    const seen: unknown[] = []
    const target = scriptedTarget((request) => {
      seen.push({ user: request.identity.user, team: request.identity.team, connector: request.options.connector })
      return say('hi')
    })
    const item = caseOf('a', { user: 'case-user', team: 'case-team', options: { connector: 'slow' } })
    await runAll({ ...planOf(target), cases: [{ item, target }], flags: { user: 'flag-user' }, connector: 'fast' })
    expect(seen).toEqual([{ user: 'flag-user', team: 'case-team', connector: 'fast' }])
  })
})

describe('errors of the target', () => {
  test('are errored runs with their code, never failures', async () => {
    const target = scriptedTarget(() => failWith(new TargetError('no such key', { code: 'AUTHENTICATION' })))
    const [finished] = await runAll(planOf(target))
    expect(finished?.result).toMatchObject({
      status: 'errored',
      code: 'AUTHENTICATION',
      message: 'no such key',
      attempts: 1,
    })
  })

  test('are retried when the provider may recover, after the wait it asked for', async () => {
    const waits: number[] = []
    const host = fakeHost({ sleep: (ms) => Promise.resolve(void waits.push(ms)) })
    const target = scriptedTarget((_, call) =>
      call < 3 ? failWith(rateLimited(call === 1 ? 700 : undefined)) : say('hi'),
    )
    const [finished] = await runAll(planOf(target), host)
    expect(finished?.result).toMatchObject({ status: 'passed', attempts: 3 })
    expect(waits).toEqual([700, 2_000])
  })

  test('give up after four attempts', async () => {
    const host = fakeHost({ sleep: () => Promise.resolve() })
    const [finished] = await runAll(planOf(scriptedTarget(() => failWith(rateLimited()))), host)
    expect(finished?.result).toMatchObject({ status: 'errored', code: 'RATE_LIMITED', attempts: 4 })
  })

  test('are not waited for beyond the time limit', async () => {
    const target = scriptedTarget(() => failWith(rateLimited(60_000)))
    const [finished] = await runAll(planOf(target, { timeoutMs: 1_000 }))
    expect(finished?.result).toMatchObject({ status: 'errored', code: 'RATE_LIMITED', attempts: 1 })
  })

  test('a bug in a target is not counted as anything: it ends the run', async () => {
    const target = scriptedTarget(() => {
      throw new RangeError('a bug of ours')
    })
    await expect(runAll(planOf(target))).rejects.toThrow('a bug of ours')
  })
})

describe('time limit', () => {
  const slowly = scriptedTarget(async function* ({ signal }) {
    yield { type: 'assistant_message', text: 'thinking' }
    await new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(new Error('cut off')))
    })
  })

  test('errors the run with TIMEOUT, keeps what was said, and does not retry', async () => {
    const [finished] = await runAll(planOf(slowly, { timeoutMs: 50 }))
    expect(finished?.result).toMatchObject({ status: 'errored', code: 'TIMEOUT', attempts: 1, output: 'thinking' })
    expect(finished?.result.trace.events).toHaveLength(1)
  })

  test.each([
    ['the case has its own', false, 40, 40],
    ['the flag was given and outranks the case', true, 40, 5_000],
  ])('%s', async (_, timeoutGiven, timeoutMs, expected) => {
    const item = caseOf('a', { timeoutMs: timeoutGiven ? 5_000 : 40 })
    const plan = {
      ...planOf(slowly, { timeoutGiven, timeoutMs: timeoutGiven ? timeoutMs : 5_000 }),
      cases: [{ item, target: slowly }],
    }
    const [finished] = await runAll(plan)
    expect(finished?.result).toMatchObject({ code: 'TIMEOUT' })
    expect(finished?.result.durationMs).toBeLessThan(expected + 1_000)
  })

  test('also ends a target that ignores its signal', async () => {
    const deaf = scriptedTarget(async function* () {
      yield { type: 'assistant_message', text: 'before' }
      await new Promise(() => undefined)
    })
    const [finished] = await runAll(planOf(deaf, { timeoutMs: 30 }))
    expect(finished?.result).toMatchObject({ status: 'errored', code: 'TIMEOUT', output: 'before' })
  }, 15_000)

  test('takes what an aborted target still hands over', async () => {
    const orderly = scriptedTarget(async function* ({ signal }) {
      await new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => resolve())
      })
      yield { type: 'assistant_message', text: 'so far' }
    })
    const [finished] = await runAll(planOf(orderly, { timeoutMs: 30 }))
    expect(finished?.result).toMatchObject({ status: 'errored', code: 'TIMEOUT', output: 'so far' })
  })
})

describe('stopping', () => {
  test('an interruption starts nothing more and gives no result for what it cut off', async () => {
    const controller = new AbortController()
    const target = scriptedTarget(async function* ({ run, signal }) {
      if (run === 2) controller.abort()
      await delay(10)
      if (signal.aborted) throw new Error('cut off')
      yield { type: 'assistant_message', text: 'done' }
    })
    const finished = await runAll(planOf(target, { runsPerCase: 5 }), fakeHost({ signal: controller.signal }))
    expect(finished.map(({ result }) => result.run)).toEqual([1])
  })

  test('what is asked to stop starts nothing more, and what is running ends and counts', async () => {
    let [ended, stopped] = [0, false]
    const target = scriptedTarget(async function* ({ run, signal }) {
      if (run === 3) stopped = true
      await delay(20)
      if (!signal.aborted) ended += 1
      yield { type: 'assistant_message', text: 'done' }
    })
    const plan = planOf(target, { runsPerCase: 9, parallel: 3 })
    const results: [number, string][] = []
    const options = { isStopped: () => stopped }
    for await (const { result } of execute(firstStage(plan), plan, fakeHost(), options)) {
      results.push([result.run, result.status])
    }
    expect(results.toSorted(([left], [right]) => left - right)).toEqual([
      [1, 'passed'],
      [2, 'passed'],
      [3, 'passed'],
    ])
    expect(ended).toBe(3)
  })

  test('is asked for only while there is something to start', async () => {
    const asked: number[] = []
    const plan = planOf(
      scriptedTarget(() => say('hi')),
      { runsPerCase: 2 },
    )
    const finished: number[] = []
    const isStopped = () => asked.push(finished.length) > 99
    for await (const { result } of execute(firstStage(plan), plan, fakeHost(), { isStopped })) finished.push(result.run)
    expect([finished, asked.length]).toEqual([[1, 2], 2])
  })

  test('executes any list of runs of a plan', async () => {
    const plan = planOf(
      scriptedTarget(() => say('hi')),
      { runsPerCase: 3 },
      ['a', 'b'],
    )
    const runs = batchRuns(plan, [{ place: 1, count: 2 }], () => 7)
    const finished: string[] = []
    for await (const { index, result } of execute(runs, plan, fakeHost()))
      finished.push(`${index} ${result.key} ${result.run}`)
    expect(finished).toEqual(['1 suite.jsonl/b 7', '1 suite.jsonl/b 8'])
  })

  test('leaving the loop aborts what is running', async () => {
    let aborted = 0
    const target = scriptedTarget(async function* ({ run, signal }) {
      if (run > 1) {
        await new Promise<void>((resolve) => {
          signal.addEventListener('abort', () => {
            aborted += 1
            resolve()
          })
        })
      }
      yield { type: 'assistant_message', text: 'done' }
    })
    for await (const _ of runPlan(planOf(target, { runsPerCase: 4, parallel: 3 }))) break
    await delay(20)
    expect(aborted).toBeGreaterThan(0)
  })
})

describe('secrets', () => {
  test('are judged as they are and leave the runner replaced', async () => {
    const host = fakeHost()
    host.secrets.add('very-secret-value')
    const target = scriptedTarget(async function* () {
      yield {
        type: 'tool_call',
        tool: 'login',
        parameters: { key: 'very-secret-value', quote: '"very-secret-value"\n' },
      }
      yield { type: 'assistant_message', text: 'the key is very-secret-value' }
    })
    const item = caseOf('a', { assertions: [{ type: 'not_contains', value: 'very-secret-value' }] })
    const [finished] = await runAll({ ...planOf(target), cases: [{ item, target }] }, host)
    expect(finished?.result.status).toBe('failed')
    expect(JSON.stringify(finished?.result)).not.toContain('very-secret-value')
    expect(finished?.result.output).toBe('the key is ***')
  })
})
