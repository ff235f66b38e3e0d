import { parseDuration } from '../../lib/duration.ts'
import { patternProblem } from '../../lib/regex.ts'
import type { Json } from '../json.ts'
import { didYouMean, quote } from '../kind.ts'
import { shown } from './fields.ts'
import type { Notes } from './findings.ts'

/** Where a value stands: its path in what `notes` are on. */
export interface Place {
  readonly notes: Notes
  readonly at: string
}

/** Whoever waits longer has made a mistake; timers end at 24 days. */
const LONGEST_MS = 24 * 60 * 60 * 1000

/** A list of texts that are not empty. */
export function readTexts(list: readonly Json[] | undefined, { notes, at }: Place): string[] {
  return (list ?? []).flatMap((item, index) => {
    if (typeof item === 'string' && item !== '') return [item]
    notes.problem(`${at}[${index}]`, `expected a text that is not empty, got ${shown(item)}`)
    return []
  })
}

/** One text, or a list of them. */
export function readTextOrTexts(value: Json, place: Place): string[] {
  if (Array.isArray(value)) return readTexts(value, place)
  if (typeof value === 'string' && value !== '') return [value]
  place.notes.problem(place.at, `expected a text or a list of texts, got ${shown(value)}`)
  return []
}

/** A list of lists of texts, none of them empty. */
export function readTextLists(list: readonly Json[] | undefined, { notes, at }: Place): string[][] {
  return (list ?? []).flatMap((item, index) => {
    const place = { notes, at: `${at}[${index}]` }
    if (Array.isArray(item) && item.length > 0) return [readTexts(item, place)]
    notes.problem(place.at, `expected a list of names such as [read, grep], got ${shown(item)}`)
    return []
  })
}

/** Counts of calls, messages and files. */
export function readCount(value: number | undefined, { notes, at }: Place): number | undefined {
  if (value === undefined || (Number.isSafeInteger(value) && value >= 0)) return value
  notes.problem(at, `expected a whole number from 0, got ${shown(value)}`)
  return undefined
}

export function readPercent(value: Json | undefined, { notes, at }: Place): number | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'number' && value >= 0 && value <= 100) return value
  notes.problem(at, `expected a number from 0 to 100, got ${shown(value)}`)
  return undefined
}

/** Milliseconds as a number, as in the public suites, or a text with a unit. */
export function readDurationMs(
  value: Json | undefined,
  { notes, at, from = 1 }: Place & { readonly from?: 0 | 1 },
): number | undefined {
  if (value === undefined || value === null) return undefined
  const ms = typeof value === 'string' ? parseDuration(value) : value
  if (typeof ms === 'number' && ms >= from && ms <= LONGEST_MS) return ms
  const range = from === 0 ? 'from 0 up to a day' : 'above zero, up to a day'
  notes.problem(at, `expected milliseconds ${range}, or a text such as "30s", got ${shown(value)}`)
  return undefined
}

export function readOneOf<const T extends string>(
  value: Json | undefined,
  known: readonly T[],
  { notes, at }: Place,
): T | undefined {
  if (value === undefined || value === null) return undefined
  const found = known.find((name) => name === value)
  if (found !== undefined) return found
  const hint = typeof value === 'string' ? didYouMean(value, known) : undefined
  notes.problem(at, `expected one of ${known.map(quote).join(', ')}, got ${shown(value)}`, hint)
  return undefined
}

export function readPatterns(list: readonly Json[] | undefined, place: Place): string[] {
  const patterns = readTexts(list, place)
  for (const [index, pattern] of patterns.entries()) checkPattern(pattern, { ...place, at: `${place.at}[${index}]` })
  return patterns
}

export function checkPattern(pattern: string, { notes, at }: Place): void {
  const problem = patternProblem(pattern)
  if (problem !== undefined) notes.problem(at, problem)
}
