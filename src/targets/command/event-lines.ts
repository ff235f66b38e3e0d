import { StringDecoder } from 'node:string_decoder'
import { z } from 'zod'
import { isJsonObject } from '../../core/json.ts'
import { type EmittedEvent, fromSeed } from '../../core/trace.ts'

export interface Line {
  /** From 1. */
  readonly number: number
  readonly text: string
  /** False for a last line without its newline. */
  readonly isComplete: boolean
}

/** The lines of a byte stream, as they are completed. */
export async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Line> {
  const decoder = new StringDecoder('utf8')
  let number = 1
  // Parts are joined once per line, not once per chunk: a line may be megabytes long.
  let parts: string[] = []
  for await (const chunk of chunks) {
    const [first = '', ...rest] = decoder.write(chunk).split('\n')
    parts.push(first)
    for (const start of rest) {
      yield { number, text: parts.join(''), isComplete: true }
      number += 1
      parts = [start]
    }
  }
  const text = parts.join('') + decoder.end()
  if (text !== '') yield { number, text, isComplete: false }
}

export type ParsedLine =
  | { readonly kind: 'blank' }
  | { readonly kind: 'event'; readonly event: EmittedEvent }
  /** The program says that it could not do its work. */
  | { readonly kind: 'error'; readonly message: string; readonly retryable: boolean }
  | { readonly kind: 'invalid'; readonly problem: string }

const errorLine = z.object({
  data: z.object({ message: z.string(), retryable: z.boolean().default(false) }),
})

/** Reads one line of a program with `format: events`. */
export function parseEventLine(text: string): ParsedLine {
  if (text.trim() === '') return { kind: 'blank' }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { kind: 'invalid', problem: 'not JSON' }
  }
  const error = errorLine.safeParse(value)
  if (error.success) return { kind: 'error', ...error.data.data }
  if (isErrorEvent(value))
    return { kind: 'invalid', problem: 'an error needs data.message and may have data.retryable' }
  const parsed = fromSeed(value)
  if (!parsed.ok) return { kind: 'invalid', problem: parsed.problem }
  const { type } = parsed.event
  // An agent that could say these would decide about its own case.
  if (type === 'check' || type === 'skip') return { kind: 'invalid', problem: `${type} is for script tests alone` }
  return { kind: 'event', event: parsed.event }
}

function isErrorEvent(value: unknown): boolean {
  return isJsonObject(value) && value['type'] === 'error'
}
