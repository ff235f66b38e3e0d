import { bracketsIn, depthOf } from './brackets.ts'
import { type Fence, fencesIn } from './fences.ts'

/** One piece of JSON or YAML found in a text. */
export interface JsonCandidate {
  /** An object or an array: a bare number or word in a text is no document. */
  readonly value: object
  readonly place: 'whole' | 'fence' | 'prose'
  /** Where the piece starts in the text. */
  readonly offset: number
  readonly format: 'json' | 'yaml'
  /** It was no valid JSON and has been mended. */
  readonly isRepaired: boolean
  /** Nothing says that it is meant as data; it only looks like it. */
  readonly isGuess: boolean
}

// Deeper nesting would overflow the stack of whoever walks the value.
const MAX_DEPTH = 500
const MAX_CANDIDATES = 1_000
/** What a failed attempt costs beside its characters: making the error is the dear part. */
const ATTEMPT_COST = 200

/** What may still be spent on one text, in characters, so that the time stays linear in its length. */
interface Budget {
  parse: number
  repair: number
  yaml: number
}

/** jsonrepair takes quadratic time on hostile texts and yaml is slow on any: they see what a person would write. */
function budgetFor(text: string): Budget {
  return { parse: 4 * text.length + 1_000_000, repair: 32_000, yaml: 32_000 }
}

/**
 * Finds JSON in a model's answer, best first: the whole text; fenced blocks, those labelled json before others; the
 * whole text or a block mended; every balanced object or array in the prose; a text that looks like YAML.
 */
export async function* findJson(text: string): AsyncGenerator<JsonCandidate> {
  const whole = parseJson(text)
  if (whole) {
    yield candidate(whole, { place: 'whole', offset: 0 })
    return
  }
  const budget = budgetFor(text)
  const fences = fencesIn(text).slice(0, MAX_CANDIDATES)
  yield* fromFences(fences, budget)
  // Before the pieces: a part of a broken document must not answer for the whole.
  yield* fromBroken(text, fences, budget)
  yield* fromProse(text, budget)
  const guess = looksLikeYaml(text) ? await parseYaml(text, budget) : undefined
  if (guess) yield candidate(guess, { place: 'whole', offset: 0, format: 'yaml', isGuess: true })
}

/** "JSON in the fence at line 3"; empty for a text that is JSON as a whole. */
export function describeCandidate({ place, format, isRepaired, offset }: JsonCandidate, text: string): string {
  if (place === 'whole' && !isRepaired && format === 'json') return ''
  const what = `${isRepaired ? 'repaired ' : ''}${format === 'json' ? 'JSON' : 'YAML'}`
  if (place === 'whole') return `the output read as ${what}`
  return `${what} ${place === 'fence' ? 'in the fence' : 'in the text'} at line ${text.slice(0, offset).split('\n').length}`
}

async function* fromFences(fences: readonly Fence[], budget: Budget): AsyncGenerator<JsonCandidate> {
  const ranked = [isJsonFence, isYamlFence, isUnlabelled].flatMap((belongs) => fences.filter(belongs))
  for (const fence of ranked) {
    const { body, offset } = fence
    const isYaml = isYamlFence(fence) || (isUnlabelled(fence) && looksLikeYaml(body))
    const value = isYaml ? await parseYaml(body, budget) : parseJson(body)
    if (value) yield candidate(value, { place: 'fence', offset, format: isYaml ? 'yaml' : 'json' })
  }
}

async function* fromBroken(text: string, fences: readonly Fence[], budget: Budget): AsyncGenerator<JsonCandidate> {
  if (startsLikeJson(text)) {
    const value = await repair(text, budget)
    if (value) yield candidate(value, { place: 'whole', offset: 0, isRepaired: true })
  }
  for (const { label, body, offset } of fences) {
    const isMeantAsJson = isJsonFence({ label }) || (label === '' && startsLikeJson(body))
    if (!isMeantAsJson || parseJson(body)) continue
    const value = await repair(body, budget)
    if (value) yield candidate(value, { place: 'fence', offset, isRepaired: true })
  }
}

async function* fromProse(text: string, budget: Budget): AsyncGenerator<JsonCandidate> {
  const waiting = bracketsIn(text).reverse()
  let count = 0
  for (let next = waiting.pop(); next && count < MAX_CANDIDATES && budget.parse > 0; next = waiting.pop()) {
    const piece = text.slice(next.start, next.end)
    budget.parse -= piece.length + ATTEMPT_COST
    const found = next.depth > MAX_DEPTH ? undefined : await readPiece(piece, next.start, budget)
    if (found) {
      count++
      yield found
    } else if (!startsLikeJson(piece)) {
      // Brackets of prose around something; parts of a document that is broken beyond repair stay unread.
      pushReversed(waiting, next.inner)
    }
  }
}

async function readPiece(piece: string, offset: number, budget: Budget): Promise<JsonCandidate | undefined> {
  const value = parseJson(piece)
  if (value) return candidate(value, { place: 'prose', offset })
  const mended = startsLikeJson(piece) ? await repair(piece, budget) : undefined
  return mended && candidate(mended, { place: 'prose', offset, isRepaired: true, isGuess: true })
}

// Not `push(...items)`: a text with very many brackets would overflow the stack.
function pushReversed<T>(list: T[], items: readonly T[]): void {
  for (let index = items.length - 1; index >= 0; index--) list.push(items[index] as T)
}

function candidate(
  value: object,
  rest: Pick<JsonCandidate, 'place' | 'offset'> & Partial<Omit<JsonCandidate, 'value'>>,
): JsonCandidate {
  return { value, format: 'json', isRepaired: false, isGuess: false, ...rest }
}

function isJsonFence({ label }: Pick<Fence, 'label'>): boolean {
  return label === 'json' || label === 'jsonc' || label === 'json5'
}

function isYamlFence({ label }: Pick<Fence, 'label'>): boolean {
  return label === 'yaml' || label === 'yml'
}

function isUnlabelled({ label }: Pick<Fence, 'label'>): boolean {
  return label === ''
}

/** Begins as an object or a list of data does, and not as a block of code or a remark in brackets. */
function startsLikeJson(text: string): boolean {
  return /^\s*(?:\{\s*(?:["'“‘}/]|[\w$-]+\s*:)|\[\s*[[{"'])/.test(text)
}

/** Its first line is a plain key with its value, or the start of a YAML document. */
function looksLikeYaml(text: string): boolean {
  return /^\s*(?:---[ \t]*\r?\n|[\p{L}_][^"'`{}[\]:\n]{0,99}:(?:\s|$))/u.test(text)
}

function parseJson(text: string): object | undefined {
  if (!/^\s*[{[]/.test(text) || isTooDeep(text)) return undefined
  try {
    // trim() also takes a byte order mark, which JSON.parse does not.
    return documentOf(JSON.parse(text.trim()))
  } catch {
    return undefined
  }
}

async function repair(text: string, budget: Budget): Promise<object | undefined> {
  if (text.length > budget.repair || isTooDeep(text)) return undefined
  budget.repair -= text.length + ATTEMPT_COST
  const { jsonrepair } = await import('jsonrepair')
  try {
    return documentOf(JSON.parse(jsonrepair(text)))
  } catch {
    return undefined
  }
}

async function parseYaml(text: string, budget: Budget): Promise<object | undefined> {
  if (text.length > budget.yaml || isTooDeep(text)) return undefined
  budget.yaml -= text.length
  const { parse } = await import('yaml')
  try {
    // No aliases: a few lines of them stand for gigabytes. By way of JSON: YAML also has values that JSON has not.
    const value: unknown = parse(text, { maxAliasCount: 0, logLevel: 'error', prettyErrors: false })
    return documentOf(JSON.parse(JSON.stringify(value)))
  } catch {
    return undefined
  }
}

function documentOf(value: unknown): object | undefined {
  return typeof value === 'object' && value !== null ? value : undefined
}

function isTooDeep(text: string): boolean {
  // What is opened must be closed again, so a short text need not be looked at.
  return text.length > 2 * MAX_DEPTH && depthOf(text) > MAX_DEPTH
}
