import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'
import { checkKindConfig } from '../../core/kind.ts'
import { shown } from '../../core/reading/fields.ts'
import { type Place, readOneOf } from '../../core/reading/values.ts'
import { evaluators } from '../../evaluators/index.ts'
import {
  type CustomEvaluators,
  customName,
  type EvaluatorScope,
  isCustom,
  NO_CUSTOM,
  readCustom,
} from './custom-evaluators.ts'
import type { Settings } from './demands.ts'
import { EVALUATORS, readEvaluatorName } from './evaluator-names.ts'

/** Which evaluators run and how: what a test, an agent's rules or a config file says of it. */
export interface EvaluatorChoice {
  /** Only these; all that are on by default where absent. */
  readonly only?: readonly string[]
  readonly on: readonly string[]
  readonly off: readonly string[]
  /** By evaluator. */
  readonly settings: ReadonlyMap<string, Settings>
  readonly weights: Readonly<Record<string, number>>
  readonly custom: CustomEvaluators
}

export const NO_CHOICE: EvaluatorChoice = { on: [], off: [], settings: new Map(), weights: {}, custom: NO_CUSTOM }

interface Named {
  readonly name: string
  readonly enabled?: boolean
  readonly weight?: number
  readonly settings: Settings
}

/** A list names the only ones that run; a map from names changes single ones. */
export function readEvaluators(value: Json, place: Place, scope: EvaluatorScope): EvaluatorChoice {
  const custom = readCustom(value, place, { file: scope.file, taken: EVALUATORS })
  const known = new Map([...scope.custom, ...custom])
  if (Array.isArray(value)) {
    if (value.length === 0) place.notes.problem(place.at, 'expected at least one evaluator, got an empty list')
    const named = value.flatMap((item: Json, index) => readItem(item, { ...place, at: `${place.at}[${index}]` }, known))
    return {
      ...choiceOf(named, custom),
      only: named.filter(({ enabled }) => enabled !== false).map(({ name }) => name),
      on: [],
    }
  }
  if (isJsonObject(value)) return choiceOf(readMap(value, place, known), custom)
  place.notes.problem(
    place.at,
    `expected a list of evaluators, got ${shown(value)}`,
    'such as [approval-gate, tool-usage]',
  )
  return NO_CHOICE
}

function choiceOf(named: readonly Named[], custom: CustomEvaluators): EvaluatorChoice {
  const namesWith = (wanted: boolean) => named.flatMap(({ name, enabled }) => (enabled === wanted ? [name] : []))
  return {
    on: namesWith(true),
    off: namesWith(false),
    settings: new Map(named.map(({ name, settings }) => [name, settings])),
    weights: Object.fromEntries(named.flatMap(({ name, weight }) => (weight === undefined ? [] : [[name, weight]]))),
    custom,
  }
}

/** `approval-gate`, `{type: approval-gate, …}` or, as in one public agent's tests, `{type, config}`. */
function readItem(item: Json, { notes, at }: Place, custom: CustomEvaluators): Named[] {
  if (isCustom(item)) {
    const { type: _type, name: _name, ...settings } = item
    const name = customName(item)
    return name === undefined || !custom.has(name) ? [] : [readSettings(name, settings, { notes, at }, custom)]
  }
  if (!isJsonObject(item)) {
    const name = readEvaluatorName(item, { notes, at }, custom)
    return name === undefined ? [] : [{ name, settings: {} }]
  }
  const { type, name: written = type, ...rest } = item
  const field = type === undefined ? 'name' : 'type'
  const name = readEvaluatorName(type ?? written, { notes, at: `${at}.${field}` }, custom)
  if (type !== undefined && written !== type) notes.problem(`${at}.name`, 'cannot be given beside "type"')
  return name === undefined ? [] : [readSettings(name, rest, { notes, at }, custom)]
}

function readMap(map: JsonObject, { notes, at }: Place, custom: CustomEvaluators): Named[] {
  return Object.entries(map).flatMap(([written, value]) => {
    const place = { notes, at: `${at}.${written}` }
    if (isCustom(value) && !custom.has(written)) return []
    const name = readEvaluatorName(written, place, custom)
    if (name === undefined) return []
    if (isCustom(value)) return [{ enabled: true, ...readSettings(name, value, place, custom) }]
    if (typeof value === 'boolean') return [{ name, enabled: value, settings: {} }]
    if (isJsonObject(value)) return [readSettings(name, value, place, custom)]
    if (value === null) return [{ name, settings: {} }]
    notes.problem(place.at, `expected true, false or settings, got ${shown(value)}`)
    return []
  })
}

/** What is not ours is the evaluator's own; it lies beside our fields, or in `options` or `config`. */
function readSettings(name: string, item: JsonObject, { notes, at }: Place, custom: CustomEvaluators): Named {
  const { enabled, weight, severity, options, config, ...own } = item
  if (enabled !== undefined && typeof enabled !== 'boolean')
    notes.problem(`${at}.enabled`, `expected true or false, got ${shown(enabled)}`)
  const share = weight === undefined ? undefined : readWeight(weight, { notes, at: `${at}.weight` })
  const readInner = custom.has(name) ? readOwn : readOurs
  return {
    name,
    ...(typeof enabled === 'boolean' ? { enabled } : {}),
    ...(share === undefined ? {} : { weight: share }),
    settings: {
      ...(severity === undefined ? {} : readSeverity(name, severity, { notes, at: `${at}.severity` })),
      ...readInner(name, options, { notes, at: `${at}.options` }),
      ...readInner(name, config, { notes, at: `${at}.config` }),
      ...readInner(name, own, { notes, at }),
    },
  }
}

function readOurs(name: string, value: Json | undefined, place: Place): Settings {
  const settings = readOwn(name, value, place)
  const config = { ...settings, type: name }
  for (const problem of checkKindConfig(evaluators, config, { noun: 'evaluator', field: place.at }))
    place.notes.add(problem)
  return settings
}

/** What a custom evaluator makes of its settings is its own. */
function readOwn(_name: string, value: Json | undefined, { notes, at }: Place): Settings {
  if (value === undefined || value === null) return {}
  if (isJsonObject(value)) return value
  notes.problem(at, `expected an object, got ${shown(value)}`)
  return {}
}

/** One severity for all that the evaluator finds. */
function readSeverity(name: string, value: Json, place: Place): Settings {
  const severity = readOneOf(value, ['error', 'warning', 'info'], place)
  const types = Object.keys(evaluators.get(name)?.violations ?? {})
  if (severity === undefined) return {}
  return { severities: Object.fromEntries(types.map((type) => [type, severity])) }
}

function readWeight(weight: Json, { notes, at }: Place): number | undefined {
  if (typeof weight === 'number' && weight >= 0 && weight <= MOST_WEIGHT) return weight
  notes.problem(at, `expected a number from 0 to ${MOST_WEIGHT}, got ${shown(weight)}`)
  return undefined
}

const MOST_WEIGHT = 1_000_000

/** Source: spec opencode-evals I, "Weights". */
const PRESETS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  openagent: { 'approval-gate': 40, 'context-loading': 40, delegation: 10, 'tool-usage': 10 },
}

/** `weights` or `scoring`: weights by evaluator, or the name of a preset. */
export function readWeights(
  value: Json,
  { notes, at }: Place,
  custom: CustomEvaluators,
): Readonly<Record<string, number>> {
  const preset = typeof value === 'string' && Object.hasOwn(PRESETS, value) ? PRESETS[value] : undefined
  if (preset) return preset
  if (!isJsonObject(value)) {
    const presets = Object.keys(PRESETS).join(', ')
    notes.problem(
      at,
      `expected weights by evaluator, got ${shown(value)}`,
      `such as {approval-gate: 40}; presets: ${presets}`,
    )
    return {}
  }
  const read = Object.entries(value).flatMap(([written, weight]) => {
    const place = { notes, at: `${at}.${written}` }
    const name = readEvaluatorName(written, place, custom)
    const share = readWeight(weight, place)
    return name === undefined || share === undefined ? [] : [[name, share] as const]
  })
  if (read.length > 0 && read.every(([, weight]) => weight === 0))
    notes.problem(at, 'at least one weight must be above zero')
  return Object.fromEntries(read)
}

interface Choosing {
  readonly evaluators?: Json | undefined
  readonly weights?: Json | undefined
}

/** What a test, or an agent's rules, say below the prefix `at`. */
export function readTestChoice({ evaluators, weights }: Choosing, { notes, at }: Place, scope: EvaluatorScope) {
  const chosen =
    evaluators === undefined ? NO_CHOICE : readEvaluators(evaluators, { notes, at: `${at}evaluators` }, scope)
  if (weights === undefined) return chosen
  const known = new Map([...scope.custom, ...chosen.custom])
  const shares = readWeights(weights, { notes, at: `${at}weights` }, known)
  return { ...chosen, weights: { ...chosen.weights, ...shares } }
}

/** The later ones win, setting by setting. */
export function mergeChoices(choices: readonly EvaluatorChoice[]): EvaluatorChoice {
  return choices.reduce((earlier, later) => {
    const only = later.only ?? earlier.only
    const names = new Set([...earlier.settings.keys(), ...later.settings.keys()])
    return {
      ...(only === undefined ? {} : { only }),
      // A later list says all that is on and off.
      on: later.only ? later.on : [...without(earlier.on, later.off), ...later.on],
      off: later.only ? later.off : [...without(earlier.off, later.on), ...later.off],
      settings: new Map(
        [...names].map((name) => [name, { ...earlier.settings.get(name), ...later.settings.get(name) }]),
      ),
      weights: { ...earlier.weights, ...later.weights },
      custom: new Map([...earlier.custom, ...later.custom]),
    }
  }, NO_CHOICE)
}

function without(names: readonly string[], taken: readonly string[]): string[] {
  return names.filter((name) => !taken.includes(name))
}
