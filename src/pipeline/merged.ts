import { type GatheredRuns, gatheredFrom } from '../blobs/index.ts'
import type { Config } from '../config/config.ts'
import type { LoadedBaseline } from '../core/baseline.ts'
import type { Host } from '../core/host.ts'
import type { ControlState } from '../core/judgement.ts'
import { nextRuns } from '../core/next-runs.ts'
import { poolsOf } from '../core/pools.ts'
import type { Report } from '../core/report.ts'
import type { BlobCase, RunBlob } from '../core/run-blob.ts'
import type { Batches } from '../core/statistics/gate.ts'
import type { Case } from '../core/suite.ts'
import type { Waiver } from '../core/waiver.ts'
import { type Budget, openBudget } from '../runner/budget.ts'
import type { Prepared } from '../setup/prepare.ts'
import { conclude } from './conclude.ts'
import { openControl } from './control.ts'
import { gateOf } from './gate-of.ts'
import type { Ports } from './ports.ts'
import { asResult, comparable, settingsOf } from './rounds.ts'

/** What others have gathered. */
export interface Merged {
  readonly blob: RunBlob
  /** The suites and targets of the same plan, where they are at hand: then the base commit can be run. */
  readonly prepared?: Prepared
  /** From the committed files. */
  readonly waivers: readonly Waiver[]
  /** Added to the report's own, a sentence each. */
  readonly warnings: readonly string[]
  /** Why the base commit is not run without suites, a clause. */
  readonly whyNoControl?: string
}

interface Scope {
  readonly merged: Merged
  readonly config: Config
  readonly host: Host
  readonly ports: Ports
  readonly loaded: LoadedBaseline | undefined
}

/** Judges what others gathered as if it had been one run, and reports it once. Throws a UserError. */
export async function runMerged(merged: Merged, config: Config, host: Host, ports: Ports): Promise<Report> {
  const { blob, waivers } = merged
  const loaded = await ports.loadBaseline?.()
  const scope: Scope = { merged, config, host, ports, loaded }
  const gathered = gatheredFrom(blob)
  await tellAll(gathered, scope)
  const controlled = await withControls(gathered, scope)
  const { spending, controls } = controlled
  await ports.saveBlob?.({ ...blob, spending, controls })
  const toJudge = { ...controlled, waivers, warnings: [...merged.warnings, ...gathered.warnings] }
  return await conclude(toJudge, { loaded, config, host, ports, reporter: ports.reporter })
}

/** To reporters it is as if every run had ended just now. */
async function tellAll({ cases, ...gathered }: GatheredRuns, { merged, ports }: Scope): Promise<void> {
  const { prepared, blob } = merged
  const { reporter } = ports
  const items = prepared ? prepared.plan.cases.map(({ item }) => item) : blob.cases.map(asCase)
  await reporter.onStart?.({
    startedAt: blob.startedAt,
    cases: items,
    runsPerCase: gathered.runsPerCase,
    targets: gathered.targets,
    ...(gathered.connector === undefined ? {} : { connector: gathered.connector }),
  })
  for (const [place, report] of cases.entries()) {
    const item = items[place]
    if (item) for (const run of report.runs) await reporter.onRun?.(asResult(run), item)
    const isDone = report.stability.runs + report.skippedRuns >= gathered.runsPerCase
    if (report.skip !== undefined || isDone) await reporter.onCase?.(report)
  }
}

/** As much of a case as its results tell. */
function asCase({ key, id, suite, location, input, summary, fingerprint, skip }: BlobCase): Case {
  return {
    key,
    id,
    suite,
    location,
    input,
    messages: [{ role: 'user', content: summary }],
    assertions: [],
    options: {},
    metadata: {},
    fingerprint,
    ...(skip === undefined ? {} : { skip }),
  }
}

/** Fresh runs of the base commit where red depends on them. */
async function withControls(gathered: GatheredRuns, scope: Scope): Promise<GatheredRuns> {
  const { merged, config, host, ports, loaded } = scope
  const { prepared } = merged
  const isCutShort = gathered.stoppedBy !== undefined || gathered.interrupted
  if (isCutShort || !isAsked(gathered, scope)) return gathered
  if (config.control === 'off') return inState(gathered, { kind: 'off' })
  if (!prepared) {
    const { whyNoControl: reason = 'no suites were given to run there' } = merged
    return inState(gathered, { kind: 'unavailable', reason })
  }
  const budget = budgetLeft(gathered, scope)
  const control = openControl({ plan: prepared.plan, host, ports, loaded, budget, known: gathered.controls })
  try {
    let batches = OPEN
    for (;;) {
      const step = nextRuns({ ...stateOf(gathered, scope), controls: control.controls(), batches })
      if (step.kind === 'done') break
      const isRun = await control.run(step)
      batches = { ...batches, [step.batch]: isRun ? 'done' : 'unavailable' }
    }
  } finally {
    await control.dispose()
  }
  const stoppedBy = budget.stoppedBy()
  const spending = sumOf(gathered.spending, budget.spending())
  return { ...gathered, spending, controls: control.controls(), ...(stoppedBy === undefined ? {} : { stoppedBy }) }
}

/** The re-runs were the shards' own. */
const OPEN: Batches = { suiteControl: 'open', control: 'open', reruns: 'done' }

function isAsked(gathered: GatheredRuns, scope: Scope): boolean {
  return nextRuns({ ...stateOf(gathered, scope), controls: gathered.controls, batches: OPEN }).kind === 'ask'
}

function stateOf(gathered: GatheredRuns, { config, host, ports, loaded }: Scope) {
  const { cases } = gathered
  const baseline = comparable(loaded, cases, ports.commit)
  return {
    cases,
    pools: baseline ? poolsOf(baseline, cases, host.now()) : new Map(),
    gate: gateOf(config),
    settings: settingsOf(gathered),
  }
}

function inState(gathered: GatheredRuns, state: ControlState): GatheredRuns {
  // What an earlier attempt was told there stands.
  if (gathered.controls.state.kind === 'run') return gathered
  return { ...gathered, controls: { ...gathered.controls, state } }
}

/** A limit that is used up already lets a single run begin: nothing would be no limit. */
function budgetLeft({ spending }: GatheredRuns, { config, host }: Scope): Budget {
  const left = (limit: number | undefined, used: number) =>
    limit === undefined || limit === 0 ? 0 : Math.max(limit - used, Number.MIN_VALUE)
  const limits = {
    costUsd: left(config['max-cost'], spending.costUsd),
    tokens: left(config['max-tokens'], spending.tokens),
    durationMs: config['max-duration'] ?? 0,
  }
  return openBudget(limits, host)
}

function sumOf(left: GatheredRuns['spending'], right: GatheredRuns['spending']): GatheredRuns['spending'] {
  return {
    tokens: left.tokens + right.tokens,
    costUsd: left.costUsd + right.costUsd,
    unpricedRuns: left.unpricedRuns + right.unpricedRuns,
    unmeteredRuns: left.unmeteredRuns + right.unmeteredRuns,
  }
}
