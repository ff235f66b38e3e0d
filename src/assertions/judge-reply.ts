import { asText, isJsonObject, type Json, type JsonObject, jsonEquals, jsonType } from '../core/json.ts'
import { findJson } from '../lib/extract-json.ts'
import { excerpt } from './excerpt.ts'

/** What a judge said. */
export interface Verdict {
  readonly passed: boolean
  /** Empty where it gave none. */
  readonly reason: string
  /** Everything else, such as a score or suggestions. */
  readonly others: JsonObject
}

export type JudgeReply =
  | { readonly kind: 'verdict'; readonly verdict: Verdict }
  /** What is wrong with it, for the judge and for the user. */
  | { readonly kind: 'unreadable'; readonly problem: string }

/**
 * Reads a judge's reply: structured data as it is, a text by the JSON in it. Where the reply is more than JSON, what it
 * quotes of the judged `output` is no verdict, and two different verdicts are none.
 */
export async function readReply(reply: Json, output: Json): Promise<JudgeReply> {
  if (typeof reply !== 'string') return fromData(reply)
  const found: JsonObject[] = []
  for await (const { value, place, isRepaired, isGuess } of findJson(reply)) {
    if (place === 'whole' && !isRepaired && !isGuess) return fromData(value as Json)
    if (!isGuess && isJsonObject(value) && typeof value['passed'] === 'boolean') found.push(value)
  }
  const quoted = found.length === 0 ? [] : await objectsIn(output)
  const own = found.filter((value) => !quoted.some((whole) => isPartOf(value, whole)))
  const [first] = own
  if (!first && found.length > 0) return unreadable('its only verdict is quoted from the output')
  if (!first) return unreadable(`there is no JSON object with a boolean "passed" in it, only ${excerpt(reply)}`)
  if (own.some((other) => other['passed'] !== first['passed'])) {
    return unreadable('it holds several verdicts that contradict each other')
  }
  return fromData(first)
}

function fromData(reply: Json): JudgeReply {
  if (!isJsonObject(reply)) return unreadable(`a JSON object was expected, but it is ${jsonType(reply)}`)
  const { passed, reason = null, ...others } = reply
  if (typeof passed !== 'boolean') {
    return unreadable(
      `"passed" must be true or false, but ${passed === undefined ? 'is missing' : `is ${excerpt(passed)}`}`,
    )
  }
  const isText = typeof reason === 'string'
  return {
    kind: 'verdict',
    verdict: {
      passed,
      reason: isText ? reason.trim() : '',
      others: isText || reason === null ? others : { reason, ...others },
    },
  }
}

async function objectsIn(output: Json): Promise<JsonObject[]> {
  const objects: JsonObject[] = isJsonObject(output) ? [output] : []
  for await (const { value } of findJson(asText(output))) if (isJsonObject(value)) objects.push(value)
  return objects
}

/** A quotation may leave members out. */
function isPartOf(part: JsonObject, whole: JsonObject): boolean {
  return Object.entries(part).every(
    ([key, value]) => Object.hasOwn(whole, key) && jsonEquals(value, whole[key] ?? null),
  )
}

function unreadable(problem: string): JudgeReply {
  return { kind: 'unreadable', problem }
}
