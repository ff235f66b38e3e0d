import { describeBaseline } from './baseline.ts'
import { describeIncrease, describeRate, describeReason, describeRemoved } from './describe-reason.ts'
import { formatPercent } from './percent.ts'
import { ratePercent } from './result.ts'
import type { Note } from './verdict.ts'
import type { Waiver } from './waiver.ts'

/** One sentence without a full stop; that of a case starts with its key. Unescaped, as are those of reasons. */
export function describeNote(note: Note): string {
  switch (note.kind) {
    case 'waived':
      return `${describeReason(note.reason)}; ${describeWaiver(note.waiver)}`
    case 'waiver_expired':
      return `${nameOf(note.waiver)} no longer holds: it ended after ${note.waiver.until ?? 'its last day'} (${note.waiver.source})`
    case 'waiver_unused':
      return describeUnused(note.waiver)
    case 'known_bad':
      return `${note.key} is below the required ${formatPercent(note.required)} on the base branch already (${describeRate(note.before)}), so that ${describeRate(note.actual)} here is not held against this change`
    case 'threshold_not_proven':
      return `${note.key} passed ${describeRate(note.actual)} (${formatPercent(ratePercent(note.actual))}), which is too few runs to say whether it is below the required ${formatPercent(note.required)}`
    case 'environment_moved':
      return describeMoved(note)
    case 'not_proven':
      return describeNotProven(note.finding)
    case 'control_unavailable':
      return `the base commit was not run again to check: ${note.reason}`
    case 'young_baseline':
      return describeYoung(note)
    case 'not_compared':
      if (note.state.kind !== 'ok') return withoutStop(describeBaseline(note.state))
      return 'nothing was compared: no case here is one that the base branch has judged runs of'
    case 'removed':
      return describeRemoved(note.keys)
    case 'slower':
    case 'costlier':
      return describeIncrease(note.finding)
    case 'unpriced':
      return describeUnpriced(note)
    case 'history_shrunk':
      return `less history than there was: ${note.detail}`
    case 'unchanged_suites':
      return describeUnchanged(note)
  }
}

function describeWaiver({ kind, reason, until, source }: Waiver): string {
  const how = kind === 'accepted' ? 'accepted' : 'quarantined as flaky'
  return `${how}${until === undefined ? '' : ` until ${until}`}: ${reason} (${source})`
}

function nameOf({ kind, case: name }: Waiver): string {
  const what = kind === 'accepted' ? 'acceptance' : 'quarantine'
  return name === '*' ? `the ${what} of everything` : `the ${what} of ${name}`
}

function describeUnused(waiver: Waiver): string {
  if (waiver.kind === 'accepted') return `${nameOf(waiver)} was not needed: nothing of it was red (${waiver.source})`
  return `${nameOf(waiver)} does nothing: there is no such case here that may be quarantined (${waiver.source})`
}

function describeMoved({ key, before, after, control }: Note & { readonly kind: 'environment_moved' }): string {
  const subject = key ?? 'the suite as a whole'
  const rates = `${describeRate(before)} runs passed on the base branch, ${describeRate(after)} here`
  const fresh = control
    ? `the base commit, run again just now, passed ${describeRate(control)}`
    : 'the suite did as badly when the base commit was run again just now'
  return `${subject} got worse, but not by this change: ${rates}, and ${fresh}; refresh the baseline`
}

function describeNotProven({
  key,
  before,
  after,
  control,
}: (Note & { readonly kind: 'not_proven' })['finding']): string {
  const fresh = control ? `, ${describeRate(control)} when the base commit was run again` : ''
  return `${key} may have regressed: ${describeRate(before)} runs passed on the base branch${fresh}, ${describeRate(after)} here, which is too close to the fresh runs to tell`
}

function describeYoung({ cases, of, runs }: Note & { readonly kind: 'young_baseline' }): string {
  const which = cases === of ? (of === 1 ? 'the only case' : `all ${of} cases`) : `${cases} of ${of} cases`
  const known = runs === 0 ? 'no judged run' : `${runs === 1 ? '1 run' : `${runs} runs`} at most`
  return `the baseline is too young to compare ${which} with: ${known} on the base branch, and a drop shows from 3 on`
}

function describeUnpriced({ runs, of, limited }: Note & { readonly kind: 'unpriced' }): string {
  const price = `the price of ${runs} of ${of} runs is not known, so the cost is at least what is shown`
  return limited ? `${price} and its limit counts only the others` : price
}

function describeUnchanged({ suites, cases }: Note & { readonly kind: 'unchanged_suites' }): string {
  const count = cases === 1 ? '1 case was' : `${cases} cases were`
  const which = suites.length === 1 ? 'its suite' : `their ${suites.length} suites`
  return `${count} not run: nothing that ${which} depend${suites.length === 1 ? 's' : ''} on was changed, and the base branch's runs stand for ${cases === 1 ? 'it' : 'them'}`
}

function withoutStop(sentence: string): string {
  return sentence.endsWith('.') ? sentence.slice(0, -1) : sentence
}
