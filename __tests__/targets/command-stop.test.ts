import { getEventListeners } from 'node:events'
import { expect, test as sequential, vi } from 'vitest'
import type { EmittedEvent } from '../../src/core/trace.ts'
import { createTarget, type Target } from '../../src/targets/index.ts'
import { commandAgent } from '../support/agents.ts'
import { fakeHost } from '../support/fake-host.ts'
import { eventually, isRunning } from '../support/processes.ts'
import { runRequest } from '../support/run-request.ts'

// These tests wait more than they work, each for seconds.
const test = sequential.concurrent
vi.setConfig({ testTimeout: 30_000 })

function agent(name: string, ...args: string[]): Promise<Target> {
  return commandAgent(name, { args, format: 'events' })
}

interface Started {
  readonly first: EmittedEvent
  readonly rest: AsyncIterator<EmittedEvent>
  readonly controller: AbortController
}

/** Runs until the first event. */
async function start(target: Target): Promise<Started> {
  const controller = new AbortController()
  const rest = target.execute(runRequest({ signal: controller.signal }))[Symbol.asyncIterator]()
  const { value } = await rest.next()
  return { first: value as EmittedEvent, rest, controller }
}

function pidIn(event: EmittedEvent): number {
  return event.type === 'output' && typeof event.value === 'number' ? event.value : Number.NaN
}

/** Milliseconds that `wait` took. */
async function timed(wait: Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await wait
  return performance.now() - startedAt
}

test('an abort ends a program that hangs, and what it said has arrived before', async () => {
  const { first, rest, controller } = await start(await agent('events-then-hang'))
  expect(first).toEqual({ type: 'assistant_message', text: 'thinking' })
  const next = rest.next()
  controller.abort()
  const tookMs = await timed(expect(next).rejects.toMatchObject({ code: 'ABORTED', retryable: false }))
  expect(tookMs).toBeLessThan(1_900)
})

test('an abort before the start starts nothing', async () => {
  const controller = new AbortController()
  controller.abort()
  const run = (await agent('stubborn')).execute(runRequest({ signal: controller.signal }))
  await expect(run[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'ABORTED' })
})

test('a program that ignores the request to end is ended by force two seconds later', async () => {
  const { first, rest, controller } = await start(await agent('stubborn'))
  expect(isRunning(pidIn(first))).toBe(true)
  controller.abort()
  const tookMs = await timed(expect(rest.next()).rejects.toMatchObject({ code: 'ABORTED' }))
  expect(tookMs).toBeGreaterThan(1_800)
  expect(tookMs).toBeLessThan(3_900)
  expect(isRunning(pidIn(first))).toBe(false)
})

test('leaving the loop early ends the program', async () => {
  const { first, rest } = await start(await agent('stubborn'))
  await rest.return?.()
  expect(isRunning(pidIn(first))).toBe(false)
})

test('disposing ends the programs that still run', async () => {
  const target = await agent('stubborn')
  const runs = await Promise.all([start(target), start(target)])
  await target.dispose?.()
  expect(runs.map(({ first }) => isRunning(pidIn(first)))).toEqual([false, false])
  await Promise.all(runs.map(({ rest }) => expect(rest.next()).rejects.toMatchObject({ code: 'PROCESS_FAILED' })))
})

test('disposing after the last run has nothing to wait for', async () => {
  const target = await agent('lines')
  const run = target.execute(runRequest())[Symbol.asyncIterator]()
  expect(await run.next()).toMatchObject({ done: true })
  expect(await timed(Promise.resolve(target.dispose?.()))).toBeLessThan(100)
})

test('an abort ends what the program has started, too', async () => {
  const { first, rest, controller } = await start(await agent('grandchild', 'stay', 'inherit'))
  expect(isRunning(pidIn(first))).toBe(true)
  controller.abort()
  await expect(rest.next()).rejects.toMatchObject({ code: 'ABORTED' })
  expect(await eventually(() => !isRunning(pidIn(first)))).toBe(true)
})

test.each([
  ['holds its output open', 'go', 'inherit', 4_000],
  ['holds nothing', 'go', 'ignore', 4_000],
  ['holds its output open and ignores the request to end', 'stubborn', 'inherit', 6_000],
])(
  'a program that ends while one it started %s: the run ends, and so does that one',
  async (_, stay, stdio, limitMs) => {
    const { first, rest } = await start(await agent('grandchild', stay, stdio))
    const tookMs = await timed(expect(rest.next()).resolves.toMatchObject({ done: true }))
    expect(tookMs).toBeLessThan(limitMs)
    expect(await eventually(() => !isRunning(pidIn(first)))).toBe(true)
  },
)

test('a program that left the group and holds the output open does not hang the run', async () => {
  const { first, rest } = await start(await agent('grandchild', 'escaped', 'inherit'))
  try {
    const tookMs = await timed(expect(rest.next()).resolves.toMatchObject({ done: true }))
    expect(tookMs).toBeLessThan(4_000)
  } finally {
    process.kill(pidIn(first), 'SIGKILL')
  }
})

test('an error that a program reports before it hangs ends it', async () => {
  const target = await createTarget(
    {
      type: 'command',
      format: 'events',
      run: [
        process.execPath,
        '-e',
        `console.log('{"type":"error","data":{"message":"down"}}'); setInterval(() => {}, 60_000)`,
      ],
    },
    { host: fakeHost() },
  )
  const run = target.execute(runRequest())[Symbol.asyncIterator]()
  const tookMs = await timed(expect(run.next()).rejects.toMatchObject({ code: 'PROVIDER_ERROR', message: 'down' }))
  expect(tookMs).toBeLessThan(4_000)
})

test('runs leave no listener on the signal behind', async () => {
  const target = await agent('lines')
  const { signal } = new AbortController()
  const run = target.execute(runRequest({ signal }))[Symbol.asyncIterator]()
  const next = run.next()
  await eventually(() => getEventListeners(signal, 'abort').length > 0)
  expect(getEventListeners(signal, 'abort')).toHaveLength(1)
  expect(await next).toMatchObject({ done: true })
  expect(getEventListeners(signal, 'abort')).toHaveLength(0)
})
