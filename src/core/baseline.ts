import { z } from 'zod'
import type { CaseReport } from './case-report.ts'
import { UserError } from './errors.ts'
import type { RunRecord } from './result.ts'

const BASELINE_VERSION = 1

const runRecord = z.object({
  status: z.enum(['passed', 'failed', 'errored']),
  durationMs: z.number().min(0),
})

const baselineCase = z.object({
  key: z.string(),
  /** Hash of the case's definition: another fingerprint cannot be compared. */
  fingerprint: z.string(),
  /** Label of the target that was tested. */
  target: z.string(),
  runs: z.array(runRecord),
  /** Operations that had leave in passed runs; see `operationOf`. */
  approvals: z.array(z.string()).optional(),
})

/** Results of an earlier run of the base branch, one record per run, so that later judges can pool them. */
const baseline = z.object({
  schemaVersion: z.literal(BASELINE_VERSION),
  /** RFC 3339. */
  createdAt: z.string(),
  /** Commit that was tested; absent outside of git. */
  commit: z.string().optional(),
  branch: z.string().optional(),
  /** Workflow run that made it. */
  runId: z.number().optional(),
  cases: z.array(baselineCase),
})

export type Baseline = z.infer<typeof baseline>
export type BaselineCase = z.infer<typeof baselineCase>

/** Where and when the results came from. */
export type BaselineOrigin = Pick<Baseline, 'commit' | 'branch' | 'runId'>

/** Reads a baseline document; a newer version or another shape is an error that names `source`. */
export function parseBaseline(text: string, source: string): Baseline {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw unreadable(source, `not JSON: ${cause instanceof Error ? cause.message : String(cause)}`, cause)
  }
  const version =
    typeof value === 'object' && value !== null && 'schemaVersion' in value ? value.schemaVersion : undefined
  if (typeof version === 'number' && version > BASELINE_VERSION) {
    throw unreadable(
      source,
      `schemaVersion ${version} is newer than this agent-test reads (${BASELINE_VERSION}); update agent-test`,
    )
  }
  const parsed = baseline.safeParse(value)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw unreadable(source, `${issue?.path.join('.') || 'document'}: ${issue?.message ?? 'wrong shape'}`, parsed.error)
}

function unreadable(source: string, detail: string, cause?: unknown): UserError {
  return new UserError(`${source}: ${detail}`, {
    code: 'INVALID_BASELINE',
    problems: [{ file: source, message: `not a baseline: ${detail}` }],
    cause,
  })
}

/** Operations that had leave, by the key of their case. */
export type Approvals = ReadonlyMap<string, ReadonlySet<string>>

/** What may be learned from a baseline: a saved one is of the base branch. */
export function learnedFrom(loaded: LoadedBaseline | undefined): Approvals {
  const cases = loaded?.kind === 'ok' ? loaded.baseline.cases : []
  return new Map(cases.flatMap(({ key, approvals }) => (approvals ? [[key, new Set(approvals)] as const] : [])))
}

/** The results of this run as the baseline of later ones. */
export function toBaseline(
  cases: readonly CaseReport[],
  createdAt: string,
  origin: BaselineOrigin,
  approvals: Approvals = new Map(),
): Baseline {
  return {
    schemaVersion: BASELINE_VERSION,
    createdAt,
    ...origin,
    cases: cases
      .filter((item) => item.runs.length > 0)
      .map(({ key, fingerprint, target, runs }) => {
        const approved = [...(approvals.get(key) ?? [])].sort()
        const learnt = approved.length === 0 ? {} : { approvals: approved }
        return { key, fingerprint, target, runs: runs.map(toRunRecord), ...learnt }
      }),
  }
}

function toRunRecord({ status, durationMs }: RunRecord): BaselineCase['runs'][number] {
  return { status, durationMs: Math.round(durationMs) }
}

/** What a store found. `source` is a phrase such as "artifact of run 812 on main". */
export type LoadedBaseline =
  | { readonly kind: 'ok'; readonly baseline: Baseline; readonly source: string }
  | { readonly kind: 'none' | 'expired' | 'unreadable'; readonly detail: string }

/** What the report says of the baseline; only `ok` is compared with. */
export type BaselineState =
  | { readonly kind: 'off' }
  | LoadedBaseline
  | { readonly kind: 'not_comparable' | 'self' | 'too_thin'; readonly detail: string }

/** Decides whether a loaded baseline can be compared with. */
export function assessBaseline(
  loaded: LoadedBaseline,
  { cases, commit }: { cases: readonly CaseReport[]; commit?: string | undefined },
): BaselineState {
  if (loaded.kind !== 'ok') return loaded
  const { baseline: found, source } = loaded
  if (commit !== undefined && found.commit === commit) {
    return { kind: 'self', detail: `${source} was made from this very commit ${commit.slice(0, 7)}` }
  }
  const current = new Map(cases.map((item) => [item.key, item]))
  const shared = found.cases.filter((item) => current.has(item.key))
  const sameTarget = shared.filter((item) => item.target === current.get(item.key)?.target)
  if (sameTarget.length === 0) {
    const why =
      shared.length === 0 ? 'it has none of these cases' : `it tested another target (${shared[0]?.target ?? ''})`
    return { kind: 'not_comparable', detail: `${source}: ${why}` }
  }
  if (!sameTarget.some((item) => item.runs.some((run) => run.status !== 'errored'))) {
    return { kind: 'too_thin', detail: `${source}: every run in it errored` }
  }
  return loaded
}

/** One sentence per state, the same on every surface. */
export function describeBaseline(state: BaselineState): string {
  switch (state.kind) {
    case 'off':
      return 'Not compared: no baseline was asked for.'
    case 'ok': {
      const commit = state.baseline.commit === undefined ? '' : ` at ${state.baseline.commit.slice(0, 7)}`
      return `Compared with ${state.source}${commit}.`
    }
    case 'none':
      return `No baseline yet: ${state.detail}.`
    case 'expired':
      return `The baseline has expired: ${state.detail}.`
    case 'unreadable':
      return `The baseline could not be read: ${state.detail}.`
    case 'not_comparable':
      return `The baseline cannot be compared: ${state.detail}.`
    case 'self':
      return `Not compared with itself: ${state.detail}.`
    case 'too_thin':
      return `The baseline is too thin: ${state.detail}.`
  }
}
