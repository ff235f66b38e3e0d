import { normaliseAssertions } from '../assertions/index.ts'
import { type CaseGate, mergeGates } from '../core/gate.ts'
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts'
import type { KindConfig } from '../core/kind.ts'
import type { Message } from '../core/message.ts'
import { readGate } from '../core/reading/case-gate.ts'
import { type FieldValues, nearField, readFields, shown } from '../core/reading/fields.ts'
import type { Notes } from '../core/reading/findings.ts'
import { type Case, caseKey } from '../core/suite.ts'
import { parseDuration } from '../lib/duration.ts'
import { readConversation, SIMULATOR } from './conversation.ts'
import { fingerprintOf } from './fingerprint.ts'
import { readMessages } from './messages.ts'
import type { SuiteSource } from './suite-format.ts'

/** Source: seed 000, "Options" and "Options.skip". */
const OPTIONS = {
  connector: 'string',
  mode: 'string',
  search: 'boolean',
  disable_global_prompts: 'boolean',
  metadata: 'object',
  skip: { history: 'boolean', trace: 'boolean', output: 'boolean', keyword: 'boolean', search: 'boolean' },
} as const

/** Source: seed 000, "Fields"; `before` to `name` are Yao's later ones, what follows is ours. */
const RECORD = {
  id: 'any',
  input: 'any',
  assert: 'any',
  expected: 'any',
  user: 'string',
  team: 'string',
  options: OPTIONS,
  timeout: 'any',
  skip: 'boolean',
  metadata: 'object',
  before: 'string',
  after: 'string',
  simulator: SIMULATOR,
  checkpoints: 'list',
  max_turns: 'number',
  name: 'any',
  critical: 'boolean',
  gate: 'any',
} as const

/** Source: issue 5, point 5: overrides of single cases. */
const GATE = { min_pass_rate: 'any', threshold_mode: 'any', critical: 'boolean' } as const

type RecordFields = FieldValues<typeof RECORD>

/** The case a record describes; undefined when the record has problems, which then are in `notes`. */
export function readCase(record: JsonObject, notes: Notes, source: SuiteSource): Case | undefined {
  const fields = readFields(record, RECORD, { notes, at: '', unknown: 'warning' })
  const id = readId(fields.id, record, notes)
  const messages =
    fields.input === undefined ? missingInput(record, notes) : readMessages(fields.input, { notes, source })
  const timeoutMs = readTimeout(fields.timeout, notes)
  const assertions = readAssertions(fields, notes)
  const conversation = readConversation(fields, record, notes)
  const gate = readRecordGate(fields, notes)
  if (notes.hasProblems() || id === undefined || fields.input === undefined) return undefined
  const options = fields.options ?? NONE
  const metadata = fields.metadata ?? NONE
  return {
    key: caseKey(source.name, id),
    id,
    suite: source.name,
    location: { file: source.name, line: notes.line ?? 1 },
    input: fields.input,
    messages,
    assertions,
    options,
    metadata,
    // An empty name is no name, as in Yao.
    ...(fields.user ? { user: fields.user } : {}),
    ...(fields.team ? { team: fields.team } : {}),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(conversation === undefined ? {} : { conversation }),
    ...(fields.before ? { before: fields.before } : {}),
    ...(fields.after ? { after: fields.after } : {}),
    ...(gate === undefined ? {} : { gate }),
    ...(fields.skip === true ? { skip: 'skipped in the suite' } : {}),
    fingerprint: fingerprintOf({ messages, assertions, options, metadata, ...(conversation ? { conversation } : {}) }),
  }
}

/** Shared, so that a hundred thousand cases without options do not hold as many objects. */
const NONE: JsonObject = Object.freeze({})

function readId(id: Json | undefined, record: JsonObject, notes: Notes): string | undefined {
  if (typeof id === 'string' && id !== '') return id
  if (id === undefined) notes.problem('id', 'required', nearField('id', record))
  else notes.problem('id', `expected a string that is not empty, got ${shown(id)}`)
  return undefined
}

function missingInput(record: JsonObject, notes: Notes): readonly Message[] {
  const message = Object.hasOwn(record, 'input')
    ? 'expected a text, a message or a list of messages, got null'
    : 'required'
  notes.problem('input', message, nearField('input', record))
  return []
}

function readTimeout(timeout: Json | undefined, notes: Notes): number | undefined {
  if (timeout === undefined) return undefined
  const parsed = typeof timeout === 'string' ? parseDuration(timeout) : undefined
  if (parsed !== undefined && parsed > 0) return parsed
  notes.problem(
    'timeout',
    `expected a duration above zero with a unit, such as "30s" or "1m30s", got ${shown(timeout)}`,
  )
  return undefined
}

/** What decides over red is never ignored for a typing error, so that unknown fields are problems here. */
function readRecordGate({ gate = {}, critical }: RecordFields, notes: Notes): CaseGate | undefined {
  if (!isJsonObject(gate)) {
    notes.problem('gate', `expected an object such as {"min_pass_rate": 90}, got ${shown(gate)}`)
    return undefined
  }
  const { min_pass_rate, threshold_mode, ...rest } = readFields(gate, GATE, { notes, at: 'gate', unknown: 'problem' })
  if (critical !== undefined && rest.critical !== undefined)
    notes.problem('gate.critical', 'cannot be given beside "critical"', 'they mean the same')
  const written = { minPassRate: min_pass_rate, thresholdMode: threshold_mode, critical: critical ?? rest.critical }
  return mergeGates([readGate(written, GATE_NAMES, { notes, at: 'gate' })])
}

const GATE_NAMES = { minPassRate: 'min_pass_rate', thresholdMode: 'threshold_mode' }

function readAssertions({ assert, expected }: RecordFields, notes: Notes): readonly KindConfig[] {
  if (assert === undefined && expected === undefined) return NO_ASSERTIONS
  const { assertions, problems, warnings } = normaliseAssertions(assert, expected)
  for (const problem of problems) notes.add(problem)
  for (const warning of warnings) notes.warning('', warning)
  return assertions
}

const NO_ASSERTIONS: readonly KindConfig[] = Object.freeze([])
