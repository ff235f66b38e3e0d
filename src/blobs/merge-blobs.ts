import type { Spending } from '../core/budget.ts'
import { type Problem, problemsError } from '../core/errors.ts'
import { type BlobCase, type Controls, NO_CONTROLS, type RunBlob, type Shard } from '../core/run-blob.ts'
import { plainText } from '../lib/escape.ts'

/** A blob and where it was found, such as the name of its file or artifact. */
export interface FoundBlob {
  readonly blob: RunBlob
  readonly source: string
}

/**
 * The shards of one run as the whole that they were cut from. Throws one UserError that names every shard that is
 * missing, there twice, or of another plan. A single blob that was not cut is its own whole.
 */
export function mergeBlobs(found: readonly FoundBlob[]): RunBlob {
  const problems = problemsOf(found)
  if (problems.length > 0) throw problemsError('INVALID_OPTIONS', problems)
  const [first] = found
  if (!first) throw problemsError('INVALID_OPTIONS', [NOTHING])
  return first.blob.shard === undefined ? first.blob : united(found.map(({ blob }) => blob))
}

const NOTHING: Problem = { message: 'there are no results to merge', hint: 'run the shards first' }

function problemsOf(found: readonly FoundBlob[]): Problem[] {
  if (found.length === 0) return [NOTHING]
  const whole = found.find(({ blob }) => blob.shard === undefined)
  if (whole) return found.length === 1 ? [] : [notCut(whole)]
  // Each kind of mistake brings the later ones with it.
  for (const look of [strangerProblems, countProblems, coverProblems]) {
    const problems = look(found)
    if (problems.length > 0) return problems
  }
  return []
}

function notCut({ blob, source }: FoundBlob): Problem {
  return {
    file: source,
    message: `${jobOf(blob)}holds the results of a whole run, which cannot be merged with others`,
    hint: 'give every job of the matrix its own shard',
  }
}

/** What must be the same in every shard, and how it is called. */
const SHARED: readonly (readonly [string, (blob: RunBlob) => string])[] = [
  ['version of agent-test', ({ version }) => version],
  ['number of runs', ({ runsPerCase, maxRuns }) => `${runsPerCase} to ${maxRuns}`],
  ['number of shards', ({ shard }) => String(shard?.count)],
  ['commit', ({ workflow }) => workflow?.headSha ?? 'none'],
  ['workflow run', ({ workflow }) => String(workflow?.runId ?? 'none')],
  ['plan', ({ manifest, shard }) => `${manifest.slice(0, 12)} of ${shard?.of} cases`],
]

/** The shards that differ from most of the others, each with the first thing that differs. */
function strangerProblems(found: readonly FoundBlob[]): Problem[] {
  for (const [what, read] of SHARED) {
    const usual = mostFrequent(found.map(({ blob }) => read(blob)))
    const others = found.filter(({ blob }) => read(blob) !== usual)
    if (others.length === 0) continue
    return others.map(({ blob, source }) => ({
      file: source,
      message: `${nameOf(blob)} has another ${what} (${shown(read(blob))}) than the others (${shown(usual)})`,
      hint: 'all shards of a merge come from one run of one workflow, with the same settings',
    }))
  }
  return []
}

function countProblems(found: readonly FoundBlob[]): Problem[] {
  const count = found[0]?.blob.shard?.count ?? 0
  const bySource = new Map<number, FoundBlob>()
  const problems: Problem[] = []
  for (const item of found) {
    const index = item.blob.shard?.index ?? 0
    const earlier = bySource.get(index)
    if (earlier) {
      const message = `${nameOf(item.blob)} is there twice, also in ${earlier.source}`
      problems.push({ file: item.source, message, hint: 'give each shard once' })
    } else bySource.set(index, item)
  }
  const missing = Array.from({ length: count }, (_, at) => at + 1).filter((index) => !bySource.has(index))
  if (missing.length > 0) {
    const jobs = missing.map((index) => `${index}/${count}`).join(', ')
    const message = `${missing.length === 1 ? 'shard' : 'shards'} ${jobs} of ${count} did not store any results`
    problems.push({ message, hint: 'look at the log of that job, then run it and the merge again' })
  }
  return problems
}

/** Every case of the plan in exactly one shard. */
function coverProblems(found: readonly FoundBlob[]): Problem[] {
  const owners = new Map<number, RunBlob>()
  const keys = new Map<string, RunBlob>()
  const problems: Problem[] = []
  for (const { blob, source } of found) {
    for (const [at, item] of blob.cases.entries()) {
      const place = blob.shard?.places[at] ?? 0
      const owner = owners.get(place) ?? keys.get(item.key)
      owners.set(place, blob)
      keys.set(item.key, blob)
      if (owner) problems.push(overlap(item, { blob, source, owner }))
    }
  }
  const of = found[0]?.blob.shard?.of ?? 0
  if (problems.length === 0 && owners.size !== of) {
    const message = `${of - owners.size} of ${of} cases are in no shard`
    problems.push({ message, hint: 'the shards were cut in different ways: run all of them again' })
  }
  return problems.slice(0, MOST_PROBLEMS)
}

const MOST_PROBLEMS = 20

function overlap({ key }: BlobCase, { blob, source, owner }: FoundBlob & { readonly owner: RunBlob }): Problem {
  return {
    file: source,
    message: `${nameOf(blob)} holds ${shown(key)}, which ${nameOf(owner)} holds too`,
    hint: 'the shards were cut in different ways: run all of them again',
  }
}

function nameOf(blob: RunBlob): string {
  const { shard } = blob
  return `${jobOf(blob)}shard ${shard?.index}/${shard?.count}`
}

function jobOf({ workflow }: RunBlob): string {
  return workflow?.job === undefined ? '' : `job ${shown(workflow.job)}, `
}

function shown(text: string): string {
  return plainText(text, { maxLength: 120 })
}

function mostFrequent(values: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].reduce((best, next) => (next[1] > best[1] ? next : best))[0]
}

function united(blobs: readonly RunBlob[]): RunBlob {
  const ordered = [...blobs].sort((left, right) => (left.shard?.index ?? 0) - (right.shard?.index ?? 0))
  const [first] = ordered
  if (!first) throw new Error('nothing to unite')
  const { shard: _shard, workflow, stoppedBy: _stopped, ...head } = first
  const stopped = ordered.find((blob) => blob.stoppedBy)?.stoppedBy
  const startedAt = earliest(ordered.map((blob) => blob.startedAt))
  const finishedAt = latest(ordered.map((blob) => blob.finishedAt))
  return {
    ...head,
    startedAt,
    finishedAt,
    durationMs: Math.max(0, Date.parse(finishedAt) - Date.parse(startedAt)),
    inputs: distinct(ordered.flatMap(({ inputs }) => inputs)),
    targets: distinct(ordered.flatMap(({ targets }) => targets)),
    ...(workflow === undefined ? {} : { workflow: { ...workflow, attempt: newestAttempt(ordered) } }),
    plannedRuns: sum(ordered, ({ plannedRuns }) => plannedRuns),
    interrupted: ordered.some(({ interrupted }) => interrupted),
    ...(stopped === undefined ? {} : { stoppedBy: stopped }),
    spending: spendingOf(ordered),
    warnings: distinct(ordered.flatMap(({ warnings }) => warnings)),
    approvals: Object.fromEntries(ordered.flatMap(({ approvals }) => Object.entries(approvals))),
    controls: controlsOf(ordered),
    cases: inPlace(ordered),
  }
}

function inPlace(blobs: readonly RunBlob[]): BlobCase[] {
  const placed = blobs.flatMap(({ cases, shard }) => cases.map((item, at) => ({ item, place: placeOf(shard, at) })))
  return placed.sort((left, right) => left.place - right.place).map(({ item }) => item)
}

function placeOf(shard: Shard | undefined, at: number): number {
  return shard?.places[at] ?? 0
}

function spendingOf(blobs: readonly RunBlob[]): Spending {
  return {
    tokens: sum(blobs, ({ spending }) => spending.tokens),
    costUsd: sum(blobs, ({ spending }) => spending.costUsd),
    unpricedRuns: sum(blobs, ({ spending }) => spending.unpricedRuns),
    unmeteredRuns: sum(blobs, ({ spending }) => spending.unmeteredRuns),
  }
}

/** Shards ask nothing of the base side; what a report brings along of it is kept. */
function controlsOf(blobs: readonly RunBlob[]): Controls {
  const told = blobs.map(({ controls }) => controls)
  return {
    suite: Object.fromEntries(told.flatMap(({ suite }) => Object.entries(suite))),
    cases: Object.fromEntries(told.flatMap(({ cases }) => Object.entries(cases))),
    state: told.find(({ state }) => state.kind === 'run')?.state ?? NO_CONTROLS.state,
  }
}

function newestAttempt(blobs: readonly RunBlob[]): number {
  return Math.max(...blobs.map(({ workflow }) => workflow?.attempt ?? 1))
}

function sum(blobs: readonly RunBlob[], of: (blob: RunBlob) => number): number {
  return blobs.reduce((total, blob) => total + of(blob), 0)
}

function distinct(values: readonly string[]): string[] {
  return [...new Set(values)]
}

function earliest(times: readonly string[]): string {
  return times.reduce((best, next) => (Date.parse(next) < Date.parse(best) ? next : best))
}

function latest(times: readonly string[]): string {
  return times.reduce((best, next) => (Date.parse(next) > Date.parse(best) ? next : best))
}
