import { isJsonObject, type Json } from '../../core/json.ts'
import { didYouMean } from '../../core/kind.ts'
import { shown } from '../../core/reading/fields.ts'
import { type Place, readCount, readTextOrTexts } from '../../core/reading/values.ts'
import { expectContextFiles } from './behavior.ts'
import type { DemandsBuilder } from './demands.ts'
import { EXECUTION_TOOLS } from './evaluator-names.ts'

/** A named expectation of the seed's simple shape and of the first design, with what was written beside its name. */
type Flag = (value: Json, demands: DemandsBuilder, place: Place) => void

/** `false` asks for nothing, as everywhere in the public suites. */
function asks(demand: (demands: DemandsBuilder) => void): Flag {
  return (value, demands, { notes, at }) => {
    if (value === true) demand(demands)
    else if (value !== false) notes.problem(at, `expected true or false, got ${shown(value)}`)
  }
}

function asksNames(demand: (demands: DemandsBuilder, names: readonly string[]) => void): Flag {
  return (value, demands, place) => {
    if (value === true) place.notes.problem(place.at, 'expected what is meant', 'such as "tool_used: write"')
    else demand(demands, readTextOrTexts(value, place))
  }
}

function asksCount(demand: (demands: DemandsBuilder, count: number) => void): Flag {
  return (value, demands, place) => {
    if (typeof value !== 'number') place.notes.problem(place.at, `expected a whole number, got ${shown(value)}`)
    const count = typeof value === 'number' ? readCount(value, place) : undefined
    if (count !== undefined) demand(demands, count)
  }
}

/** Nothing is done that needs an approval and has none, by whatever tool; to ask is no mistake. */
const noUnapproved = asks((demands) => demands.expectViolation({ evaluator: 'approval-gate', state: 'must_not' }))

/** Source: seed 001, "Test Configuration" and "Weighted Checks"; spec opencode-evals A.8. */
const FLAGS: Readonly<Record<string, Flag>> = {
  approval_requested: asks((demands) => demands.set('behavior', 'requiresApproval', true)),
  no_unapproved_execution: noUnapproved,
  no_approval_required: noUnapproved,
  no_execution_tools: asks((demands) => demands.add('behavior', 'mustNotUseTools', EXECUTION_TOOLS)),
  approval_before_bash: noUnapproved,
  approval_before_write: noUnapproved,
  approval_before_edit: noUnapproved,
  approval_before_task: noUnapproved,
  context_loaded: asks((demands) => demands.set('behavior', 'requiresContext', true)),
  context_file: asksNames((demands, names) => {
    demands.set('behavior', 'requiresContext', true)
    expectContextFiles(demands, names)
  }),
  delegation_used: asks((demands) => demands.set('behavior', 'shouldDelegate', true)),
  tool_used: asksNames((demands, names) => demands.add('behavior', 'mustUseTools', names)),
  min_file_count: asksCount((demands, count) => demands.set('behavior', 'minFilesWritten', count)),
  response_provided: asks((demands) => demands.set('behavior', 'responseProvided', true)),
}

const NAMES = Object.keys(FLAGS)
const ALLOWED = `allowed: ${NAMES.join(', ')}`

/** Reads `expected.behavior` or `expected_behavior`: a list of names, or a map from names to what they ask for. */
export function readFlags(value: Json, demands: DemandsBuilder, { notes, at }: Place): void {
  if (Array.isArray(value)) {
    for (const [index, item] of (value as readonly Json[]).entries()) {
      const place = { notes, at: `${at}[${index}]` }
      if (typeof item === 'string') readFlag(item, true, demands, place)
      else if (isJsonObject(item)) readMap(item, demands, place)
      else notes.problem(place.at, `expected a name, got ${shown(item)}`, ALLOWED)
    }
  } else if (isJsonObject(value)) readMap(value, demands, { notes, at })
  else notes.problem(at, `expected a list of names, got ${shown(value)}`, ALLOWED)
}

function readMap(map: Readonly<Record<string, Json>>, demands: DemandsBuilder, { notes, at }: Place): void {
  for (const [name, value] of Object.entries(map)) readFlag(name, value, demands, { notes, at: `${at}.${name}` })
}

function readFlag(name: string, value: Json, demands: DemandsBuilder, place: Place): void {
  const flag = Object.hasOwn(FLAGS, name) ? FLAGS[name] : undefined
  if (flag) {
    flag(value, demands, place)
    return
  }
  const isSentence = /\s/.test(name)
  const message = isSentence
    ? `${shown(name)} is a sentence, which nothing can check`
    : `unknown expectation ${shown(name)}`
  place.notes.problem(place.at, message, didYouMean(name, NAMES) ?? ALLOWED)
}
