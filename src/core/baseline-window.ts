import type { Baseline, BaselineCase, BaselineRun, Session } from './baseline.ts'
import { YOUNG_BELOW } from './statistics/gate-settings.ts'

/** Runs of a case that are kept, and for how long. Source: spec verdict 6. */
export const MOST_RUNS = 50
const MOST_AGE_MS = 30 * 24 * 60 * 60 * 1000
/** In all: a huge suite keeps fewer runs of each case, so that a document can be read again. */
const MOST_RECORDS = 250_000
const MOST_STEPS = 250_000
const MOST_APPROVALS = 250_000

/** A session that is that old by `now` no longer counts; a time that cannot be read is not old. */
export function isOutdated({ createdAt }: Pick<Session, 'createdAt'>, now: number): boolean {
  return now - Date.parse(createdAt) > MOST_AGE_MS
}

type Window = Pick<Baseline, 'sessions' | 'cases'>

/** Drops what is too old by `now`, and of each case all but its newest runs. */
export function cutWindow(window: Window, now: number): Window {
  const fresh = withOrder(
    window,
    window.sessions.filter((session) => !isOutdated(session, now)),
  )
  const most = Math.max(YOUNG_BELOW, Math.min(MOST_RUNS, Math.floor(MOST_RECORDS / Math.max(1, fresh.cases.length))))
  const cases = fresh.cases.map((item) =>
    item.runs.length > most ? { ...item, runs: item.runs.slice(item.runs.length - most) } : item,
  )
  return withoutEmpty({ sessions: fresh.sessions, cases: withinBounds(cases) })
}

/** What was learnt of the first cases, up to what a document may hold of it. */
function withinBounds(cases: readonly BaselineCase[]): BaselineCase[] {
  let [steps, approvals] = [MOST_STEPS, MOST_APPROVALS]
  return cases.map((item) => {
    const { steps: ownSteps = [], approvals: ownApprovals = [], ...rest } = item
    steps -= ownSteps.length
    approvals -= ownApprovals.length
    if (steps >= 0 && approvals >= 0) return item
    return {
      ...rest,
      ...(steps >= 0 && ownSteps.length > 0 ? { steps: ownSteps } : {}),
      ...(approvals >= 0 && ownApprovals.length > 0 ? { approvals: ownApprovals } : {}),
    }
  })
}

/** The baseline as if these sessions had not been. */
export function withoutSessions(baseline: Baseline, isLeftOut: (session: Session) => boolean): Baseline {
  const kept = baseline.sessions.filter((session) => !isLeftOut(session))
  if (kept.length === baseline.sessions.length) return baseline
  const { sessions, cases } = withOrder(baseline, kept)
  return ofNewest({ sessions, cases: cases.filter(({ runs }) => runs.length > 0) })
}

/** The same sessions in another order, oldest first. */
export function orderSessions(baseline: Baseline, compare: (left: Session, right: Session) => number): Baseline {
  return ofNewest(withOrder(baseline, [...baseline.sessions].sort(compare)))
}

/**
 * One baseline of several, each session once: runs that ended side by side do not know of each other. What a case has
 * learnt comes from the newest of them that knows it.
 */
export function uniteBaselines(baselines: readonly Baseline[]): Baseline {
  const [first, ...rest] = [...baselines].sort(byTime)
  if (!first) throw new Error('there is no baseline to unite')
  return rest.reduce(uniteTwo, first)
}

function byTime(left: Pick<Session, 'createdAt'>, right: Pick<Session, 'createdAt'>): number {
  return Date.parse(left.createdAt) - Date.parse(right.createdAt)
}

function uniteTwo(older: Baseline, newer: Baseline): Baseline {
  const all = [...new Map([...newer.sessions, ...older.sessions].map((one) => [one.id, one])).values()]
  const sessions = all
    .filter((session) => !all.some((other) => isSuperseded(session, other)))
    .sort((left, right) => byTime(left, right) || (left.id < right.id ? -1 : 1))
  const places = new Map(sessions.map(({ id }, place) => [id, place]))
  const cases = new Map<string, BaselineCase>()
  for (const { sessions: own, cases: found } of [newer, older]) {
    const placeOf = own.map(({ id }) => places.get(id))
    for (const item of found) {
      const moved = { ...item, runs: movedRuns(item.runs, placeOf) }
      const known = cases.get(item.key)
      cases.set(item.key, known ? uniteCases(known, moved) : moved)
    }
  }
  return ofNewest({ sessions, cases: [...cases.values()] })
}

/** A later attempt of the same workflow run counts what the earlier one has judged: both would count it twice. */
export function isSuperseded(session: Session, later: Session): boolean {
  const { runId, attempt = 1 } = session
  if (runId === undefined || later.runId !== runId || (later.attempt ?? 1) <= attempt) return false
  return ofAnyAttempt(session) === ofAnyAttempt(later)
}

function ofAnyAttempt({ id, runId, attempt = 1 }: Session): string {
  const start = `${runId}.${attempt}`
  return id.startsWith(start) ? id.slice(start.length) : id
}

function uniteCases(newer: BaselineCase, older: BaselineCase): BaselineCase {
  const bySession = new Map<number, BaselineRun[]>()
  for (const { runs, target } of [newer, older]) {
    for (const [session, own] of sessionsIn(runs, target)) {
      // A window may have been cut in the middle of a session: the longer part knows more.
      if (own.length > (bySession.get(session)?.length ?? 0)) bySession.set(session, own)
    }
  }
  const runs = [...bySession].sort(([left], [right]) => left - right).flatMap(([, own]) => own)
  const isSame = newer.runs.at(-1)?.fingerprint === older.runs.at(-1)?.fingerprint
  const target = runs.at(-1)?.target ?? newer.target
  // Every run names its target here.
  return withTarget({ ...(isSame ? older : {}), ...newer, runs, target: '' }, target)
}

function sessionsIn(runs: readonly BaselineRun[], target: string): Map<number, BaselineRun[]> {
  const found = new Map<number, BaselineRun[]>()
  for (const run of runs) {
    const own = found.get(run.session) ?? []
    if (own.length === 0) found.set(run.session, own)
    own.push(run.target === undefined ? { ...run, target } : run)
  }
  return found
}

/** Names the target at a run only where it is not the case's. */
export function withTarget(item: BaselineCase, target: string): BaselineCase {
  if (item.target === target) return item
  const runs = item.runs.map(({ target: own = item.target, ...run }): BaselineRun => {
    return own === target ? run : { ...run, target: own }
  })
  return { ...item, target, runs }
}

/** `sessions` in place of the window's own, from which they come; runs of others are dropped. */
function withOrder({ sessions: own, cases }: Window, sessions: readonly Session[]): Window {
  if (own.length === sessions.length && own.every((session, place) => session === sessions[place])) {
    return { sessions: own, cases }
  }
  const places = new Map(sessions.map(({ id }, place) => [id, place]))
  const placeOf = own.map(({ id }) => places.get(id))
  return { sessions: [...sessions], cases: cases.map((item) => ({ ...item, runs: movedRuns(item.runs, placeOf) })) }
}

/** Runs in their order, with the new places of their sessions; what has none is dropped. */
function movedRuns(runs: readonly BaselineRun[], placeOf: readonly (number | undefined)[]): BaselineRun[] {
  const moved: BaselineRun[] = []
  for (const run of runs) {
    const session = placeOf[run.session]
    if (session !== undefined) moved.push(session === run.session ? run : { ...run, session })
  }
  return moved.sort((left, right) => left.session - right.session)
}

function withoutEmpty({ sessions, cases }: Window): Window {
  const used = new Set<number>()
  for (const { runs } of cases) for (const { session } of runs) used.add(session)
  const known = cases.filter(({ runs }) => runs.length > 0)
  if (used.size === sessions.length) return { sessions, cases: known }
  return withOrder(
    { sessions, cases: known },
    sessions.filter((_, place) => used.has(place)),
  )
}

/** A document whose own time and origin are those of its newest session. */
function ofNewest({ sessions, cases }: Window): Baseline {
  const { createdAt = NEVER, commit, branch, runId } = sessions.at(-1) ?? {}
  return {
    schemaVersion: 2,
    createdAt,
    ...(commit === undefined ? {} : { commit }),
    ...(branch === undefined ? {} : { branch }),
    ...(runId === undefined ? {} : { runId }),
    sessions: [...sessions],
    cases: [...cases],
  }
}

/** Of a baseline without a session. */
const NEVER = new Date(0).toISOString()
