import type { BudgetLimits, BudgetStop, Spending } from '../core/budget.ts'
import type { Host } from '../core/host.ts'
import type { RunResult } from '../core/result.ts'
import type { Usage } from '../core/trace.ts'

/** What a whole run may use, and has used: runs of the base commit as well. */
export interface Budget {
  spend(result: RunResult): void
  /** Asked before a run is started: why it must not be. */
  stop(): BudgetStop | undefined
  /** What kept a run from being started; a limit that the last run went over has kept back nothing. */
  stoppedBy(): BudgetStop | undefined
  spending(): Spending
}

/** The time counts from now. */
export function openBudget(limits: BudgetLimits, host: Pick<Host, 'now' | 'log'>): Budget {
  const startedAt = host.now()
  let spending: Spending = { tokens: 0, costUsd: 0, unpricedRuns: 0, unmeteredRuns: 0 }
  let stopped: BudgetStop | undefined
  const warned = new Set<string>()
  const warnOnce = (warning: string) => {
    if (!warned.has(warning)) host.log.warn(warning)
    warned.add(warning)
  }
  return {
    spend(result) {
      const spent = spendingOf(result)
      spending = sumOf(spending, spent)
      if (limits.costUsd > 0 && spent.unpricedRuns > 0) warnOnce(UNPRICED)
      if (limits.costUsd + limits.tokens > 0 && spent.unmeteredRuns > 0) warnOnce(UNMETERED)
    },
    stop() {
      stopped ??= reached(limits, spending, host.now() - startedAt)
      return stopped
    },
    stoppedBy: () => stopped,
    spending: () => spending,
  }
}

const UNPRICED = 'warning: the price of a run is not known, so max-cost cannot count it: give the price of its model'
const UNMETERED =
  'warning: a run does not say how many tokens it used, so the limits of cost and tokens cannot count it'

function reached(limits: BudgetLimits, { costUsd, tokens }: Spending, durationMs: number): BudgetStop | undefined {
  const all: readonly BudgetStop[] = [
    { limit: 'cost', allowed: limits.costUsd, used: costUsd },
    { limit: 'tokens', allowed: limits.tokens, used: tokens },
    { limit: 'duration', allowed: limits.durationMs, used: durationMs },
  ]
  return all.find(({ allowed, used }) => allowed > 0 && used >= allowed)
}

function sumOf(left: Spending, right: Spending): Spending {
  return {
    tokens: left.tokens + right.tokens,
    costUsd: left.costUsd + right.costUsd,
    unpricedRuns: left.unpricedRuns + right.unpricedRuns,
    unmeteredRuns: left.unmeteredRuns + right.unmeteredRuns,
  }
}

function spendingOf(result: RunResult): Spending {
  const { usage, sideUsage } = result
  const known = [usage, sideUsage].filter((used) => used !== undefined)
  const isUnmetered = (usage === undefined && mayHaveAsked(result)) || (sideUsage?.unmetered ?? 0) > 0
  return {
    tokens: known.reduce((sum, used) => sum + tokensOf(used), 0),
    costUsd: known.reduce((sum, { costUsd = 0 }) => sum + costUsd, 0),
    unpricedRuns: known.some((used) => used.costUsd === undefined && tokensOf(used) > 0) ? 1 : 0,
    unmeteredRuns: isUnmetered ? 1 : 0,
  }
}

function tokensOf({ inputTokens, outputTokens }: Usage): number {
  return inputTokens + outputTokens
}

/** A test that skipped itself is none, and what failed without a word was most likely refused. */
function mayHaveAsked(result: RunResult): boolean {
  if (result.status === 'skipped') return false
  return result.status !== 'errored' || result.code === 'TIMEOUT' || result.trace.events.length > 0
}
