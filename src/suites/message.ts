import { join } from 'node:path'
import type { Problem } from '../core/errors.ts'
import { isJsonObject, type Json } from '../core/json.ts'
import { ROLES } from '../core/message.ts'
import { collectFindings, type Notes } from '../core/reading/findings.ts'
import { type Case, caseKey, MESSAGE_SUITE, type Suite } from '../core/suite.ts'
import { fingerprintOf } from './fingerprint.ts'
import { MESSAGE_FIELDS, readMessages } from './messages.ts'
import type { InputReader } from './parts.ts'
import type { ReadOptions } from './read-suite.ts'
import { isTooDeep, MAX_DEPTH, syntaxErrorIn } from './scan-json.ts'

interface ReadMessageSuite {
  readonly suite: Suite
  readonly problems: readonly Problem[]
}

/**
 * Direct messages as cases T001, T002, … that hold as soon as there is an answer. Source: spec yao 2.2. One that is
 * itself a message, or a list of messages, in JSON is taken as that, its files relative to the working directory.
 */
export function readMessageSuite(texts: readonly string[], cwd: string, options: ReadOptions): ReadMessageSuite {
  const read = texts.map((text, index) => {
    const id = `T${String(index + 1).padStart(3, '0')}`
    const findings = collectFindings(caseKey(MESSAGE_SUITE, id), { strict: options.strict === true })
    const source = { path: join(cwd, MESSAGE_SUITE), attachments: options.attachments }
    return { item: readDirectMessage(text, id, { notes: findings.at(), source }), findings }
  })
  return {
    suite: {
      name: MESSAGE_SUITE,
      path: cwd,
      cases: read.map(({ item }) => item),
      warnings: read.flatMap(({ findings }) => findings.warnings()),
    },
    problems: read.flatMap(({ findings }) => findings.problems),
  }
}

function readDirectMessage(text: string, id: string, reader: InputReader): Case {
  const input = inputOf(text, reader.notes)
  const messages = readMessages(input, reader)
  const question = { messages, assertions: [], options: {}, metadata: {} }
  return {
    key: caseKey(MESSAGE_SUITE, id),
    id,
    suite: MESSAGE_SUITE,
    location: { file: MESSAGE_SUITE, line: 1 },
    input,
    ...question,
    fingerprint: fingerprintOf(question),
  }
}

/**
 * Any other JSON is data for the agent to work on, and so a text. What begins like a message and is none is a mistake:
 * the agent would be asked something else than was meant.
 */
function inputOf(text: string, notes: Notes): Json {
  const value = parsed(text)
  if (value === undefined) {
    if (BEGINS_AS_MESSAGE.test(text)) notes.problem('', `not a JSON message: ${syntaxOf(text)}`, AS_TEXT)
    return text
  }
  const isMeant = Array.isArray(value) ? value.some(isMessageLike) : isMessageLike(value)
  if (!isMeant) return text
  if (!isTooDeep(value)) return value
  notes.problem('', `nested deeper than ${MAX_DEPTH} levels`, AS_TEXT)
  return text
}

const BEGINS_AS_MESSAGE = /^\s*(?:\[\s*)?\{\s*"(?:role|content)"\s*:/
const AS_TEXT = 'to send it as a text, make it the "content" of a message'

/** A role of ours gives it away; without one, content and nothing that messages do not have. */
function isMessageLike(value: Json): boolean {
  if (!isJsonObject(value)) return false
  if (ROLES.some((role) => role === value['role'])) return true
  return Object.hasOwn(value, 'content') && Object.keys(value).every((key) => MESSAGE_FIELDS.includes(key))
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

function syntaxOf(text: string): string {
  const { line, column, message } = syntaxErrorIn(text)
  return `JSON error at ${line === 1 ? '' : `line ${line}, `}column ${column}: ${message}`
}
