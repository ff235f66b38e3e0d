import type { BudgetStop, Spending } from '../core/budget.ts'
import type { CaseReport } from '../core/case-report.ts'
import type { Identity } from '../core/identity.ts'
import {
  BLOB_VERSION,
  type BlobCase,
  type BlobOrigin,
  type Controls,
  type RunBlob,
  type Shard,
} from '../core/run-blob.ts'
import { measure } from '../core/stability.ts'
import { VERSION } from '../version.ts'

/** What a job gathered, in the shape that its judges take. */
export interface GatheredRuns {
  readonly cases: readonly CaseReport[]
  readonly controls: Controls
  readonly approvals: ReadonlyMap<string, ReadonlySet<string>>
  readonly spending: Spending
  readonly stoppedBy?: BudgetStop
  readonly interrupted: boolean
  readonly startedAtMs: number
  /** How long it took, where that is not until now. */
  readonly durationMs?: number
  readonly inputs: readonly string[]
  readonly targets: readonly string[]
  readonly connector?: string
  readonly identity: Identity
  readonly runsPerCase: number
  readonly maxRuns: number
  readonly plannedRuns: number
  readonly warnings: readonly string[]
}

interface BlobParts {
  readonly manifest: string
  readonly finishedAtMs: number
  readonly shard?: Shard
  readonly workflow?: BlobOrigin
}

/** Everything gathered as the document that others go on from. The reports are kept as they are. */
export function blobOf(gathered: GatheredRuns, parts: BlobParts): RunBlob {
  const { startedAtMs, approvals, cases } = gathered
  const { finishedAtMs, shard, workflow } = parts
  const known = cases.map(({ key }) => [key, approvals.get(key)] as const)
  return {
    schemaVersion: BLOB_VERSION,
    version: VERSION,
    startedAt: new Date(startedAtMs).toISOString(),
    finishedAt: new Date(finishedAtMs).toISOString(),
    durationMs: Math.max(0, finishedAtMs - startedAtMs),
    inputs: gathered.inputs,
    targets: gathered.targets,
    ...(gathered.connector === undefined ? {} : { connector: gathered.connector }),
    identity: gathered.identity,
    runsPerCase: gathered.runsPerCase,
    maxRuns: gathered.maxRuns,
    manifest: parts.manifest,
    ...(shard === undefined ? {} : { shard }),
    ...(workflow === undefined ? {} : { workflow }),
    plannedRuns: gathered.plannedRuns,
    interrupted: gathered.interrupted,
    ...(gathered.stoppedBy === undefined ? {} : { stoppedBy: gathered.stoppedBy }),
    spending: gathered.spending,
    warnings: gathered.warnings,
    approvals: Object.fromEntries(known.flatMap(([key, had]) => (had && had.size > 0 ? [[key, [...had].sort()]] : []))),
    controls: gathered.controls,
    cases,
  }
}

/** The same, the other way round. */
export function gatheredFrom(blob: RunBlob): GatheredRuns {
  const { connector, stoppedBy } = blob
  return {
    cases: caseReportsOf(blob),
    controls: blob.controls,
    approvals: new Map(Object.entries(blob.approvals).map(([key, had]) => [key, new Set(had)] as const)),
    spending: blob.spending,
    ...(stoppedBy === undefined ? {} : { stoppedBy }),
    interrupted: blob.interrupted,
    startedAtMs: Date.parse(blob.startedAt),
    durationMs: blob.durationMs,
    inputs: blob.inputs,
    targets: blob.targets,
    ...(connector === undefined ? {} : { connector }),
    identity: blob.identity,
    runsPerCase: blob.runsPerCase,
    maxRuns: blob.maxRuns,
    plannedRuns: blob.plannedRuns,
    warnings: blob.warnings,
  }
}

/** The cases with their stabilities, which are computed and never taken from a document. */
function caseReportsOf({ cases }: Pick<RunBlob, 'cases'>): CaseReport[] {
  return cases.map(reportOf)
}

function reportOf(item: BlobCase): CaseReport {
  const { requestedModel, gate, skip, unchanged, runs } = item
  return {
    key: item.key,
    id: item.id,
    suite: item.suite,
    location: item.location,
    fingerprint: item.fingerprint,
    target: item.target,
    ...(requestedModel === undefined ? {} : { requestedModel }),
    ...(gate === undefined ? {} : { gate }),
    input: item.input,
    summary: item.summary,
    ...(skip === undefined ? {} : { skip }),
    stability: measure(runs),
    skippedRuns: item.skippedRuns,
    ...(unchanged === undefined ? {} : { unchanged }),
    runs,
  }
}
