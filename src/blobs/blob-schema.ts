import { z } from 'zod'
import { THRESHOLD_MODES } from '../core/gate.ts'
import { BLOB_VERSION } from '../core/run-blob.ts'
import { amount, count, json, jsonObject, list, MOST_ITEMS, name, percent, storedRun, words } from './run-schema.ts'

/** Cases of one document. */
const MOST_CASES = 1_000_000

const time = z.iso.datetime({ offset: true })
const positive = z.int().min(1)
const sha = z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i, 'expected the sha of a commit')

const storedCase = z.object({
  key: name,
  id: name,
  suite: name,
  location: z.object({ file: name, line: positive }),
  fingerprint: name,
  target: name,
  requestedModel: name.exactOptional(),
  gate: z
    .object({
      minPassRate: percent.exactOptional(),
      thresholdMode: z.enum(THRESHOLD_MODES).exactOptional(),
      critical: z.boolean().exactOptional(),
    })
    .exactOptional(),
  input: json,
  summary: words,
  skip: words.exactOptional(),
  skippedRuns: count,
  unchanged: words.exactOptional(),
  runs: list(storedRun),
})

const identity = z.object({
  user: words,
  team: words,
  locale: words,
  referer: words,
  accept: words,
  client: z.object({ type: words, user_agent: words, ip: words }),
  authorized: jsonObject,
  chatId: words.exactOptional(),
  metadata: jsonObject,
})

const counts = z.object({ passed: count, failed: count })

const controlState = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('off') }),
  z.object({ kind: z.literal('not_needed') }),
  z.object({ kind: z.literal('unavailable'), reason: words }),
  z.object({
    kind: z.literal('run'),
    commit: name,
    runs: count,
    erroredRuns: count,
    durationMs: amount,
    missing: list(z.object({ key: name, reason: words })),
  }),
])

const origin = z.object({
  runId: positive,
  attempt: positive,
  job: name.exactOptional(),
  leg: name.exactOptional(),
  headSha: sha.exactOptional(),
  eventName: name,
  prNumber: positive.exactOptional(),
})

/** The document of a blob; see RunBlob. */
export const storedBlob = z.object({
  schemaVersion: z.literal(BLOB_VERSION),
  version: name,
  startedAt: time,
  finishedAt: time,
  durationMs: amount,
  inputs: list(words),
  targets: list(name),
  connector: name.exactOptional(),
  identity,
  runsPerCase: positive,
  maxRuns: positive,
  manifest: z.string().regex(/^[0-9a-f]{64}$/, 'expected a hash'),
  shard: z
    .object({
      index: positive,
      count: positive.max(MOST_ITEMS),
      places: z.array(count).max(MOST_CASES),
      of: count.max(MOST_CASES),
    })
    .exactOptional(),
  workflow: origin.exactOptional(),
  plannedRuns: count,
  interrupted: z.boolean(),
  stoppedBy: z.object({ limit: z.enum(['cost', 'tokens', 'duration']), allowed: amount, used: amount }).exactOptional(),
  spending: z.object({ tokens: amount, costUsd: amount, unpricedRuns: count, unmeteredRuns: count }),
  warnings: list(words),
  approvals: z.record(z.string(), list(words)),
  controls: z.object({
    suite: z.record(z.string(), counts),
    cases: z.record(z.string(), counts),
    state: controlState,
  }),
  cases: z.array(storedCase).max(MOST_CASES),
})

export type StoredBlob = z.infer<typeof storedBlob>
export type StoredCase = StoredBlob['cases'][number]
