import type { Json, JsonObject } from '../../core/json.ts'

/** Limits of one parameter of a connector. */
interface ParameterLimits {
  readonly min?: number | undefined
  readonly max?: number | undefined
  readonly allowed_values?: readonly unknown[] | undefined
}

/** What a connector adds to a request, and what its model can do. */
export interface ConnectorDefaults {
  readonly parameters: JsonObject
  /** Only these are added, within their limits; absent: all. */
  readonly supported?: Readonly<Record<string, ParameterLimits | null>> | undefined
  readonly capabilities?: JsonObject | undefined
}

/** Parameters an assistant's `options` may set. Source: spec yao 11.2. */
export const ASSISTANT_PARAMETERS = [
  'temperature',
  'max_tokens',
  'max_completion_tokens',
  'top_p',
  'n',
  'stop',
  'presence_penalty',
  'frequency_penalty',
  'logit_bias',
  'user',
  'response_format',
  'seed',
  'tools',
  'tool_choice',
] as const

/** Ours to decide; neither an assistant nor a connector changes them. */
const RESERVED = ['model', 'messages', 'stream', 'stream_options']

/** The assistant's parameters over the connector's, in the form OpenAI takes today. Source: spec yao 11.4. */
export function requestParameters(
  options: JsonObject,
  { parameters, supported, capabilities = {} }: ConnectorDefaults,
): JsonObject {
  const own = Object.fromEntries(
    ASSISTANT_PARAMETERS.flatMap((name) => (isSet(options[name]) ? [[name, options[name]]] : [])),
  )
  const added = Object.entries(parameters).flatMap(([name, value]): [string, Json][] => {
    if (supported === undefined) return [[name, value]]
    const limits = supported[name]
    return limits === undefined ? [] : [[name, clamp(value, limits ?? {})]]
  })
  const merged: Record<string, Json> = { ...renamed(Object.fromEntries(added)), ...renamed(own as JsonObject) }
  for (const name of RESERVED) delete merged[name]
  if (merged['temperature'] !== undefined && isTemperatureFixed(capabilities)) merged['temperature'] = 1
  return merged
}

function isSet(value: Json | undefined): boolean {
  return value !== undefined && value !== null
}

/** `max_tokens` is the old name; both at once are refused by the provider. */
function renamed({ max_tokens: old, ...rest }: JsonObject): JsonObject {
  if (old === undefined) return rest
  return { max_completion_tokens: old, ...rest }
}

/** A reasoning model takes no other temperature unless its connector says so. */
function isTemperatureFixed({ temperature_adjustable: adjustable, reasoning }: JsonObject): boolean {
  return adjustable === false || (reasoning === true && adjustable !== true)
}

function clamp(value: Json, { min, max, allowed_values: allowed = [] }: ParameterLimits): Json {
  const limited =
    typeof value === 'number'
      ? Math.min(Math.max(value, min ?? Number.NEGATIVE_INFINITY), max ?? Number.POSITIVE_INFINITY)
      : value
  return allowed.length === 0 || allowed.includes(limited) ? limited : (allowed[0] as Json)
}

/** Without stated capabilities the provider decides. */
export function takesTools(capabilities: JsonObject | undefined): boolean {
  return capabilities === undefined || capabilities['tool_calls'] === true
}

/** Vision may be true or the name of a format. Without stated capabilities the provider decides. */
export function takesImages(capabilities: JsonObject | undefined): boolean {
  if (capabilities === undefined) return true
  const { vision } = capabilities
  return vision === true || (typeof vision === 'string' && vision !== '')
}
