import type { CaseReport } from './case-report.ts'
import { firesWithout } from './suite-without.ts'
import type { Evidence, Note, Reason } from './verdict.ts'
import { holdsOn, type Waiver } from './waiver.ts'

/** What stays red, and what was let through and by which waiver. */
export interface LetThrough {
  readonly reasons: Reason[]
  readonly notes: readonly Note[]
}

/**
 * Takes out the reasons that a waiver lets through. An acceptance stands for any change of results, a quarantine for
 * those of a case that is not critical. Errors, emptiness, interruption and a used-up budget are no results: nothing
 * lets them through, nor does better anywhere pay for worse elsewhere.
 */
export function letThrough(found: readonly Reason[], evidence: Evidence): LetThrough {
  const { waivers, today, cases } = evidence
  if (waivers.length === 0) return { reasons: [...found], notes: [] }
  const valid = waivers.filter((waiver) => holdsOn(waiver, today))
  const lists = { accepted: byName(valid, 'accepted'), quarantined: byName(valid, 'quarantined') }
  const items = new Map(cases.map((item) => [item.key, item]))
  const reasons: Reason[] = []
  const waived: Note[] = []
  const used = new Set<Waiver>()
  for (const reason of found.flatMap(apart)) {
    const own = waiverOf(reason, items, lists)
    const all = own === undefined && reason.kind === 'suite_regressed' ? suiteWaivers(evidence, lists) : []
    const waiver = own ?? all[0]
    if (!waiver) {
      reasons.push(reason)
      continue
    }
    waived.push({ kind: 'waived', reason, waiver })
    for (const one of [waiver, ...all]) used.add(one)
  }
  return { reasons: together(reasons), notes: [...waived, ...idle(waivers, evidence, used)] }
}

type ByName = ReadonlyMap<string, Waiver>

interface Lists {
  readonly accepted: ByName
  readonly quarantined: ByName
}

/** The first of a name counts. */
function byName(waivers: readonly Waiver[], kind: Waiver['kind']): ByName {
  return new Map(
    waivers
      .filter((waiver) => waiver.kind === kind)
      .map((waiver) => [waiver.case, waiver] as const)
      .toReversed(),
  )
}

/**
 * The suite's alarm is let through where it is that of single cases that are: without them the others say nothing. The
 * waiver of the case that failed most comes first.
 */
function suiteWaivers(evidence: Evidence, lists: Lists): Waiver[] {
  const waived = evidence.cases.flatMap((item) => {
    const waiver = waiverOfCase(item, lists)
    return waiver ? [{ key: item.key, failed: item.stability.failed, waiver }] : []
  })
  if (firesWithout(evidence, new Set(waived.map(({ key }) => key)))) return []
  const worse = waived.filter(({ failed }) => failed > 0).sort((left, right) => right.failed - left.failed)
  return worse.map(({ waiver }) => waiver)
}

function waiverOfCase({ key, id, gate }: CaseReport, lists: Lists): Waiver | undefined {
  const accepted = named(lists.accepted, [key, id, '*'])
  return accepted ?? (gate?.critical ? undefined : named(lists.quarantined, [key, id]))
}

function waiverOf(reason: Reason, items: ReadonlyMap<string, CaseReport>, lists: Lists): Waiver | undefined {
  switch (reason.kind) {
    case 'regressed':
    case 'below_min_pass_rate':
    case 'critical_failed': {
      const item = items.get(reason.key)
      return item && waiverOfCase(item, lists)
    }
    case 'removed':
      return named(lists.accepted, [...reason.keys.flatMap(namesOfGone), '*'])
    case 'suite_regressed':
    case 'cost_increased':
      return named(lists.accepted, ['*'])
    case 'errored':
    case 'nothing_judged':
    case 'no_runs':
    case 'baseline_required':
    case 'baseline_unreadable':
    case 'interrupted':
    case 'stopped_early':
    case 'budget_reached':
      return undefined
  }
}

function named(waivers: ByName, names: readonly string[]): Waiver | undefined {
  const name = names.find((one) => waivers.has(one))
  return name === undefined ? undefined : waivers.get(name)
}

/** Of a case that is gone only the key is known: its id is what follows one of the slashes. */
function namesOfGone(key: string): string[] {
  const parts = key.split('/')
  return parts.map((_, index) => parts.slice(index).join('/'))
}

/** Each case that is gone is let through, or not, on its own. */
function apart(reason: Reason): Reason[] {
  return reason.kind === 'removed' ? reason.keys.map((key) => ({ kind: 'removed', keys: [key] })) : [reason]
}

function together(reasons: readonly Reason[]): Reason[] {
  const keys = reasons.flatMap((reason) => (reason.kind === 'removed' ? reason.keys : []))
  const first = reasons.findIndex(({ kind }) => kind === 'removed')
  return reasons.flatMap((reason, index): Reason[] => {
    if (reason.kind !== 'removed') return [reason]
    return index === first ? [{ kind: 'removed', keys }] : []
  })
}

/**
 * Waivers that did nothing: those that ended, acceptances without a change, and quarantined cases that are critical or
 * not in this suite. A quarantined case that happened to pass is no news.
 */
function idle(waivers: readonly Waiver[], { cases, today }: Evidence, used: ReadonlySet<Waiver>): Note[] {
  const flaky = new Set(cases.flatMap(({ key, id, gate }) => (gate?.critical ? [] : [key, id])))
  return waivers.flatMap((waiver): Note[] => {
    if (!holdsOn(waiver, today)) return [{ kind: 'waiver_expired', waiver }]
    if (used.has(waiver) || (waiver.kind === 'quarantined' && flaky.has(waiver.case))) return []
    return [{ kind: 'waiver_unused', waiver }]
  })
}
