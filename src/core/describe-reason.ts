import { formatDuration } from '../lib/duration.ts'
import { describeBaseline } from './baseline.ts'
import type { BudgetStop } from './budget.ts'
import type { CaseFinding, Resource, ResourceFinding, SuiteFinding } from './judgement.ts'
import { formatPercent, type Percent } from './percent.ts'
import { type JudgedRate, ratePercent } from './result.ts'
import { lowerBound } from './statistics/intervals.ts'
import type { Reason } from './verdict.ts'

/**
 * The only place with words for reasons: every surface says the same. One sentence without a full stop; that of a case
 * starts with its key. Unescaped: keys and messages are hostile.
 */
export function describeReason(reason: Reason): string {
  switch (reason.kind) {
    case 'regressed':
      return `${reason.key} regressed: ${describeRate(reason.before)} runs passed on the base branch, ${describeRate(reason.after)} here; ${accidentOf(reason)}; ${controlOf(reason.finding)}`
    case 'suite_regressed':
      return describeSuite(reason.finding, reason.limit)
    case 'below_min_pass_rate':
      return describeBelow(reason)
    case 'critical_failed':
      return `${reason.key} is critical: every run of it must pass, and ${describeRate(reason.actual)} did`
    case 'removed':
      return describeRemoved(reason.keys)
    case 'cost_increased':
      return describeIncrease(reason.finding)
    case 'errored':
      return `${reason.errored} of ${reason.runs} runs errored: ${reason.cause}`
    case 'nothing_judged':
      return `every run errored, so nothing could be judged: ${reason.cause}`
    case 'no_runs':
      if (reason.skipped === 0) return 'no case was run'
      return `no case was run: ${reason.skipped === 1 ? 'the only one is' : `all ${reason.skipped} are`} skipped`
    case 'baseline_required':
      return `a baseline is required. ${describeBaseline(reason.state)}`
    case 'baseline_unreadable':
      return describeBaseline(reason.state)
    case 'interrupted':
      return `interrupted ${progress(reason)}`
    case 'stopped_early':
      return `stopped ${progress(reason)}, so the suite is not proven`
    case 'budget_reached':
      return `the budget of ${amount(reason.stop, reason.stop.allowed)} was used up (${amount(reason.stop, reason.stop.used)}) ${progress(reason)}, so the suite is not proven`
  }
}

export function describeRate({ passed, judged }: JudgedRate): string {
  return `${passed}/${judged}`
}

/** A probability (0..1) in words that need no statistics. */
export function describeChance(p: number): string {
  return p < 0.001 ? 'less than 0.1%' : formatPercent(p * 100)
}

function accidentOf({ finding, tested, limit }: Reason & { readonly kind: 'regressed' }): string {
  const which = tested === 1 ? 'it' : `one of the ${tested} cases in question`
  return `had nothing changed, ${which} would drop this far in ${describeChance(finding.p)} of pull requests (limit ${describeChance(limit)})`
}

function controlOf({ outcome, control }: Pick<CaseFinding, 'outcome' | 'control'>): string {
  if (outcome !== 'uncontrolled' && control) {
    return `the base commit, run again just now, passed ${describeRate(control)}`
  }
  return 'the base commit was not run again, so what changed around the agent is not ruled out'
}

function describeSuite(finding: SuiteFinding, limit: number): string {
  const { failed, runs, cases, expected, p } = finding
  const foreseen = Math.round(expected * 10) / 10
  return `the suite as a whole regressed: ${failed} of ${runs} runs failed across ${cases} ${cases === 1 ? 'case' : 'cases'}, where ${foreseen} would have, had nothing changed; so many fail by chance in ${describeChance(p)} of pull requests (limit ${describeChance(limit)}); ${controlOf(finding)}`
}

function describeBelow({ key, actual, required, mode }: Reason & { readonly kind: 'below_min_pass_rate' }): string {
  const rate = ratePercent(actual)
  const passed = `${key} passed ${describeRate(actual)} (${formatPercent(rate)})`
  if (mode === 'proven' && rate >= required)
    return `${passed}, which does not prove the required ${formatPercent(required)}${proofOf(required)}`
  const surely = mode === 'shown' ? 'surely ' : ''
  return `${passed}, ${surely}below the required ${formatPercent(required)}`
}

/** The fewest runs that prove a rate are those that all pass. */
function proofOf(required: Percent): string {
  if (required >= 100) return ': no number of runs can, so ask for less than 100%'
  for (let runs = 1; runs <= 10_000; runs += 1) {
    if (lowerBound({ passed: runs, failed: 0 }) * 100 >= required)
      return `: that takes ${runs} runs that all pass, or more`
  }
  return ''
}

const SHOWN_KEYS = 3

export function describeRemoved(keys: readonly string[]): string {
  const more = keys.length - SHOWN_KEYS
  const shown = `${keys.slice(0, SHOWN_KEYS).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
  return `${keys.length === 1 ? '1 case of the base branch is' : `${keys.length} cases of the base branch are`} gone: ${shown}`
}

const COMPARED: Readonly<Record<Resource, (ratio: string) => string>> = {
  duration: (ratio) => `takes ${ratio} times as long`,
  tokens: (ratio) => `uses ${ratio} times as many tokens`,
  cost: (ratio) => `costs ${ratio} times as much`,
  turns: (ratio) => `takes ${ratio} times as many turns`,
}

export function describeIncrease({ resource, ratio, limit, p }: ResourceFinding): string {
  return `a typical case ${COMPARED[resource](times(ratio))} as on the base branch (limit ${times(limit)}); chance alone does that in ${describeChance(p)} of pull requests`
}

function times(ratio: number): string {
  return ratio.toFixed(2)
}

function progress({ done, planned }: { readonly done: number; readonly planned: number }): string {
  return done < planned
    ? `after ${done} of ${planned} runs`
    : `after all ${planned} first runs, while cases were run again`
}

function amount({ limit }: BudgetStop, value: number): string {
  switch (limit) {
    case 'cost':
      return `$${value.toFixed(value < 0.1 ? 4 : 2)}`
    case 'tokens':
      return `${value} tokens`
    case 'duration':
      return formatDuration(value)
  }
}
