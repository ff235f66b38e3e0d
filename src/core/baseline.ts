import { z } from 'zod'
import { withoutSessions } from './baseline-window.ts'
import type { CaseReport } from './case-report.ts'
import { samePlace } from './target-label.ts'

export const BASELINE_VERSION = 2

const commit = z.string().regex(/^[0-9a-f]{1,64}$/i, 'expected the hash of a commit')
/** RFC 3339: a time of `Date.parse` may be followed by anything in brackets. */
const TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))?$/
const time = z.string().refine((text) => TIME.test(text) && !Number.isNaN(Date.parse(text)), 'expected a time')
const count = z.number().int().min(0)

/** A list whose length is looked at before what is in it: each wrong entry of a poisoned one would be a problem. */
function list<S extends z.ZodType>(entry: S, most: number) {
  const short = z.custom<unknown[]>((value) => Array.isArray(value) && value.length <= most, {
    error: `expected a list of at most ${most}`,
  })
  return short.pipe(z.array(entry))
}

/** The same for what is found by name. */
function byName<S extends z.ZodType>(entry: S, most: number) {
  const isSmall = (value: unknown): boolean =>
    typeof value === 'object' && value !== null && Object.keys(value).length <= most
  const small = z.custom<Record<string, unknown>>(isSmall, { error: `expected at most ${most} by name` })
  return small.pipe(z.record(z.string(), entry))
}

/** One run of the base branch's first stage: what pull requests are compared with. */
const baselineRun = z.object({
  /** Place of its session in `sessions`. */
  session: count,
  status: z.enum(['passed', 'failed', 'errored']),
  durationMs: z.number().min(0),
  /** Hash of the case's definition, its judges and the judgement version. */
  fingerprint: z.string(),
  /** Label of the target, where that was another one than the case has now. */
  target: z.string().optional(),
  inputTokens: count.optional(),
  outputTokens: count.optional(),
  /** Absent where the price is not known. */
  costUsd: z.number().min(0).optional(),
  /** Rounds of the agent: its answers that were followed by more. */
  turns: count.optional(),
  /** By evaluator, 0..100. */
  scores: byName(z.number(), 1_000).optional(),
  /** Names of what did not hold. */
  failedChecks: list(z.string(), 1_000).optional(),
  /** Model that was asked for, and the one that answered. */
  requestedModel: z.string().optional(),
  answeredModel: z.string().optional(),
})

const step = z.object({ tool: z.string(), parameters: z.string() })

const approvals = list(z.string(), 10_000).optional()

export const baselineCase = z.object({
  key: z.string(),
  /** Label of the target that was tested last. */
  target: z.string(),
  /** By session, oldest first. */
  runs: list(baselineRun, 10_000),
  /** Tool calls of the newest passing run. */
  steps: list(step, 1_000).optional(),
  /** Operations that had leave in passed runs; see `operationOf`. */
  approvals,
})

/** Where results came from. */
const origin = {
  /** Commit that was tested; absent outside of git. */
  commit: commit.optional(),
  branch: z.string().optional(),
  /** Workflow run that made it. */
  runId: count.optional(),
}

/** One run of the workflow, or of the command line, on the base branch. */
const session = z.object({
  /** The same for no two: sessions of several artifacts are united by it. */
  id: z.string().min(1),
  /** RFC 3339. */
  createdAt: time,
  ...origin,
  attempt: count.optional(),
  /** Cases whose change was accepted by then, each with the hash of its acceptance: see `WindowRestart`. */
  accepted: byName(z.string(), 200_000).optional(),
})

/** The rolling window of the base branch: its last sessions, one record per run, so that later judges can pool them. */
const baseline = z.object({
  schemaVersion: z.literal(BASELINE_VERSION),
  /** Of the session that was added last, as is the origin; RFC 3339. */
  createdAt: time,
  ...origin,
  /** Oldest first. */
  sessions: list(session, 2_000),
  cases: z.array(baselineCase),
})

/** Read apart from its cases, which are then read one by one. */
export const baselineHead = baseline.extend({ cases: z.array(z.unknown()) })

/** Version 1: one session, and the fingerprint of a case once for all of its runs. */
export const firstHead = z.object({
  schemaVersion: z.literal(1),
  createdAt: time,
  ...origin,
  cases: z.array(z.unknown()),
})

export const firstCase = z.object({
  key: z.string(),
  fingerprint: z.string(),
  target: z.string(),
  runs: list(baselineRun.pick({ status: true, durationMs: true }), 10_000),
  approvals,
})

export type Baseline = z.infer<typeof baseline>
export type BaselineCase = z.infer<typeof baselineCase>
export type BaselineRun = z.infer<typeof baselineRun>
export type Session = z.infer<typeof session>

/** Where results came from; `id` is the session's, the same for no other. */
export type BaselineOrigin = Pick<Session, 'id' | 'commit' | 'branch' | 'runId' | 'attempt'>

/** Operations that had leave, by the key of their case. */
export type Approvals = ReadonlyMap<string, ReadonlySet<string>>

/** What may be learned from a baseline: a saved one is of the base branch. */
export function learnedFrom(loaded: LoadedBaseline | undefined): Approvals {
  const cases = loaded?.kind === 'ok' ? loaded.baseline.cases : []
  return new Map(cases.flatMap(({ key, approvals }) => (approvals ? [[key, new Set(approvals)] as const] : [])))
}

/** What a store found. `source` is a phrase such as "run 812 on main (merge base, 3 h old)". */
export type LoadedBaseline =
  | {
      readonly kind: 'ok'
      readonly baseline: Baseline
      readonly source: string
      /** Clauses on what could not be had of the window, such as "the artifact of run 811 on main has expired". */
      readonly missing?: readonly string[]
    }
  | { readonly kind: 'none' | 'expired' | 'unreadable'; readonly detail: string }

/** What the report says of the baseline; only `ok` is compared with. */
export type BaselineState =
  | { readonly kind: 'off' }
  | LoadedBaseline
  | { readonly kind: 'not_comparable' | 'self' | 'too_thin'; readonly detail: string }

/**
 * Decides whether a loaded baseline can be compared with. Sessions of the tested commit itself are left out: a commit
 * is not compared with itself.
 */
export function assessBaseline(
  loaded: LoadedBaseline,
  { cases, commit: own }: { cases: readonly CaseReport[]; commit?: string | undefined },
): BaselineState {
  if (loaded.kind !== 'ok') return loaded
  const { source } = loaded
  const found = own === undefined ? loaded.baseline : withoutSessions(loaded.baseline, ({ commit: at }) => at === own)
  if (own !== undefined && found.sessions.length === 0 && loaded.baseline.sessions.length > 0) {
    return { kind: 'self', detail: `${source} was made from this very commit ${own.slice(0, 7)}` }
  }
  const current = new Map(cases.map((item) => [item.key, item]))
  const shared = found.cases.filter((item) => current.has(item.key))
  const sameTarget = shared.filter((item) => {
    const now = current.get(item.key)
    return now !== undefined && samePlace({ ...item.runs.at(-1), target: item.target }, now)
  })
  if (sameTarget.length === 0) {
    const why =
      shared.length === 0 ? 'it has none of these cases' : `it tested another target (${shared[0]?.target ?? ''})`
    return { kind: 'not_comparable', detail: `${source}: ${why}` }
  }
  if (!sameTarget.some((item) => item.runs.some((run) => run.status !== 'errored'))) {
    return { kind: 'too_thin', detail: `${source}: every run in it errored` }
  }
  return { ...loaded, baseline: found }
}

/** One sentence per state, the same on every surface. */
export function describeBaseline(state: BaselineState): string {
  switch (state.kind) {
    case 'off':
      return 'Not compared: no baseline was asked for.'
    case 'ok': {
      const { baseline, source } = state
      const at = baseline.commit === undefined ? '' : ` at ${baseline.commit.slice(0, 7)}`
      return `Compared with ${source}${at}: ${describeWindow(baseline)}.`
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

function describeWindow({ createdAt, sessions, cases }: Baseline): string {
  const runs = cases.map((item) => item.runs.length).sort((left, right) => left - right)
  const median = runs[Math.floor(runs.length / 2)] ?? 0
  return `${counted(sessions.length, 'session')} until ${createdAt.slice(0, 10)}, ${counted(median, 'run')} a case`
}

function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
