import type { Baseline, BaselineCase, BaselineRun, Session } from './baseline.ts'
import { isOutdated, MOST_RUNS } from './baseline-window.ts'
import type { CasePool, Pools, TrendPoint, WindowRestart } from './history.ts'
import { type Counts, runsOf } from './statistics/counts.ts'
import { YOUNG_BELOW } from './statistics/gate-settings.ts'
import { hasLevelChanged } from './statistics/level-change.ts'
import { samePlace } from './target-label.ts'

/** What a case is here: a `CaseReport`, or less. */
export interface PooledCase {
  readonly key: string
  readonly fingerprint: string
  readonly target: string
  readonly requestedModel?: string | undefined
  readonly runs: readonly { readonly answeredModel?: string | undefined }[]
}

/** The newest runs whose rate is set against that of the older ones. */
const LEVEL_RUNS = 10
const TREND_SESSIONS = 20

/**
 * What each case can be compared with: its runs on the base branch of the last 30 days, 50 at most, back to where
 * something changed that makes older ones another population. Source: spec verdict 6.
 *
 * On the base branch a window restarts with another definition, target, requested or answered model, with an
 * acceptance, and where the rate moved. Between base branch and here the requested model may differ, though that source
 * would cut there too: then no change of a model could ever be judged. But the same requested model that is answered by
 * another one than on the base branch is the provider's doing: `redefined`.
 */
export function poolsOf(
  { sessions, cases: known }: Pick<Baseline, 'sessions' | 'cases'>,
  cases: readonly PooledCase[],
  now: number,
): Pools {
  const byKey = new Map(known.map((item) => [item.key, item]))
  const fresh = sessions.map((session) => !isOutdated(session, now))
  return new Map(cases.map((item) => [item.key, poolOf(byKey.get(item.key), item, { sessions, fresh })]))
}

interface History {
  readonly sessions: readonly Session[]
  /** By place of the session: whether it still counts. */
  readonly fresh: readonly boolean[]
}

const EMPTY = { runs: [], counts: { passed: 0, failed: 0 }, sessions: [] } as const

function poolOf(found: BaselineCase | undefined, item: PooledCase, { sessions, fresh }: History): CasePool {
  const { key } = item
  if (!found) return { key, state: 'new', ...EMPTY, trend: [] }
  const all = groupsOf(found)
  const trend = trendOf(all, sessions)
  const groups = newestRuns(all.filter(({ session }) => fresh[session] === true))
  const newest = groups.at(-1)
  if (!newest) return { key, state: 'young', ...EMPTY, trend }
  const { kept, restarted } = sinceRestart(groups, sessions)
  const other = redefinition(newest, kept, item)
  if (other !== undefined) return { key, state: 'redefined', ...EMPTY, trend, restarted: other }
  const { runs, isCut } = sinceLevelChange(kept.flatMap((group) => group.runs))
  const counts = countsOf(runs)
  const places = new Set(runs.map(({ session }) => session))
  const why = isCut ? 'level' : restarted
  return {
    key,
    state: runsOf(counts) < YOUNG_BELOW ? 'young' : 'ok',
    runs,
    counts,
    sessions: sessions.filter((_, place) => places.has(place)),
    trend,
    ...(why === undefined ? {} : { restarted: why }),
    ...(found.steps === undefined ? {} : { steps: found.steps }),
  }
}

/** The runs of a case in one session. */
interface Group {
  readonly session: number
  readonly key: string
  readonly target: string
  readonly runs: readonly BaselineRun[]
}

/** Oldest first. */
function groupsOf({ key, target, runs }: BaselineCase): Group[] {
  const groups: (Group & { readonly runs: BaselineRun[] })[] = []
  for (const run of runs) {
    const last = groups.at(-1)
    if (last?.session === run.session) last.runs.push(run)
    else groups.push({ session: run.session, key, target: run.target ?? target, runs: [run] })
  }
  return groups
}

function newestRuns(groups: readonly Group[]): Group[] {
  let room = MOST_RUNS
  const kept: Group[] = []
  for (const group of groups.toReversed()) {
    if (room <= 0) break
    kept.unshift({ ...group, runs: group.runs.slice(-room) })
    room -= group.runs.length
  }
  return kept
}

/** The groups from the newest back to the first difference. */
function sinceRestart(
  groups: readonly Group[],
  sessions: readonly Session[],
): { readonly kept: readonly Group[]; readonly restarted?: WindowRestart } {
  const models = new Set<string>()
  let requested: string | undefined
  for (let place = groups.length - 1; place >= 0; place -= 1) {
    const [group, newer] = [groups[place], groups[place + 1]]
    if (!group) continue
    const restarted = newer && restartBetween(group, newer, { models, requested, sessions })
    if (restarted) return { kept: groups.slice(place + 1), restarted }
    for (const model of modelsOf(group.runs)) models.add(model)
    requested ??= requestedOf(group)
  }
  return { kept: groups }
}

interface Newer {
  /** That answered in the newer groups, and that was asked for there. */
  readonly models: ReadonlySet<string>
  readonly requested: string | undefined
  readonly sessions: readonly Session[]
}

function restartBetween(older: Group, newer: Group, { models, requested, sessions }: Newer): WindowRestart | undefined {
  if (fingerprintOf(older) !== fingerprintOf(newer)) return 'definition'
  if (!samePlace(labelled(older), labelled(newer))) return 'target'
  const asked = requestedOf(older)
  if (asked !== undefined && requested !== undefined && asked !== requested) return 'model'
  if (isExchanged(modelsOf(older.runs), models)) return 'model'
  const acceptance = acceptedIn(sessions[newer.session], newer.key)
  return acceptance !== undefined && acceptance !== acceptedIn(sessions[older.session], older.key)
    ? 'accepted'
    : undefined
}

/** Why this run is of another population than the base branch's window. */
function redefinition(newest: Group, kept: readonly Group[], item: PooledCase): WindowRestart | undefined {
  if (fingerprintOf(newest) !== item.fingerprint) return 'definition'
  if (!samePlace(labelled(newest), item)) return 'target'
  const asked = requestedOf(newest)
  const isSetAnew = asked !== undefined && item.requestedModel !== undefined && asked !== item.requestedModel
  if (isSetAnew) return undefined
  const before = new Set(kept.flatMap(({ runs }) => [...modelsOf(runs)]))
  // Runs are looked at only where there is something to hold them against.
  return before.size > 0 && isExchanged(modelsOf(item.runs), before) ? 'model' : undefined
}

function labelled(group: Group) {
  return { target: group.target, requestedModel: requestedOf(group) }
}

function fingerprintOf({ runs }: Group): string | undefined {
  return runs.at(-1)?.fingerprint
}

function requestedOf({ runs }: Group): string | undefined {
  return runs.findLast(({ requestedModel }) => requestedModel !== undefined)?.requestedModel
}

/** Several models of one run are named in one text. */
function modelsOf(runs: readonly { readonly answeredModel?: string | undefined }[]): ReadonlySet<string> {
  const models = new Set<string>()
  let last: string | undefined
  for (const { answeredModel } of runs) {
    if (answeredModel === undefined || answeredModel === last) continue
    last = answeredModel
    for (const model of answeredModel.split(', ')) models.add(model)
  }
  return models
}

/** One model stands where another one stood; a model that only one of both sides happened to need is no exchange. */
function isExchanged(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return [...one].some((model) => !other.has(model)) && [...other].some((model) => !one.has(model))
}

function acceptedIn(session: Session | undefined, key: string): string | undefined {
  const accepted = session?.accepted ?? {}
  const name = [key, '*'].find((known) => Object.hasOwn(accepted, known))
  return name === undefined ? undefined : accepted[name]
}

function sinceLevelChange(runs: readonly BaselineRun[]): { readonly runs: readonly BaselineRun[]; isCut: boolean } {
  const judged = runs.flatMap(({ status }, place) => (status === 'errored' ? [] : [place]))
  const start = judged.at(-LEVEL_RUNS)
  if (start === undefined || judged.length <= LEVEL_RUNS) return { runs, isCut: false }
  const newest = runs.slice(start)
  const isCut = hasLevelChanged({ baseline: countsOf(runs.slice(0, start)), current: countsOf(newest) })
  return { runs: isCut ? newest : runs, isCut }
}

function countsOf(runs: readonly BaselineRun[]): Counts {
  let [passed, failed] = [0, 0]
  for (const { status } of runs) {
    if (status === 'passed') passed += 1
    if (status === 'failed') failed += 1
  }
  return { passed, failed }
}

function trendOf(groups: readonly Group[], sessions: readonly Session[]): TrendPoint[] {
  const points = groups.flatMap(({ session, runs }): TrendPoint[] => {
    const { createdAt = '', commit } = sessions[session] ?? {}
    const counts = countsOf(runs)
    const judged = runsOf(counts)
    if (judged === 0) return []
    return [{ createdAt, ...(commit === undefined ? {} : { commit }), passed: counts.passed, judged }]
  })
  return points.slice(-TREND_SESSIONS)
}
