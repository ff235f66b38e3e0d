import { UserError } from '../core/errors.ts'
import { BLOB_VERSION, type BlobCase, type Controls, type RunBlob } from '../core/run-blob.ts'
import { plainText } from '../lib/escape.ts'
import { type StoredBlob, type StoredCase, storedBlob } from './blob-schema.ts'

/**
 * Reads a document of results that may come from anybody: it is what it claims to be or a UserError
 * (ARTIFACT_UNREADABLE) that names `source`. A newer version is refused, what this version does not know is dropped.
 */
export function parseBlob(text: string, source: string): RunBlob {
  const value = parsedJson(text, source)
  const version = versionOf(value)
  if (typeof version === 'number' && version > BLOB_VERSION) {
    const newer = `schemaVersion ${version} is newer than this agent-test reads (${BLOB_VERSION}); update agent-test`
    throw unreadable(source, newer)
  }
  const parsed = storedBlob.safeParse(value)
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    const field = plainText(issue?.path.map(String).join('.') ?? '', { maxLength: 200 })
    throw unreadable(source, `${field || 'document'}: ${issue?.message ?? 'wrong shape'}`, parsed.error)
  }
  const contradiction = contradictionIn(parsed.data)
  if (contradiction !== undefined) throw unreadable(source, contradiction)
  return blobFrom(parsed.data)
}

function parsedJson(text: string, source: string): unknown {
  try {
    return JSON.parse(text, needsCleaning(text) ? cleaned : undefined) as unknown
  } catch (cause) {
    throw unreadable(source, `not JSON: ${plainText(String(cause), { maxLength: 200 })}`, cause)
  }
}

/** Walking a large document once more takes its time, and no document that this program writes needs it. */
function needsCleaning(text: string): boolean {
  return text.includes('__proto__') || /\\u(?:005f|d[89a-f])/i.test(text)
}

/** Drops what an assignment would take for a prototype, and halves of characters, which no address can hold. */
function cleaned(key: string, value: unknown): unknown {
  if (key === '__proto__') return undefined
  return typeof value === 'string' ? value.replace(/\p{Surrogate}/gu, '\uFFFD') : value
}

function versionOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'schemaVersion' in value ? value.schemaVersion : undefined
}

/** What no run of this program can have written, in words. */
function contradictionIn(blob: StoredBlob): string | undefined {
  const { cases, runsPerCase, maxRuns, plannedRuns, shard, approvals, controls } = blob
  if (maxRuns < runsPerCase) return `maxRuns ${maxRuns} is less than runsPerCase ${runsPerCase}`
  if (plannedRuns > cases.length * runsPerCase) return `${plannedRuns} runs were planned for ${cases.length} cases`
  const keys = new Set<string>()
  for (const [index, item] of cases.entries()) {
    if (keys.has(item.key)) return `cases.${index}: the key ${shown(item.key)} is there twice`
    keys.add(item.key)
    const wrong = contradictionInCase(item, maxRuns)
    if (wrong !== undefined) return `cases.${index}: ${wrong}`
  }
  const stray = [approvals, controls.suite, controls.cases].flatMap(Object.keys).find((key) => !keys.has(key))
  if (stray !== undefined) return `${shown(stray)} is no case of it`
  return shard && contradictionInShard(shard, cases.length)
}

function contradictionInCase({ runs, skip, skippedRuns }: StoredCase, maxRuns: number): string | undefined {
  let last = 0
  for (const run of runs) {
    if (run.run <= last) return `run ${run.run} follows run ${last}`
    last = run.run
    if (run.status === 'passed' && run.checks.some(({ passed }) => !passed))
      return `run ${run.run} passed with a check that did not`
  }
  if (last > maxRuns) return `run ${last} is beyond ${maxRuns} runs`
  if (skip !== undefined && runs.length > 0) return 'it was skipped and has runs'
  return runs.length + skippedRuns > maxRuns ? `it has more than ${maxRuns} runs` : undefined
}

function contradictionInShard(shard: NonNullable<StoredBlob['shard']>, cases: number): string | undefined {
  const { index, count, places, of } = shard
  if (index > count) return `shard ${index} of ${count}`
  if (places.length !== cases) return `${places.length} places are given for ${cases} cases`
  let last = -1
  for (const place of places) {
    if (place <= last) return `place ${place} follows place ${last}`
    last = place
  }
  return last >= of ? `place ${last} of ${of} cases` : undefined
}

function shown(key: string): string {
  return JSON.stringify(plainText(key, { maxLength: 100 }))
}

function blobFrom({ cases, approvals, controls, ...rest }: StoredBlob): RunBlob {
  return {
    ...rest,
    cases: cases.map(caseFrom),
    approvals: withoutPrototype(approvals),
    controls: controlsFrom(controls),
  }
}

function caseFrom({ runs, ...rest }: StoredCase): BlobCase {
  return { ...rest, runs: runs.map((run) => ({ ...run, key: rest.key })) }
}

function controlsFrom({ suite, cases, state }: StoredBlob['controls']): Controls {
  return { suite: withoutPrototype(suite), cases: withoutPrototype(cases), state }
}

/** Looked into by keys from elsewhere, `constructor` among them. */
function withoutPrototype<T>(record: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  return Object.assign(Object.create(null) as Record<string, T>, record)
}

function unreadable(source: string, detail: string, cause?: unknown): UserError {
  return new UserError(`${source}: ${detail}`, {
    code: 'ARTIFACT_UNREADABLE',
    problems: [{ file: source, message: `not results of agent-test: ${detail}` }],
    cause,
  })
}
