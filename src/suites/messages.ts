import { isJsonObject, type Json, type JsonObject } from '../core/json.ts'
import { didYouMean, quote } from '../core/kind.ts'
import { type ContentPart, type Message, ROLES, type Role } from '../core/message.ts'
import { nearField, readFields, shown } from '../core/reading/fields.ts'
import type { Notes } from '../core/reading/findings.ts'
import { type InputReader, readPart } from './parts.ts'
import { readToolCalls } from './tool-calls.ts'

/** A text as input is a message of the user's. */
export function textMessages(text: string): readonly Message[] {
  return [{ role: 'user', content: text }]
}

/** A record's `input` as a conversation. Source: spec yao 3.1. */
export function readMessages(input: Json, reader: InputReader): readonly Message[] {
  if (typeof input === 'string') return textMessages(input)
  if (isJsonObject(input)) return [readMessage(input, 'input', reader)]
  if (!Array.isArray(input)) {
    reader.notes.problem('input', `expected a text, a message or a list of messages, got ${shown(input)}`)
    return []
  }
  if (input.length === 0) reader.notes.problem('input', 'expected at least one message, got an empty list')
  return input.flatMap((item: Json, index) => {
    if (isJsonObject(item)) return [readMessage(item, `input[${index}]`, reader)]
    reader.notes.problem(`input[${index}]`, `expected a message object, got ${shown(item)}`)
    return []
  })
}

const MESSAGE = {
  role: 'any',
  content: 'any',
  name: 'string',
  tool_call_id: 'string',
  tool_calls: 'list',
  refusal: 'string',
} as const

export const MESSAGE_FIELDS: readonly string[] = Object.keys(MESSAGE)

function readMessage(message: JsonObject, at: string, reader: InputReader): Message {
  const { notes } = reader
  const {
    role: written,
    content,
    tool_calls: calls,
    ...rest
  } = readFields(message, MESSAGE, { notes, at, unknown: 'warning' })
  const role = readRole(written, `${at}.role`, notes)
  const toolCalls = readToolCalls(calls ?? [], `${at}.tool_calls`, notes)
  // A message that only calls tools says nothing; OpenAI's own transcripts leave the content out.
  if (!Object.hasOwn(message, 'content') && !(role === 'assistant' && toolCalls.length > 0)) {
    notes.problem(`${at}.content`, 'required', nearField('content', message))
  }
  return {
    role,
    ...(content === undefined ? {} : { content: readContent(content, `${at}.content`, reader) }),
    ...rest,
    ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
  }
}

function readRole(role: Json | undefined, at: string, notes: Notes): Role {
  if (role === undefined) return 'user'
  const known = ROLES.find((name) => name === role)
  if (known !== undefined) return known
  const hint = typeof role === 'string' ? didYouMean(role, ROLES) : undefined
  notes.problem(at, `expected one of ${ROLES.map(quote).join(', ')}, got ${shown(role)}`, hint)
  return 'user'
}

function readContent(content: Json, at: string, reader: InputReader): string | readonly ContentPart[] {
  if (typeof content === 'string') return content
  if (isJsonObject(content)) return readPart(content, at, reader)
  if (!Array.isArray(content)) {
    reader.notes.problem(at, `expected a text, a content part or a list of parts, got ${shown(content)}`)
    return []
  }
  if (content.length === 0) reader.notes.warning(at, 'an empty list says nothing to the agent')
  return content.flatMap((part: Json, index) => {
    if (isJsonObject(part)) return readPart(part, `${at}[${index}]`, reader)
    reader.notes.problem(
      `${at}[${index}]`,
      `expected a content part, got ${shown(part)}`,
      'a text is {"type": "text", "text": "…"}',
    )
    return []
  })
}
