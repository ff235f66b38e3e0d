import type { Prices } from '../core/budget.ts'
import type { Means } from '../core/means.ts'
import type { SideUsage } from '../core/result.ts'
import { type TraceEvent, type Usage, usageOf } from '../core/trace.ts'

/** Adds up what one run uses beside the agent's own answer. */
export interface Meter {
  /** The same means, with every answer of an agent that is asked counted. */
  metered(means: Means): Means
  /** A try that is begun again. */
  lose(events: readonly TraceEvent[]): void
  /** Undefined where nothing was used. */
  total(): SideUsage | undefined
}

export function createMeter(prices: Prices | undefined): Meter {
  const used: Usage[] = []
  let unmetered = 0
  return {
    metered(means) {
      const { ask } = means
      if (!ask) return means
      return {
        ...means,
        async ask(question) {
          const answer = await ask(question)
          if (answer.usage) used.push(answer.usage)
          else unmetered += 1
          return answer
        },
      }
    },
    lose(events) {
      const usage = usageOf({ events }, prices)
      if (usage) used.push(usage)
    },
    total: () => (used.length + unmetered === 0 ? undefined : { ...sumOf(used), unmetered }),
  }
}

function sumOf(used: readonly Usage[]): Usage {
  const costs = used.map(({ costUsd }) => costUsd)
  return {
    inputTokens: used.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
    outputTokens: used.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
    ...(costs.includes(undefined) ? {} : { costUsd: costs.reduce<number>((sum, cost = 0) => sum + cost, 0) }),
  }
}
