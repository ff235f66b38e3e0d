import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { type Problem, problemsError } from '../../core/errors.ts'
import type { Secrets } from '../../core/host.ts'
import { isJsonObject, type Json, sortedJson } from '../../core/json.ts'
import { issuesToProblems } from '../../core/kind.ts'
import type { ChatMessage } from './chat-model.ts'

const CASSETTE_VERSION = 1

const count = z.number().min(0)
const toolCall = z.object({
  id: z.string().optional(),
  type: z.literal('function').default('function'),
  function: z.object({ name: z.string(), arguments: z.string() }),
})

const schema = z.strictObject({
  schemaVersion: z.literal(CASSETTE_VERSION),
  model: z.string(),
  messages: z.array(z.looseObject({ role: z.string() }), 'expected the messages of the call'),
  tools: z.array(z.unknown()).optional(),
  /** Answers to one question are dealt in the order of the runs they were recorded in. */
  run: z.int().min(1),
  answer: z.strictObject({
    text: z.string(),
    tool_calls: z.array(toolCall).optional(),
    refusal: z.string().optional(),
    reasoning: z.string().optional(),
    finish_reason: z.string().optional(),
    usage: z.strictObject({ inputTokens: count, outputTokens: count }).optional(),
  }),
})

/** One line of a cassette: a question and one answer to it. */
export type CassetteLine = z.infer<typeof schema>

/** What makes two questions the same. */
export interface Question {
  readonly model: string
  readonly messages: readonly ChatMessage[]
  readonly tools?: Json
}

export interface StoredLine {
  readonly raw: string
  readonly key: string
  /** 1-based. */
  readonly number: number
  readonly line: CassetteLine
}

export function cassetteKey({ model, messages, tools }: Question): string {
  const question = { model, messages, ...(tools === undefined ? {} : { tools }) }
  return createHash('sha256').update(sortedJson(question)).digest('hex')
}

export function questionOf({ model, messages, tools }: CassetteLine): Question {
  // Parsed from JSON, so what the schema leaves open is JSON.
  return {
    model,
    messages: messages as unknown as ChatMessage[],
    ...(tools === undefined ? {} : { tools: tools as Json[] }),
  }
}

/** A wrong file is wrong in every line. */
const MOST_PROBLEMS = 20

/** Every line of a cassette; throws a UserError that names the first broken ones as `shown:line`. */
export function readCassette(file: string, shown: string): StoredLine[] {
  const problems: Problem[] = []
  const lines: StoredLine[] = []
  let number = 0
  for (const raw of rawLines(bytesOf(file, shown))) {
    number += 1
    if (raw.trim() === '') continue
    const parsed = parseLine(raw)
    if ('line' in parsed) lines.push({ raw, number, line: parsed.line, key: cassetteKey(questionOf(parsed.line)) })
    else problems.push(...parsed.problems.map((problem) => ({ ...problem, file: shown, line: number })))
    if (problems.length >= MOST_PROBLEMS) break
  }
  if (problems.length > 0) throw problemsError('INVALID_TARGET', problems)
  return lines
}

function bytesOf(file: string, shown: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    const isMissing = isJsonObject(error) && error['code'] === 'ENOENT'
    const message = isMissing
      ? 'there is no such cassette'
      : `cannot be read: ${error instanceof Error ? error.message : String(error)}`
    throw problemsError('INVALID_TARGET', [
      { file: shown, message, ...(isMissing ? { hint: 'record one from a provider with --record' } : {}) },
    ])
  }
}

/** Line by line from the bytes: a cassette with many files in its messages may be longer than a string can be. */
function* rawLines(bytes: Buffer): Generator<string, void, undefined> {
  const hasMark = bytes.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf]))
  for (let start = hasMark ? 3 : 0; start < bytes.length; ) {
    const found = bytes.indexOf(0x0a, start)
    const end = found === -1 ? bytes.length : found
    yield bytes.toString('utf8', start, end).replace(/\r$/, '')
    start = end + 1
  }
}

function parseLine(raw: string): { readonly line: CassetteLine } | { readonly problems: readonly Problem[] } {
  let value: unknown
  try {
    value = JSON.parse(raw)
  } catch (error) {
    return { problems: [{ message: `not JSON: ${error instanceof Error ? error.message : String(error)}` }] }
  }
  const version = isJsonObject(value) ? value['schemaVersion'] : undefined
  if (typeof version === 'number' && version > CASSETTE_VERSION) {
    const message = `schemaVersion ${version} is newer than this agent-test reads (${CASSETTE_VERSION})`
    return { problems: [{ message, hint: 'update agent-test' }] }
  }
  const parsed = schema.safeParse(value)
  return parsed.success
    ? { line: parsed.data }
    : { problems: issuesToProblems(parsed.error, '', Object.keys(schema.shape)) }
}

/** Every string of a value redacted: what was recorded with a secret must not keep it. */
export function redactJson(value: Json, secrets: Secrets): Json {
  if (typeof value === 'string') return secrets.redact(value)
  if (Array.isArray(value)) return value.map((item: Json) => redactJson(item, secrets))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, redactJson(member, secrets)]))
}
