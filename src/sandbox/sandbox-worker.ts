import { setMaxListeners } from 'node:events'
import { MessageChannel, Worker } from 'node:worker_threads'
import { isJsonObject, isTooDeep, type Json, MAX_DEPTH } from '../core/json.ts'
import {
  type FromWorker,
  type GuestReply,
  type GuestRequest,
  type JobEnd,
  MAX_TEXT,
  type WorkerJob,
} from './protocol.ts'
import { type SandboxJob, type SandboxOutcome, ScriptCallError } from './sandbox.ts'
import { createWatchdog } from './watchdog.ts'

/** One thread: runs one job at a time, and is gone after one that did not end by itself. */
export interface SandboxWorker {
  run(job: SandboxJob): Promise<SandboxOutcome>
  isGone(): boolean
  end(): Promise<void>
}

/** Time that a worker has on top of a job's own to end it, before it is ended from here. */
const GRACE_MS = 1000

/** Deeper stacks than this would end the thread's own. */
const MAX_STACK_BYTES = 2 * 1024 * 1024
const THREAD_STACK_MB = 16
const THREAD_HEAP_MB = 512

export function startWorker(program: string): SandboxWorker {
  const bell = new SharedArrayBuffer(4)
  const { port1: replies, port2 } = new MessageChannel()
  const worker = new Worker(program, {
    workerData: { bell, replies: port2 },
    transferList: [port2],
    // What the environment and the command line hold is not even in the thread's reach.
    env: {},
    argv: [],
    execArgv: [],
    // The engine reports its own failures there; they are in the outcome.
    stdout: true,
    stderr: true,
    resourceLimits: { stackSizeMb: THREAD_STACK_MB, maxOldGenerationSizeMb: THREAD_HEAP_MB },
  })
  const signal = new Int32Array(bell)
  replies.unref()
  worker.unref()
  let isGone = false
  worker.on('exit', () => {
    isGone = true
  })
  worker.on('error', () => {
    isGone = true
  })

  const answer = (reply: GuestReply): void => {
    replies.postMessage(JSON.stringify(reply))
    Atomics.store(signal, 0, 1)
    Atomics.notify(signal, 0)
  }
  const end = async (): Promise<void> => {
    isGone = true
    replies.close()
    await worker.terminate()
  }

  return {
    isGone: () => isGone,
    end,
    run: (job) => converse(worker, job, { answer, end }),
  }
}

interface Line {
  readonly answer: (reply: GuestReply) => void
  readonly end: () => Promise<void>
}

/** The whole of one job: questions answered, logs passed on, limits kept, until its end. */
function converse(worker: Worker, job: SandboxJob, { answer, end }: Line): Promise<SandboxOutcome> {
  return new Promise((resolve, reject) => {
    let endedBy: { readonly error: unknown } | undefined
    let isOver = false
    const finish = (conclude: () => void): void => {
      isOver = true
      watchdog.stop()
      job.signal.removeEventListener('abort', abort)
      worker.off('message', receive)
      worker.off('error', crash)
      worker.off('exit', exit)
      worker.unref()
      conclude()
    }
    const stop = (by: 'time' | 'memory' | 'signal'): void =>
      finish(() => {
        void end()
        resolve(by === 'time' && endedBy ? { kind: 'ended', error: endedBy.error } : { kind: 'stopped', by })
      })
    // The thread keeps the time itself; this is for one that does not come to look at it.
    const watchdog = createWatchdog(job.limits.timeMs + GRACE_MS, () => stop('time'))
    const abort = (): void => stop('signal')
    const crash = (error: Error): void => {
      if ('code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY') stop('memory')
      else finish(() => reject(error))
    }
    const exit = (): void => crash(new Error('the sandbox ended unexpectedly'))
    const request = async (text: string): Promise<void> => {
      watchdog.stop()
      const reply = await replyTo(job, text)
      // It was stopped meanwhile: nobody waits, and a watchdog that is started now would never be stopped.
      if (isOver) return
      if (reply.kind === 'ended') endedBy ??= { error: reply.error }
      watchdog.start()
      answer(reply.kind === 'ended' ? { kind: 'ended' } : reply)
    }
    const receive = (message: FromWorker): void => {
      if (message.kind === 'ready') watchdog.start()
      else if (message.kind === 'request') void request(message.text)
      else if (message.kind === 'log') job.log({ level: message.level, text: message.text })
      else finish(() => resolve(outcomeOf(message.end, endedBy)))
    }
    worker.on('message', receive)
    worker.on('error', crash)
    worker.on('exit', exit)
    // Jobs that wait for each other share one signal, and that is no leak.
    setMaxListeners(0, job.signal)
    job.signal.addEventListener('abort', abort)
    worker.ref()
    worker.postMessage(workerJob(job))
    watchdog.start()
  })
}

/** Not by spreading, which asks the script how lists are walked. */
const INVOKE = '(({ apply }) => (fn, args) => apply(fn, undefined, args))(Reflect)'

function workerJob({ script, function: name, args, preludes, invoke, limits }: SandboxJob): WorkerJob {
  return {
    script,
    function: name,
    args: JSON.stringify(args),
    preludes,
    invoke: invoke ?? INVOKE,
    timeMs: limits.timeMs,
    memoryBytes: limits.memoryBytes,
    stackBytes: Math.min(limits.stackBytes, MAX_STACK_BYTES),
  }
}

type Reply = Exclude<GuestReply, { kind: 'ended' }> | { readonly kind: 'ended'; readonly error: unknown }

async function replyTo(job: SandboxJob, text: string): Promise<Reply> {
  try {
    const request = requestOf(text)
    if (isTooDeep(request)) throw new ScriptCallError(`a call's arguments are nested deeper than ${MAX_DEPTH} levels`)
    const value = request.kind === 'load' ? await load(job, request) : await job.call(request.name, request.args)
    return value === undefined ? { kind: 'nothing' } : checked({ kind: 'value', value })
  } catch (error) {
    return error instanceof ScriptCallError ? { kind: 'error', message: error.message } : { kind: 'ended', error }
  }
}

/** The engine runs hostile code, so not even what comes out of it is taken as it should be. */
function requestOf(text: string): GuestRequest {
  const value = parsed(text)
  if (isJsonObject(value)) {
    const { kind, name, args, specifier, from } = value
    if (kind === 'call' && typeof name === 'string' && Array.isArray(args)) return { kind, name, args: args as Json[] }
    const isFrom = from === null || typeof from === 'string'
    if (kind === 'load' && typeof specifier === 'string' && isFrom) return { kind, specifier, from }
  }
  throw new ScriptCallError('this is no call')
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function load(job: SandboxJob, { specifier, from }: Extract<GuestRequest, { kind: 'load' }>): Promise<unknown> {
  return job.load(specifier, from ?? undefined)
}

/** A giant answer would only end the script by its memory limit, without a word about the cause. */
function checked(reply: Extract<GuestReply, { kind: 'value' }>): Reply {
  const length = JSON.stringify(reply.value).length
  if (length <= MAX_TEXT) return reply
  return { kind: 'error', message: `an answer of ${length} characters is too large, the limit is ${MAX_TEXT}` }
}

function outcomeOf(end: JobEnd, endedBy: { readonly error: unknown } | undefined): SandboxOutcome {
  if (end.kind === 'ended') return { kind: 'ended', error: endedBy?.error }
  if (end.kind !== 'returned') return end
  const value = JSON.parse(end.text) as Json
  if (!isTooDeep(value)) return { kind: 'returned', value }
  const message = `a value nested deeper than ${MAX_DEPTH} levels was returned`
  return { kind: 'threw', error: { name: 'RangeError', message, stack: '' } }
}
