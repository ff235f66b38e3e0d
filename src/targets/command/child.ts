import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { on, once } from 'node:events'
import { TargetError } from '../../core/errors.ts'
import { type Clock, endProcessGroup, tieToUs } from './process-group.ts'

const OUTPUT_LIMIT_BYTES = 16 * 1024 * 1024

/** More than is ever shown, so that a secret can be replaced before the cut goes through it. */
const KEPT_ERROR_CHARACTERS = 8_000

/** How long the pipes may stay open after the program has ended: a process it left behind may hold them. */
const DRAIN_MS = 500

export interface Program {
  /** Absolute path. */
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** Everything it reads. */
  readonly input: string
}

type Exit = { readonly code: number } | { readonly signal: string }

/** One program with every process it starts: they are one group, and end together. */
export interface Child {
  readonly pid: number | undefined
  /** Standard output as it arrives; ends with the program. */
  readonly output: AsyncIterable<Buffer>
  /** The program, its pipes and its whole group are over. */
  readonly ended: Promise<Exit>
  /** It wrote more than 16 MiB; the rest was thrown away. */
  hasOverflowed(): boolean
  /** The last part of standard error. */
  errorText(): string
  /** Ends the group: asks, then forces. Never rejects; may be called again. */
  stop(): Promise<void>
  /** Gives the program a moment to end by itself, then stops it. */
  settle(): Promise<void>
}

/** Throws a TargetError when the system cannot start the program. */
export async function startChild(program: Program, clock: Clock): Promise<Child> {
  const child = await launch(program)
  const { stdin, stdout, stderr } = child
  const output = on(stdout, 'data', { close: ['close'] })
  const closed = new AbortController()
  child.once('close', () => closed.abort())
  const exit = exitOf(child)
  const untie = child.pid === undefined ? undefined : tieToUs(child.pid)
  let ending: Promise<void> | undefined
  const endGroup = () => (ending ??= endProcessGroup(child, clock))
  const ended = exit.then(async (how) => {
    await clock.sleep(DRAIN_MS, closed.signal)
    await endGroup()
    untie?.()
    await clock.sleep(DRAIN_MS, closed.signal)
    // Only a process that left the group still holds them.
    stdout.destroy()
    stderr.destroy()
    return how
  })

  let received = 0
  stdout.on('data', (chunk: Buffer) => {
    received += chunk.length
    if (received <= OUTPUT_LIMIT_BYTES) return
    // Ended first: a program that is still writing should not have to report a broken pipe.
    void endGroup()
    stdout.destroy()
  })
  let errorText = ''
  stderr.setEncoding('utf8').on('data', (text: string) => {
    errorText = (errorText + text).slice(-KEPT_ERROR_CHARACTERS)
  })
  // A program that does not read its input breaks the pipe; its exit code tells the rest.
  stdin.on('error', () => undefined).end(program.input)

  const stop = async () => {
    await endGroup()
    await ended
  }
  return {
    pid: child.pid,
    output: chunksOf(output),
    ended,
    hasOverflowed: () => received > OUTPUT_LIMIT_BYTES,
    errorText: () => errorText,
    stop,
    async settle() {
      await clock.sleep(DRAIN_MS, closed.signal)
      await stop()
    },
  }
}

async function launch({ file, args, cwd, env }: Program): Promise<ChildProcessWithoutNullStreams> {
  let child: ChildProcessWithoutNullStreams
  try {
    // Detached makes it the leader of a group of its own, which can be ended as a whole.
    child = spawn(file, args, { cwd, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'], windowsHide: true })
  } catch (cause) {
    throw notStarted(cause)
  }
  if (child.pid !== undefined) return child
  const [cause] = (await once(child, 'error')) as [unknown]
  throw notStarted(cause)
}

function notStarted(cause: unknown): TargetError {
  const detail = cause instanceof Error ? cause.message : String(cause)
  return new TargetError(`the program could not be started: ${detail}`, { code: 'PROCESS_FAILED', cause })
}

function exitOf(child: ChildProcessWithoutNullStreams): Promise<Exit> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve(signal === null ? { code: code ?? 0 } : { signal }))
  })
}

async function* chunksOf(events: AsyncIterable<unknown[]>): AsyncGenerator<Buffer> {
  for await (const [chunk] of events) yield chunk as Buffer
}
