import { normaliseAssertions } from '../assertions/index.ts'
import { type Checkpoint, type ConversationPlan, DEFAULT_MAX_TURNS, type Simulator } from '../core/conversation.ts'
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts'
import { didYouMean, type KindConfig, quote } from '../core/kind.ts'
import { type FieldValues, nearField, readFields, shown } from '../core/reading/fields.ts'
import type { Notes } from '../core/reading/findings.ts'

/** Source: spec yao 10.1. */
export const SIMULATOR = { use: 'any', options: { metadata: 'object', connector: 'string' } } as const

const CHECKPOINT = { id: 'any', description: 'string', assert: 'any', after: 'any', required: 'boolean' } as const

/** A model call or two for each turn: more are hardly meant. */
const MOST_TURNS = 100
const MOST_CHECKPOINTS = 100

interface ConversationFields {
  readonly simulator?: FieldValues<typeof SIMULATOR>
  readonly checkpoints?: readonly Json[]
  readonly max_turns?: number
}

/** A record's simulator, checkpoints and turns; undefined for a case that is over with its first reply. */
export function readConversation(
  { simulator: user, checkpoints: list, max_turns: turns }: ConversationFields,
  record: JsonObject,
  notes: Notes,
): ConversationPlan | undefined {
  const maxTurns = readMaxTurns(turns, notes)
  const simulator = user && readSimulator(user, notes)
  const checkpoints = list && readCheckpoints(list, notes)
  // What has a wrong type is there, and has been told of.
  const hasSimulator = isSet(record['simulator'])
  if (!hasSimulator && list && list.length > 0)
    notes.problem('simulator', 'required beside "checkpoints"', NO_SIMULATOR)
  if (!hasSimulator && list?.length === 0) notes.warning('checkpoints', 'an empty list: nothing to reach')
  if (!hasSimulator && turns !== undefined) notes.warning('max_turns', 'means nothing without a simulator')
  if (hasSimulator && !isSet(record['checkpoints']))
    notes.problem('checkpoints', 'required beside "simulator"', NO_CHECKPOINTS)
  if (hasSimulator && list?.length === 0)
    notes.problem('checkpoints', 'expected at least one checkpoint, got an empty list')
  return simulator && checkpoints ? { simulator, checkpoints, maxTurns } : undefined
}

const NO_SIMULATOR = 'such as {"use": "ID OF THE AGENT THAT PLAYS THE USER"}'
const NO_CHECKPOINTS = 'such as [{"id": "greeted", "assert": {"type": "contains", "value": "hello"}}]'

function isSet(value: Json | undefined): boolean {
  return value !== undefined && value !== null
}

function readMaxTurns(turns: number | undefined, notes: Notes): number {
  if (turns === undefined) return DEFAULT_MAX_TURNS
  if (!Number.isInteger(turns) || turns < 1 || turns > MOST_TURNS)
    notes.problem('max_turns', `expected a whole number from 1 to ${MOST_TURNS}, got ${shown(turns)}`)
  return turns
}

/** Yao writes the id as it is; `agents:` before it, as its assertions have it, is taken too. */
function readSimulator({ use, options = {} }: FieldValues<typeof SIMULATOR>, notes: Notes): Simulator | undefined {
  const agent = typeof use === 'string' ? use.replace(/^agents:/, '') : undefined
  if (agent === undefined || agent.trim() === '') {
    const got = use === undefined ? 'required' : `expected the id of an agent, got ${shown(use)}`
    notes.problem('simulator.use', got, use === undefined ? 'the id of the agent that plays the user' : undefined)
    return undefined
  }
  const { metadata = {}, connector } = options
  for (const name of ['persona', 'goal']) {
    const told = metadata[name]
    if (told !== undefined && told !== null && typeof told !== 'string')
      notes.problem(`simulator.options.metadata.${name}`, `expected a string, got ${shown(told)}`)
  }
  return { agent, metadata, ...(connector === undefined ? {} : { connector }) }
}

function readCheckpoints(list: readonly Json[], notes: Notes): Checkpoint[] {
  if (list.length > MOST_CHECKPOINTS) {
    notes.problem('checkpoints', `expected at most ${MOST_CHECKPOINTS} checkpoints, got ${list.length}`)
    return []
  }
  const places = new Map<string, number>()
  const checkpoints = list.flatMap((item, index) => {
    const at = `checkpoints[${index}]`
    if (!isJsonObject(item)) {
      notes.problem(at, `expected a checkpoint (an object), got ${shown(item)}`)
      return []
    }
    const checkpoint = readCheckpoint(item, at, notes)
    const first = places.get(checkpoint.id)
    if (first !== undefined)
      notes.problem(`${at}.id`, `${quote(checkpoint.id)} is already the id of checkpoints[${first}]`)
    else if (checkpoint.id !== '') places.set(checkpoint.id, index)
    return [{ ...checkpoint, at }]
  })
  for (const { after, at } of checkpoints) checkAfter(after, { at, known: [...places.keys()], notes })
  const loop = findLoop(checkpoints)
  if (loop) {
    const at = `checkpoints[${places.get(loop[0] ?? '') ?? 0}].after`
    notes.problem(at, `can never be reached, for it comes after itself: ${[...loop, loop[0]].join(', after ')}`)
  }
  if (list.length > 0 && checkpoints.every(({ required }) => !required))
    notes.warning('checkpoints', 'none is required, so that no conversation can fail by them')
  return checkpoints.map(({ at: _at, ...checkpoint }) => checkpoint)
}

function readCheckpoint(item: JsonObject, at: string, notes: Notes): Checkpoint {
  const fields = readFields(item, CHECKPOINT, { notes, at, unknown: 'warning' })
  const { id, description, after, required = true } = fields
  const hasId = typeof id === 'string' && id !== ''
  if (id === undefined) notes.problem(`${at}.id`, 'required', nearField('id', item))
  else if (!hasId) notes.problem(`${at}.id`, `expected a string that is not empty, got ${shown(id)}`)
  return {
    id: hasId ? id : '',
    ...(description === undefined ? {} : { description }),
    assertions: readAssert(fields.assert, { item, at, notes }),
    after: after === undefined ? [] : readAfter(after, `${at}.after`, notes),
    required,
  }
}

interface CheckpointPlace {
  readonly item: JsonObject
  readonly at: string
  readonly notes: Notes
}

function readAssert(assert: Json | undefined, { item, at, notes }: CheckpointPlace): readonly KindConfig[] {
  if (assert === undefined) {
    notes.problem(`${at}.assert`, 'required', nearField('assert', item))
    return []
  }
  if (Array.isArray(assert) && assert.length === 0) {
    notes.problem(`${at}.assert`, 'expected at least one assertion, got an empty list')
    return []
  }
  const { assertions, problems, warnings } = normaliseAssertions(assert, undefined)
  for (const problem of problems) notes.add({ ...problem, field: `${at}.${problem.field ?? 'assert'}` })
  for (const warning of warnings) notes.warning('', `${at}.${warning}`)
  return assertions
}

function readAfter(after: Json, at: string, notes: Notes): string[] {
  if (!Array.isArray(after)) {
    const hint = typeof after === 'string' ? `write [${shown(after)}]` : undefined
    notes.problem(at, `expected a list of ids, got ${shown(after)}`, hint)
    return []
  }
  return after.flatMap((id: Json, index) => {
    if (typeof id === 'string') return [id]
    notes.problem(`${at}[${index}]`, `expected the id of a checkpoint, got ${shown(id)}`)
    return []
  })
}

interface KnownIds {
  readonly at: string
  readonly known: readonly string[]
  readonly notes: Notes
}

/** Yao takes no notice of an unknown id, so that a typo lets the checkpoint be reached too early. */
function checkAfter(after: readonly string[], { at, known, notes }: KnownIds): void {
  for (const [index, id] of after.entries()) {
    if (known.includes(id)) continue
    const hint = didYouMean(id, known) ?? `ids are ${known.slice(0, 10).join(', ')}`
    notes.problem(`${at}.after[${index}]`, `there is no checkpoint ${shown(id)}`, hint)
  }
}

/** Ids that come after one another in a ring; the first of them that the file names comes first. */
function findLoop(checkpoints: readonly Checkpoint[]): string[] | undefined {
  const waiting = new Map(checkpoints.map(({ id, after }) => [id, after]))
  // Whatever waits for nothing is taken out, again and again: what is left over waits for a ring or is in one.
  for (let isShrinking = true; isShrinking; ) {
    isShrinking = false
    for (const [id, after] of waiting) {
      if (after.some((other) => waiting.has(other))) continue
      waiting.delete(id)
      isShrinking = true
    }
  }
  const [start] = waiting.keys()
  if (start === undefined) return undefined
  const trail: string[] = []
  let at = start
  while (!trail.includes(at)) {
    trail.push(at)
    at = waiting.get(at)?.find((other) => waiting.has(other)) ?? at
  }
  const ring = trail.slice(trail.indexOf(at))
  const first = ring.indexOf([...waiting.keys()].find((id) => ring.includes(id)) ?? start)
  return [...ring.slice(first), ...ring.slice(0, first)]
}
