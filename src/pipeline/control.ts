import type { LoadedBaseline } from '../core/baseline.ts'
import type { Host } from '../core/host.ts'
import type { ControlState } from '../core/judgement.ts'
import type { AskedRuns } from '../core/next-runs.ts'
import type { Controls } from '../core/run-blob.ts'
import type { Counts } from '../core/statistics/counts.ts'
import { runsOf } from '../core/statistics/counts.ts'
import { plainText } from '../lib/escape.ts'
import type { Budget } from '../runner/budget.ts'
import { execute } from '../runner/execute.ts'
import { batchRuns, type Plan, type PlannedCase } from '../runner/plan.ts'
import type { BaseSide } from '../setup/base-side.ts'
import type { Ports } from './ports.ts'

/** Fresh runs of the base commit's agent, on the cases as they are here. */
export interface ControlRuns {
  /** Whether any could be made. */
  run(asked: AskedRuns): Promise<boolean>
  controls(): Controls
  dispose(): Promise<void>
}

interface ControlScope {
  readonly plan: Plan
  readonly host: Host
  readonly ports: Ports
  readonly loaded: LoadedBaseline | undefined
  readonly budget: Budget
  /** Of an earlier attempt: counted, and not made again. */
  readonly known: Controls
}

export function openControl(scope: ControlScope): ControlRuns {
  const { ports, known, loaded, host } = scope
  const counts = { suite: new Map(Object.entries(known.suite)), cases: new Map(Object.entries(known.cases)) }
  let state: ControlState = known.state
  let opening: Promise<BaseSide | undefined> | undefined
  const open = async (): Promise<BaseSide | undefined> => {
    const opened = await ports.openBaseSide?.(loaded)
    if (opened?.kind === 'open') return opened.side
    const reason = opened?.reason ?? 'this run has no base side'
    state = { kind: 'unavailable', reason }
    host.log.info(`The base commit is not run: ${plainText(reason, { maxLength: 500 })}.`)
    return undefined
  }
  return {
    async run(asked) {
      const target = asked.batch === 'suiteControl' ? counts.suite : counts.cases
      const missing = stillAsked(asked.runs, scope.plan, target)
      // Nothing is asked of the base side again that an earlier attempt has answered.
      if (missing.length === 0) return true
      opening ??= open()
      const side = await opening
      if (!side) return false
      const made = await runOnBase(side, missing, scope)
      for (const [key, fresh] of made.counts) target.set(key, added(target.get(key), fresh))
      state = summed(state, { kind: 'run', commit: side.commit, ...made })
      return made.counts.size > 0
    },
    controls: () => ({ suite: Object.fromEntries(counts.suite), cases: Object.fromEntries(counts.cases), state }),
    async dispose() {
      await (await opening)?.dispose()
    },
  }
}

type Asked = AskedRuns['runs']

function stillAsked(runs: Asked, plan: Plan, known: ReadonlyMap<string, Counts>): Asked {
  return runs.flatMap(({ place, count }) => {
    const had = known.get(plan.cases[place]?.item.key ?? '')
    const left = count - (had ? runsOf(had) : 0)
    return left > 0 ? [{ place, count: left }] : []
  })
}

function added(before: Counts | undefined, fresh: Counts): Counts {
  return { passed: (before?.passed ?? 0) + fresh.passed, failed: (before?.failed ?? 0) + fresh.failed }
}

interface MadeRuns {
  readonly counts: ReadonlyMap<string, Counts>
  readonly runs: number
  readonly erroredRuns: number
  readonly durationMs: number
  readonly missing: readonly { readonly key: string; readonly reason: string }[]
}

async function runOnBase(side: BaseSide, asked: Asked, scope: ControlScope): Promise<MadeRuns> {
  const { plan, host, budget } = scope
  const cases: PlannedCase[] = []
  const runs: { place: number; count: number }[] = []
  const missing: { key: string; reason: string }[] = []
  for (const { place, count } of asked) {
    const planned = plan.cases[place]
    if (!planned) continue
    const ofBase = await side.planned(planned)
    if ('missing' in ofBase) missing.push({ key: planned.item.key, reason: ofBase.missing })
    else runs.push({ place: cases.push(ofBase) - 1, count })
  }
  const total = runs.reduce((sum, { count }) => sum + count, 0)
  host.log.info(`Running ${cases.length} cases on the base commit ${side.commit.slice(0, 7)}: ${total} runs.`)
  const { earlier: _earlier, onCritical: _told, ...rest } = plan
  const basePlan: Plan = { ...rest, cases }
  const startedAt = host.now()
  const counts = new Map<string, Counts>()
  const numbers = { runs: 0, erroredRuns: 0 }
  const isStopped = () => budget.stop() !== undefined
  const places = new Map<number, number>()
  const next = (place: number) => {
    const number = (places.get(place) ?? 0) + 1
    places.set(place, number)
    return number
  }
  for await (const { result } of execute(batchRuns(basePlan, runs, next), basePlan, host, { isStopped })) {
    budget.spend(result)
    numbers.runs += 1
    if (result.status === 'errored') numbers.erroredRuns += 1
    if (result.status !== 'passed' && result.status !== 'failed') continue
    const fresh = result.status === 'passed' ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 }
    counts.set(result.key, added(counts.get(result.key), fresh))
  }
  return { counts, ...numbers, durationMs: host.now() - startedAt, missing }
}

function summed(before: ControlState, now: Extract<ControlState, { kind: 'run' }>): ControlState {
  const { commit, runs, erroredRuns, durationMs, missing } = now
  if (before.kind !== 'run') return { kind: 'run', commit, runs, erroredRuns, durationMs, missing }
  return {
    kind: 'run',
    commit,
    runs: before.runs + runs,
    erroredRuns: before.erroredRuns + erroredRuns,
    durationMs: before.durationMs + durationMs,
    // A case may be asked for twice: with the suite, and on its own.
    missing: [...new Map([...before.missing, ...missing].map((item) => [item.key, item])).values()],
  }
}
