import { TargetError } from '../../core/errors.ts'
import type { Host } from '../../core/host.ts'
import type { EmittedEvent } from '../../core/trace.ts'
import { jsonLine } from '../../lib/json-line.ts'
import type { RunRequest } from '../target.ts'
import { type Child, type Program, startChild } from './child.ts'
import { linesOf, parseEventLine } from './event-lines.ts'

const SHOWN_ERROR_CHARACTERS = 2_000
const SHOWN_LINE_CHARACTERS = 200

interface Running {
  readonly program: Omit<Program, 'input'>
  readonly format: 'text' | 'events'
  readonly host: Host
  /** Where programs are listed while they run. */
  readonly children: Set<Child>
}

/** One run of the program. However it is left, no process of it stays behind. */
export async function* runProgram(request: RunRequest, { program, format, host, children }: Running) {
  const { signal } = request
  failIfAborted(signal)
  const child = await startChild({ ...program, input: jsonLine(inputOf(request)) }, host)
  children.add(child)
  const stop = () => void child.stop()
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  try {
    yield* format === 'events' ? readEvents(child, host) : readText(child)
    const failure = await failureOf(child)
    failIfAborted(signal)
    if (failure !== undefined) throw new TargetError(failure, { code: 'PROCESS_FAILED' })
  } catch (error) {
    throw error instanceof TargetError ? await withErrorText(error, child, host) : error
  } finally {
    signal.removeEventListener('abort', stop)
    await child.stop()
    children.delete(child)
  }
}

/** The protocol's one line of input. */
function inputOf({ case: item, run, turn, options, identity }: RunRequest) {
  const { id, input, messages, metadata } = item
  const talk = turn === undefined ? {} : { turn: turn.number }
  return { id, run, ...talk, input, messages, options, metadata, user: identity.user, team: identity.team }
}

async function* readText(child: Child): AsyncGenerator<EmittedEvent> {
  const chunks: Buffer[] = []
  for await (const chunk of child.output) chunks.push(chunk)
  const failure = await failureOf(child)
  if (child.hasOverflowed()) return
  const text = Buffer.concat(chunks)
    .toString('utf8')
    .replace(/\r?\n$/, '')
  // What a failed program said may be all there is to find the cause with.
  if (text !== '') yield { type: 'assistant_message', text }
  // Standard output is the output: nothing on it is the empty text, not an agent that said nothing.
  else if (failure === undefined) yield { type: 'output', value: '' }
}

async function* readEvents(child: Child, host: Host): AsyncGenerator<EmittedEvent> {
  for await (const { number, text, isComplete } of linesOf(child.output)) {
    const parsed = parseEventLine(text)
    switch (parsed.kind) {
      case 'blank':
        break
      case 'event':
        yield parsed.event
        break
      case 'error':
        throw new TargetError(parsed.message, { code: 'PROVIDER_ERROR', retryable: parsed.retryable })
      case 'invalid':
        // A line cut off by the program's end is not the cause: how it ended says more.
        if (!isComplete && (await failureOf(child)) !== undefined) return
        throw new TargetError(
          `line ${number} of the output is no event (${parsed.problem}): ${cut(host.secrets.redact(text))}`,
          { code: 'BAD_RESPONSE' },
        )
    }
  }
}

/** How the program failed, once it is over; undefined when it did not. */
async function failureOf(child: Child): Promise<string | undefined> {
  const exit = await child.ended
  if (child.hasOverflowed()) return 'the program wrote more than 16 MiB to standard output'
  if ('signal' in exit) return `the program was ended by ${exit.signal}`
  return exit.code === 0 ? undefined : `the program exited with code ${exit.code}`
}

async function withErrorText(error: TargetError, child: Child, host: Host): Promise<TargetError> {
  await child.settle()
  // Redacted before the cut: half a secret is no longer known as one.
  const tail = host.secrets.redact(child.errorText()).trim().slice(-SHOWN_ERROR_CHARACTERS)
  if (tail === '') return error
  const { code, retryable } = error
  return new TargetError(`${error.message}\nstandard error: ${tail}`, { code, retryable, cause: error })
}

function cut(text: string): string {
  return text.length > SHOWN_LINE_CHARACTERS ? `${text.slice(0, SHOWN_LINE_CHARACTERS)}…` : text
}

function failIfAborted({ aborted, reason }: AbortSignal): void {
  if (aborted) throw new TargetError('the run was stopped', { code: 'ABORTED', cause: reason })
}
