import {
  type Approvals,
  BASELINE_VERSION,
  type Baseline,
  type BaselineCase,
  type BaselineOrigin,
  type BaselineRun,
  type Session,
} from './baseline.ts'
import { cutWindow, isSuperseded, withoutSessions, withTarget } from './baseline-window.ts'
import type { CaseReport } from './case-report.ts'
import { type RunRecord, stageOf } from './result.ts'

/** What a session adds to the window, besides its cases. */
export interface Addition {
  /** Runs of each case in the first stage: re-runs are of cases that looked bad, and would make them look worse. */
  readonly runsPerCase: number
  readonly approvals?: Approvals
  /** Hashes of accepted changes by the key of their case: see `WindowRestart`. */
  readonly accepted?: Readonly<Record<string, string>>
  /** The window so far. */
  readonly earlier?: Baseline | undefined
}

const MOST_CHECKS = 20
const MOST_NAME_LENGTH = 200
/** As many as one run may teach. */
const MOST_APPROVALS = 500

/**
 * The window with this session's first-stage runs at its end. Cases that are not in `cases` are gone from the base
 * branch; of those that were not run the earlier runs stay.
 */
export function toBaseline(
  cases: readonly CaseReport[],
  createdAt: string,
  origin: BaselineOrigin,
  { runsPerCase, approvals = new Map(), accepted = {}, earlier: given }: Addition,
): Baseline {
  const { commit, branch, runId } = origin
  const own: Session = {
    ...origin,
    id: unusedId(origin.id, given),
    createdAt,
    ...(Object.keys(accepted).length === 0 ? {} : { accepted }),
  }
  const earlier = given && withoutSessions(given, (session) => isSuperseded(session, own))
  const sessions = [...(earlier?.sessions ?? []), own]
  const known = new Map(earlier?.cases.map((item) => [item.key, item]))
  const all = cases.map((item): BaselineCase => {
    const runs = item.runs.filter((run) => stageOf(run, runsPerCase) === 'first')
    const { fingerprint, requestedModel } = item
    const place = {
      session: sessions.length - 1,
      fingerprint,
      ...(requestedModel === undefined ? {} : { requestedModel }),
    }
    const records = runs.map((run) => toRunRecord(run, place))
    return withLearnt(item, runs, { records, earlier: known.get(item.key), approved: approvals.get(item.key) })
  })
  return {
    schemaVersion: BASELINE_VERSION,
    createdAt,
    ...(commit === undefined ? {} : { commit }),
    ...(branch === undefined ? {} : { branch }),
    ...(runId === undefined ? {} : { runId }),
    ...cutWindow({ sessions, cases: all }, Date.parse(createdAt)),
  }
}

/** Two runs of one step may add to the same file. */
function unusedId(id: string, earlier: Baseline | undefined): string {
  const taken = new Set(earlier?.sessions.map((session) => session.id))
  let free = id
  for (let number = 2; taken.has(free); number += 1) free = `${id}#${number}`
  return free
}

function toRunRecord(
  run: RunRecord,
  place: Pick<BaselineRun, 'session' | 'fingerprint' | 'requestedModel'>,
): BaselineRun {
  const { status, durationMs, usage, turns, answeredModel } = run
  return {
    ...place,
    status,
    durationMs: Math.round(durationMs),
    ...(usage === undefined ? {} : { inputTokens: usage.inputTokens, outputTokens: usage.outputTokens }),
    ...(usage?.costUsd === undefined ? {} : { costUsd: usage.costUsd }),
    ...(turns === undefined ? {} : { turns }),
    ...scoresOf(run),
    ...failedChecksOf(run),
    ...(answeredModel === undefined ? {} : { answeredModel }),
  }
}

function scoresOf({ evaluations }: RunRecord): Pick<BaselineRun, 'scores'> | undefined {
  const scores = evaluations?.flatMap((found) =>
    found.status === 'scored' ? [[found.evaluator, found.score] as const] : [],
  )
  return scores && scores.length > 0 ? { scores: Object.fromEntries(scores) } : undefined
}

function failedChecksOf(run: RunRecord): Pick<BaselineRun, 'failedChecks'> | undefined {
  if (run.status !== 'failed') return undefined
  const names = run.checks.flatMap(({ name, passed }) => (passed ? [] : [name.slice(0, MOST_NAME_LENGTH)]))
  return names.length === 0 ? undefined : { failedChecks: [...new Set(names)].slice(0, MOST_CHECKS) }
}

interface Learnt {
  readonly records: readonly BaselineRun[]
  readonly earlier: BaselineCase | undefined
  readonly approved: ReadonlySet<string> | undefined
}

/** The case with its earlier runs; what these have taught stays as long as it is the same question. */
function withLearnt(
  { key, target, fingerprint }: CaseReport,
  runs: readonly RunRecord[],
  { records, earlier, approved = new Set() }: Learnt,
): BaselineCase {
  const before = earlier && withTarget(earlier, records.length > 0 ? target : earlier.target)
  const isSame = before?.runs.at(-1)?.fingerprint === fingerprint && earlier?.target === target
  const kept = isSame || records.length === 0 ? before : undefined
  const passing = runs.findLast((run) => run.status === 'passed' && run.steps !== undefined)
  const steps = passing?.steps?.map(({ tool, parameters }) => ({ tool, parameters })) ?? kept?.steps
  const approvals = [...new Set([...approved, ...(kept?.approvals ?? [])])].slice(0, MOST_APPROVALS).sort()
  return {
    key,
    target: before?.target ?? target,
    runs: [...(before?.runs ?? []), ...records],
    ...(steps === undefined ? {} : { steps }),
    ...(approvals.length === 0 ? {} : { approvals }),
  }
}
