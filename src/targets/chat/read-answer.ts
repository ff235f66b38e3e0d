import { TargetError } from '../../core/errors.ts'
import { type Accumulator, createAccumulator } from './accumulate.ts'
import { aborted, type ChatCall, type ChatOutcome } from './chat-model.ts'
import { badResponse, cutError, shorten } from './errors.ts'
import { createSseDecoder } from './sse.ts'

/** A provider that streams without end must not fill the memory. */
const MAX_ANSWER_BYTES = 64 * 1024 ** 2

interface ReadOptions {
  /** What a stream is that ends without [DONE] and without a reason for its end; default: a cut connection. */
  readonly unfinished?: () => TargetError
}

/** Reads the body of a successful response: a stream of chunks, or one completion. */
export async function readAnswer(
  response: Response,
  call: Pick<ChatCall, 'model' | 'signal'>,
  { unfinished = cutError }: ReadOptions = {},
): Promise<ChatOutcome> {
  const answer = createAccumulator()
  const body = createBodyReader(answer, unfinished)
  try {
    for await (const bytes of (response.body ?? []) as AsyncIterable<Uint8Array>) body.push(bytes)
    body.end(response.headers.get('content-type') ?? '')
    return { kind: 'answered', answer: answer.answer(call.model) }
  } catch (error) {
    return { kind: 'broken', partial: answer.text(), error: brokenBy(error, call.signal) }
  }
}

function brokenBy(error: unknown, signal: AbortSignal): TargetError {
  if (signal.aborted) return aborted(error)
  return error instanceof TargetError ? error : cutError(error)
}

function createBodyReader(answer: Accumulator, unfinished: () => TargetError) {
  const decoder = createSseDecoder()
  const whole: Uint8Array[] = []
  let size = 0
  let events = 0
  let isDone = false
  let isJson: boolean | undefined
  const take = (data: string) => {
    events += 1
    if (data.trim() === '[DONE]') isDone = true
    else answer.add(data)
  }
  return {
    push(bytes: Uint8Array): void {
      size += bytes.length
      if (size > MAX_ANSWER_BYTES) throw badResponse(`the answer is larger than ${MAX_ANSWER_BYTES / 1024 ** 2} MiB`)
      // Some servers answer a request for a stream with one JSON document, whatever they call it.
      isJson ??= startsWithBrace(bytes)
      if (isJson === true) whole.push(bytes)
      else for (const data of decoder.push(bytes)) take(data)
    },
    end(contentType: string): void {
      if (isJson === true) {
        answer.add(Buffer.concat(whole).toString('utf8'))
        return
      }
      const rest = decoder.end()
      if (rest !== undefined && isWhole(rest)) take(rest)
      if (size === 0) throw badResponse('the model sent an empty answer')
      // Servers that give no reason for the end still send [DONE]; without either the stream was cut.
      if (isDone || answer.isFinished()) return
      const isStream = contentType === '' || contentType.includes('event-stream')
      if (events > 0 || isStream) throw unfinished()
      throw badResponse(`the server sent ${shorten(contentType)} in place of a chat completion`)
    },
  }
}

function startsWithBrace(bytes: Uint8Array): boolean | undefined {
  const first = bytes.find((byte) => byte > 0x20)
  return first === undefined ? undefined : first === 0x7b
}

/** The last event may lack its blank line; half an event is what a cut connection leaves behind. */
function isWhole(data: string): boolean {
  if (data.trim() === '[DONE]') return true
  try {
    JSON.parse(data)
    return true
  } catch {
    return false
  }
}
