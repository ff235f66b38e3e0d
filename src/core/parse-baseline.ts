import type { z } from 'zod'
import { sharedTexts } from '../lib/shared-texts.ts'
import {
  BASELINE_VERSION,
  type Baseline,
  type BaselineCase,
  baselineCase,
  baselineHead,
  firstCase,
  firstHead,
} from './baseline.ts'
import { UserError } from './errors.ts'

/** Characters, and values in them: a small artifact can unpack to what no memory holds. */
const MOST_CHARACTERS = 256 * 1024 ** 2
const MOST_VALUES = 8_000_000
/** Of what a document says of itself, in a message. */
const MOST_SAID = 300

/**
 * Reads a baseline document; a document of version 1 is one session. A newer version, another shape or one that is too
 * large is an error that names `source`.
 */
export function parseBaseline(text: string, source: string): Baseline {
  try {
    return shareTexts(checked(readDocument(parseJson(text))))
  } catch (error) {
    if (!(error instanceof Unfit)) throw error
    throw new UserError(`${source}: ${error.message}`, {
      code: 'INVALID_BASELINE',
      problems: [{ file: source, message: `not a baseline: ${error.message}` }],
      cause: error,
    })
  }
}

/** Why a text is no baseline. */
class Unfit extends Error {}

function parseJson(text: string): unknown {
  if (text.length > MOST_CHARACTERS) throw new Unfit(`longer than ${MOST_CHARACTERS / 1024 ** 2} Mi characters`)
  if (countValues(text, MOST_VALUES) > MOST_VALUES) throw new Unfit(`more than ${MOST_VALUES} values`)
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Unfit(`not JSON: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}

/** Lists, objects and their entries, at least; counting stops beyond `most`. */
function countValues(text: string, most: number): number {
  let values = 0
  let isQuoted = false
  for (let index = 0; index < text.length && values <= most; index += 1) {
    const code = text.charCodeAt(index)
    if (code === QUOTE) isQuoted = !isQuoted
    else if (isQuoted) index += code === BACKSLASH ? 1 : 0
    else if (code === COMMA || code === BRACKET || code === BRACE) values += 1
  }
  return values
}

const [QUOTE, COMMA, BRACKET, BACKSLASH, BRACE] = [0x22, 0x2c, 0x5b, 0x5c, 0x7b]

function readDocument(value: unknown): Baseline {
  const version = versionOf(value)
  if (typeof version === 'number' && version > BASELINE_VERSION) {
    throw new Unfit(
      `schemaVersion ${version} is newer than this agent-test reads (${BASELINE_VERSION}); update agent-test`,
    )
  }
  if (version === 1) return firstVersion(value)
  const { cases, ...head } = fitting(baselineHead, value)
  return { ...head, cases: cases.map((item, place) => fitting(baselineCase, item, `cases.${place}`)) }
}

function versionOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'schemaVersion' in value ? value.schemaVersion : undefined
}

/** One session, whose id is the same wherever it is read, so that it is united with itself. */
function firstVersion(value: unknown): Baseline {
  const { schemaVersion: _first, cases, ...origin } = fitting(firstHead, value)
  const id = `first.${origin.runId ?? ''}.${origin.createdAt}`
  return {
    schemaVersion: BASELINE_VERSION,
    ...origin,
    sessions: [{ id, ...origin }],
    cases: cases.map((found, place): BaselineCase => {
      const { fingerprint, runs, ...item } = fitting(firstCase, found, `cases.${place}`)
      return { ...item, runs: runs.map((run) => ({ session: 0, ...run, fingerprint })) }
    }),
  }
}

function fitting<S extends z.ZodType>(schema: S, value: unknown, at = ''): z.infer<S> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const path = [...(at === '' ? [] : [at]), ...(issue?.path ?? [])].join('.').slice(0, MOST_SAID)
  throw new Unfit(`${path || 'document'}: ${(issue?.message ?? 'wrong shape').slice(0, MOST_SAID)}`, {
    cause: parsed.error,
  })
}

function checked(baseline: Baseline): Baseline {
  const { sessions, cases } = baseline
  const ids = new Set<string>()
  for (const [place, { id }] of sessions.entries()) {
    if (ids.has(id)) throw new Unfit(`sessions.${place}.id: two sessions have the same`)
    ids.add(id)
  }
  const keys = new Set<string>()
  for (const [place, { key, runs }] of cases.entries()) {
    if (keys.has(key)) throw new Unfit(`cases.${place}.key: two cases have the same`)
    keys.add(key)
    const lost = runs.findIndex(({ session }) => session >= sessions.length)
    if (lost !== -1) throw new Unfit(`cases.${place}.runs.${lost}.session: there is no such session`)
  }
  return baseline
}

/** Runs by session, and each text once: a hundred thousand runs name a handful of models. */
function shareTexts(baseline: Baseline): Baseline {
  const shared = sharedTexts()
  for (const { runs } of baseline.cases) {
    runs.sort((left, right) => left.session - right.session)
    for (const run of runs) {
      run.fingerprint = shared(run.fingerprint)
      if (run.requestedModel !== undefined) run.requestedModel = shared(run.requestedModel)
      if (run.answeredModel !== undefined) run.answeredModel = shared(run.answeredModel)
    }
  }
  return baseline
}
