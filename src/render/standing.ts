import type { CaseReport } from '../core/case-report.ts'
import type { Change } from '../core/comparison.ts'
import type { Report } from '../core/report.ts'
import type { Note, Reason, Verdict } from '../core/verdict.ts'

/** Where a case stands, worst first: every case is in one group, the worst that fits. */
const STANDINGS = [
  'regressed',
  /** Below what the gate asks of it, or critical and not always passed. */
  'failed',
  'errored',
  'watch',
  /** Would make the run red, but is accepted or quarantined. */
  'waived',
  'improved',
  'new',
  'passed',
  /** Not run again, because nothing that it depends on was changed. */
  'unchanged',
  'not_run',
  'skipped',
] as const
export type Standing = (typeof STANDINGS)[number]

export interface Standpoint {
  readonly item: CaseReport
  readonly standing: Standing
  /** Against the baseline, when there is one. */
  readonly change?: Change
  /** What the verdict says of the case besides its reasons. */
  readonly note?: Note
}

/** Every case with its standing, worst first; cases that stand alike keep the order of the suites. */
export function standpointsOf({ cases, changes, verdict }: Report): Standpoint[] {
  const byKey = new Map(changes.map((change) => [change.key, change]))
  const said = saidOf(verdict)
  const points = cases.map((item): Standpoint => {
    const change = byKey.get(item.key)
    const note = said.notes.get(item.key)
    return {
      item,
      standing: standingOf(item, change, said),
      ...(change === undefined ? {} : { change }),
      ...(note === undefined ? {} : { note }),
    }
  })
  const rank = new Map(STANDINGS.map((standing, index) => [standing, index]))
  return points.sort((left, right) => {
    const byStanding = (rank.get(left.standing) ?? 0) - (rank.get(right.standing) ?? 0)
    return byStanding === 0 ? left.item.stability.passRate - right.item.stability.passRate : byStanding
  })
}

/** What the verdict says of single cases. */
interface Said {
  readonly failed: ReadonlySet<string>
  readonly notes: ReadonlyMap<string, Note>
}

const FAILURES: readonly Reason['kind'][] = ['below_min_pass_rate', 'critical_failed']

function saidOf({ reasons, notes }: Verdict): Said {
  const failed = reasons.flatMap((reason) => ('key' in reason && FAILURES.includes(reason.kind) ? [reason.key] : []))
  const byKey = new Map<string, Note>()
  for (const note of notes) {
    const key = keyOfNote(note)
    // What was let through says more than what was only seen.
    if (key !== undefined && (note.kind === 'waived' || !byKey.has(key))) byKey.set(key, note)
  }
  return { failed: new Set(failed), notes: byKey }
}

/** Key of the case that a note is about, where it is about one. */
export function keyOfNote(note: Note): string | undefined {
  const told = note.kind === 'waived' ? note.reason : note
  return 'key' in told ? told.key : undefined
}

const WATCHED_CHANGES: readonly Change['kind'][] = ['dropped', 'environment_moved', 'not_proven']

function standingOf(item: CaseReport, change: Change | undefined, { failed, notes }: Said): Standing {
  const { key, skip, stability } = item
  if (skip !== undefined) return 'skipped'
  if (stability.runs === 0) return item.unchanged === undefined ? 'not_run' : 'unchanged'
  const isWaived = notes.get(key)?.kind === 'waived'
  if (change?.kind === 'regressed' && !isWaived) return 'regressed'
  if (failed.has(key)) return 'failed'
  if (stability.errored > 0) return 'errored'
  if (isWaived) return 'waived'
  const isWatched = change !== undefined && WATCHED_CHANGES.includes(change.kind)
  if (isWatched || notes.has(key) || stability.failed > 0) return 'watch'
  if (change?.kind === 'improved') return 'improved'
  return change?.kind === 'new' || change?.kind === 'redefined' ? 'new' : 'passed'
}
