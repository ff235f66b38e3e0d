import type { QuickJSContext, QuickJSHandle, QuickJSRuntime, QuickJSWASMModule } from 'quickjs-emscripten'
import { GUEST } from './guest.ts'
import { type JobEnd, MAX_TEXT, OUR_FILE, type WorkerJob } from './protocol.ts'
import type { ScriptError, ScriptLog } from './sandbox.ts'
import { ownFrames } from './stack.ts'

/** What a job can do outside of its context. */
export interface Surroundings {
  /** Sends the text of a GuestRequest out and waits for the text of the GuestReply. */
  readonly ask: (text: string) => string
  readonly log: (level: ScriptLog['level'], text: string) => void
  /** Milliseconds, steadily growing. */
  readonly clock: () => number
  /** Whether the engine has taken all the memory that it may have. */
  readonly isMemoryFull: () => boolean
}

/** What is known of a job while it runs. */
interface Progress {
  end?: JobEnd
  /** Why the interrupt handler ends it. */
  stop?: 'time' | 'ended'
  /** On the clock; moved on by what waiting for outside takes. */
  deadline: number
  /** Characters that may still be logged. */
  logRoom: number
}

/** A script that logs in a loop must not fill the memory of the host. */
const LOG_ROOM = 512 * 1024

/** Runs one job in an instance of QuickJS of its own, which is thrown away afterwards: nothing outlives a job. */
export function interpret(quickjs: QuickJSWASMModule, job: WorkerJob, outside: Surroundings): JobEnd {
  const progress: Progress = { deadline: outside.clock() + job.timeMs, logRoom: LOG_ROOM }
  try {
    const runtime = quickjs.newRuntime({
      maxStackSizeBytes: job.stackBytes,
      interruptHandler: () => shouldStop(progress, outside),
    })
    const context = runtime.newContext()
    start(context, job, lend(context, progress, outside))
    runJobs(runtime, progress)
    return endOf(progress)
  } catch (error) {
    return endOfCrash(progress, error, outside)
  }
}

function shouldStop(progress: Progress, { clock }: Surroundings): boolean {
  if (progress.stop === undefined && clock() > progress.deadline) progress.stop = 'time'
  return progress.stop !== undefined
}

/** Throws when there is not even room to tell how the job ended. */
function start(context: QuickJSContext, job: WorkerJob, lent: readonly QuickJSHandle[]): void {
  const guest = context.unwrapResult(context.evalCode(GUEST, OUR_FILE))
  const run = context.unwrapResult(context.callFunction(guest, context.undefined, ...lent))
  const setUp = context.unwrapResult(context.evalCode(setUpOf(job), OUR_FILE))
  const texts = [job.script, job.function, job.args].map((text) => context.newString(text))
  context.unwrapResult(context.callFunction(run, context.undefined, ...texts, setUp))
}

/** One scope for all our own code of a job: no script can reach what is declared in it. */
function setUpOf({ preludes, invoke }: WorkerJob): string {
  return `(function (__call, __atEnd) {\n'use strict'\n${preludes.join('\n')}\nreturn (${invoke}\n)\n})`
}

/** The functions that GUEST gets, in its order. */
function lend(context: QuickJSContext, progress: Progress, outside: Surroundings): QuickJSHandle[] {
  const ask = context.newFunction('ask', (request) => {
    const text = context.getString(request)
    if (progress.stop !== undefined) return context.newString(ENDED)
    if (text.length > MAX_TEXT) return context.newString(tooLarge(text.length))
    const before = outside.clock()
    const reply = outside.ask(text)
    progress.deadline += outside.clock() - before
    if (reply === ENDED) progress.stop = 'ended'
    return context.newString(reply)
  })
  const log = context.newFunction('log', (level, text) => {
    if (progress.logRoom < 0) return
    const line = context.getString(text).slice(0, progress.logRoom + 1)
    progress.logRoom -= line.length + 1
    outside.log(context.getString(level) as ScriptLog['level'], line)
    if (progress.logRoom < 0) outside.log('warn', '(what it logs from here on is left out)')
  })
  const deliver = context.newFunction('deliver', (...parts) => {
    const [kind = '', text = '', message = '', stack = ''] = parts.map((part) => context.getString(part))
    progress.end ??= delivered(kind, text, { message, stack })
  })
  const compile = context.newFunction('compile', (code, path) =>
    context.evalCode(context.getString(code), context.getString(path)),
  )
  return [ask, log, deliver, compile]
}

export const ENDED = '{"kind":"ended"}'

function tooLarge(length: number): string {
  return JSON.stringify({
    kind: 'error',
    message: `a call of ${length} characters is too large, the limit is ${MAX_TEXT}`,
  })
}

/** `text` is the value as JSON, or the name of what was thrown. */
function delivered(kind: string, text: string, { message, stack }: Omit<ScriptError, 'name'>): JobEnd {
  if (kind === 'missing') return { kind }
  if (kind === 'returned') return text.length > MAX_TEXT ? threw(largeValue(text.length)) : { kind, text }
  return exhausted(text, message) ?? threw({ name: text, message, stack: ownFrames(stack) })
}

function largeValue(length: number): ScriptError {
  const message = `a value of ${length} characters was returned, the limit is ${MAX_TEXT}`
  return { name: 'RangeError', message, stack: '' }
}

function threw(error: ScriptError): JobEnd {
  return { kind: 'threw', error }
}

/** QuickJS tells of its limits by errors of this name. */
function exhausted(name: string, message: string): JobEnd | undefined {
  if (name !== 'InternalError') return undefined
  if (message === 'out of memory' || message === 'string too long') return { kind: 'stopped', by: 'memory' }
  return message === 'stack overflow' ? { kind: 'stopped', by: 'stack' } : undefined
}

/** One by one, for a stopped job must not go on in the next microtask. */
function runJobs(runtime: QuickJSRuntime, progress: Progress): void {
  while (progress.stop === undefined && progress.end === undefined && runtime.hasPendingJob()) {
    const result = runtime.executePendingJobs(1)
    // A promise's job ends by an error only where there is no memory left to tell it.
    if (result.error) progress.end ??= { kind: 'stopped', by: 'memory' }
    else if (result.value === 0) return
  }
}

function endOf({ stop, end }: Progress): JobEnd {
  if (stop === 'ended') return { kind: 'ended' }
  if (stop === 'time') return { kind: 'stopped', by: 'time' }
  return end ?? threw({ name: 'Error', message: 'it waits for a promise that nothing settles', stack: '' })
}

/** The engine itself gave up: V8's stack, WebAssembly's memory, or what the script made of the engine. */
function endOfCrash(progress: Progress, error: unknown, { isMemoryFull }: Surroundings): JobEnd {
  if (progress.stop === 'ended') return { kind: 'ended' }
  if (progress.stop === 'time') return { kind: 'stopped', by: 'time' }
  if (error instanceof RangeError) return { kind: 'stopped', by: 'stack' }
  if (isMemoryFull()) return { kind: 'stopped', by: 'memory' }
  const { name, message } = error instanceof Error ? error : new Error(String(error))
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : undefined
  return (
    exhausted(cause?.name ?? name, cause?.message ?? message) ??
    threw({ name: 'InternalError', message: `the script engine failed: ${message}`, stack: '' })
  )
}
