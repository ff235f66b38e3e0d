import type { Pools, TrendPoint } from '../core/history.ts'
import { ratePercent } from '../core/result.ts'

const MOST_SESSIONS = 20
/** Fewer make no line. */
const LEAST_SESSIONS = 3

/** Rates of the base branch's last sessions over all cases, oldest first. */
export function sessionRates(pools: Pools): TrendPoint[] {
  const sessions = new Map<string, { createdAt: string; passed: number; judged: number }>()
  for (const { trend } of pools.values()) {
    for (const { createdAt, commit = '', passed, judged } of trend) {
      const key = `${createdAt} ${commit}`
      const sum = sessions.get(key)
      if (sum) {
        sum.passed += passed
        sum.judged += judged
      } else sessions.set(key, { createdAt, passed, judged })
    }
  }
  return [...sessions.values()]
    .filter(({ judged }) => judged > 0)
    .sort((left, right) => (left.createdAt < right.createdAt ? -1 : Number(left.createdAt > right.createdAt)))
    .slice(-MOST_SESSIONS)
}

/** A line chart in GitHub's Mermaid, of numbers alone; undefined where there are too few. */
export function trendChart(points: readonly TrendPoint[]): string | undefined {
  if (points.length < LEAST_SESSIONS) return undefined
  const rates = points.map(ratePercent).map(tenth)
  return mermaid([
    `x-axis "Session, oldest first" 1 --> ${rates.length}`,
    `y-axis "Runs passed in %" ${floorOf(rates)} --> 100`,
    `line [${rates.join(', ')}]`,
  ])
}

interface Bar {
  readonly label: string
  /** 0..100. */
  readonly rate: number
}

/** Bars one below the other; labels keep only what no chart and no Markdown reads as anything else. */
export function barChart(bars: readonly Bar[], title: string): string {
  const labels = bars.map(({ label }, index) => `"${index + 1} ${plainLabel(label)}"`)
  return mermaid(
    [
      `x-axis [${labels.join(', ')}]`,
      `y-axis "${title}" 0 --> 100`,
      `bar [${bars.map(({ rate }) => tenth(rate)).join(', ')}]`,
    ],
    'horizontal',
  )
}

const LONGEST_LABEL = 24

function plainLabel(text: string): string {
  return text.replace(/[^A-Za-z0-9 ._/-]+/g, '_').slice(-LONGEST_LABEL)
}

function mermaid(lines: readonly string[], direction = ''): string {
  const head = direction === '' ? 'xychart-beta' : `xychart-beta ${direction}`
  return `\`\`\`mermaid\n${[head, ...lines.map((line) => `  ${line}`)].join('\n')}\n\`\`\``
}

function tenth(rate: number): number {
  return Math.round(rate * 10) / 10
}

/** Leaves room below the lowest, in tens, so that a small fall is seen. */
function floorOf(rates: readonly number[]): number {
  return Math.max(0, Math.floor((Math.min(...rates) - 10) / 10) * 10)
}
