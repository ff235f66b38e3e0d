import type { Config } from '../config/config.ts'
import { approvedOperations } from '../core/approval.ts'
import { assessBaseline, type Baseline, type LoadedBaseline, learnedFrom } from '../core/baseline.ts'
import type { BudgetStop, Spending } from '../core/budget.ts'
import type { CaseReport } from '../core/case-report.ts'
import type { Host } from '../core/host.ts'
import { type AskedRuns, nextRuns } from '../core/next-runs.ts'
import { poolsOf } from '../core/pools.ts'
import type { RunRecord, RunResult } from '../core/result.ts'
import { type Controls, NO_CONTROLS } from '../core/run-blob.ts'
import type { Batches } from '../core/statistics/gate.ts'
import { GATE_DEFAULTS, type GateSettings } from '../core/statistics/gate-settings.ts'
import { plainText } from '../lib/escape.ts'
import type { Reporter } from '../reporters/reporter.ts'
import { type Budget, openBudget } from '../runner/budget.ts'
import { execute } from '../runner/execute.ts'
import { type Gathering, gather } from '../runner/gather.ts'
import { batchRuns, firstStage, isRun, type Plan, type PlannedRun } from '../runner/plan.ts'
import type { Prepared } from '../setup/prepare.ts'
import { type ControlRuns, openControl } from './control.ts'
import { gateOf } from './gate-of.ts'
import type { Earlier, Ports } from './ports.ts'

/** Everything that was executed, before it is judged. */
export interface Gathered {
  readonly cases: readonly CaseReport[]
  readonly controls: Controls
  /** Operations that had leave in passed runs, by case. */
  readonly approvals: ReadonlyMap<string, ReadonlySet<string>>
  readonly spending: Spending
  readonly stoppedBy?: BudgetStop
  readonly interrupted: boolean
}

interface Rounds {
  readonly prepared: Prepared
  readonly config: Config
  readonly host: Host
  readonly ports: Ports
  readonly reporter: Reporter
  readonly loaded: LoadedBaseline | undefined
  readonly earlier: Earlier | undefined
}

/** What a round works with. */
interface Session extends Rounds {
  readonly plan: Plan
  readonly gathering: Gathering
  readonly budget: Budget
  readonly settings: GateSettings
  readonly approvals: Map<string, Set<string>>
}

/**
 * The first stage, then whatever the statistics ask for: re-runs of suspicious cases, fresh runs of the base commit.
 * Source: spec verdict 4.2.
 */
export async function runRounds(rounds: Rounds): Promise<Gathered> {
  const session = sessionOf(rounds)
  const { plan, gathering, budget, host, earlier } = session
  const control = openControl({ ...session, known: earlier?.controls ?? NO_CONTROLS })
  try {
    await tellEarlier(session)
    const isDone = await runBatch(firstStage(plan), session)
    if (isDone) await furtherRounds(session, control)
    await tellWaiting(session)
  } finally {
    await control.dispose()
  }
  const stoppedBy = budget.stoppedBy()
  return {
    cases: gathering.reports(),
    controls: control.controls(),
    approvals: session.approvals,
    spending: budget.spending(),
    ...(stoppedBy === undefined ? {} : { stoppedBy }),
    interrupted: host.signal.aborted,
  }
}

function sessionOf(rounds: Rounds): Session {
  const { prepared, config, host, loaded, earlier } = rounds
  const told = config.verbose ? tellingOf(prepared.plan, host) : prepared.plan
  const plan: Plan = {
    ...told,
    learned: learnedFrom(loaded),
    ...(earlier === undefined ? {} : { earlier: earlier.runs }),
  }
  const limits = {
    costUsd: config['max-cost'] ?? 0,
    tokens: config['max-tokens'] ?? 0,
    durationMs: config['max-duration'] ?? 0,
  }
  return {
    ...rounds,
    plan,
    gathering: gather(plan, host.secrets),
    budget: openBudget(limits, host),
    settings: settingsOf(plan),
    approvals: new Map(),
  }
}

export function settingsOf({ runsPerCase, maxRuns }: Pick<Plan, 'runsPerCase' | 'maxRuns'>): GateSettings {
  return { ...GATE_DEFAULTS, runs: runsPerCase, maxRuns }
}

/** Whether every run was started: false after an interruption, a full budget, or a failure under `--fail-fast`. */
async function runBatch(runs: Iterable<PlannedRun>, session: Session): Promise<boolean> {
  const { plan, host, reporter, gathering, budget, config, approvals } = session
  for await (const finished of execute(runs, plan, host, { isStopped: () => budget.stop() !== undefined })) {
    const { result, planned } = finished
    await reporter.onRun?.(result, planned.item)
    budget.spend(result)
    const complete = gathering.add(finished)
    if (result.status === 'passed') noteApprovals(result, approvals)
    if (complete && isSettled(complete, session)) await tellCase(complete, session)
    if (config['fail-fast'] && result.status !== 'passed' && result.status !== 'skipped') return false
  }
  return !host.signal.aborted && budget.stoppedBy() === undefined
}

const told = new WeakMap<Session, Set<string>>()

/** Once for each case, after its last run. */
async function tellCase(item: CaseReport, session: Session): Promise<void> {
  if (!mayWait(session)) return await session.reporter.onCase?.(item)
  const known = told.get(session) ?? new Set<string>()
  told.set(session, known)
  if (known.has(item.key)) return
  known.add(item.key)
  await session.reporter.onCase?.(item)
}

/** A case that only passed is never looked at again; others may get re-runs. */
function isSettled({ stability }: CaseReport, { plan }: Session): boolean {
  return plan.maxRuns === plan.runsPerCase || stability.failed === 0
}

/** Whether a case may end otherwise than with its last first run; where none does, nothing has to be remembered. */
function mayWait({ plan, earlier }: Session): boolean {
  return plan.maxRuns > plan.runsPerCase || earlier !== undefined
}

async function tellWaiting(session: Session): Promise<void> {
  const { gathering, plan } = session
  if (!mayWait(session)) return
  for (const item of gathering.reports()) {
    if (item.skip === undefined && item.stability.runs >= plan.runsPerCase) await tellCase(item, session)
  }
}

/** What was known before the first run: skipped cases, and runs of an earlier attempt. */
async function tellEarlier(session: Session): Promise<void> {
  const { plan, gathering, reporter } = session
  for (const [index, planned] of plan.cases.entries()) {
    const { item } = planned
    if (!isRun(planned)) await tellCase(gathering.report(index), session)
    for (const record of plan.earlier?.get(item.key) ?? []) await reporter.onRun?.(asResult(record), item)
  }
}

/** An earlier run as it can still be told of: without what only its own attempt has seen. */
export function asResult(record: RunRecord): RunResult {
  return { ...record, output: record.output ?? null, trace: { events: [] } }
}

async function furtherRounds(session: Session, control: ControlRuns): Promise<void> {
  let batches: Batches = openBatches(session)
  for (;;) {
    const step = nextRuns({ ...stateOf(session, control), batches })
    if (step.kind === 'done') return
    if (step.batch === 'reruns') {
      const isDone = await runReruns(step, session)
      if (!isDone) return
      batches = { ...batches, reruns: 'done' }
    } else {
      const isRun = await control.run(step)
      batches = { ...batches, [step.batch]: isRun ? 'done' : 'unavailable' }
    }
  }
}

/** A shard sees a part of the suite: it leaves the base side to whoever merges, who leaves the re-runs to it. */
function openBatches({ config, ports, earlier }: Session): Batches {
  const hasControl = config.control === 'auto' && ports.isPart !== true
  const control = hasControl ? ('open' as const) : ('unavailable' as const)
  return { suiteControl: control, control, reruns: earlier?.isComplete ? 'done' : 'open' }
}

/** What the statistics look at. */
function stateOf({ gathering, loaded, config, settings, ports, host }: Session, control: ControlRuns) {
  const cases = gathering.reports()
  const baseline = comparable(loaded, cases, ports.commit)
  return {
    cases,
    pools: baseline ? poolsOf(baseline, cases, host.now()) : new Map(),
    controls: control.controls(),
    gate: gateOf(config),
    settings,
  }
}

/** The baseline, where it can be compared with. */
export function comparable(
  loaded: LoadedBaseline | undefined,
  cases: readonly CaseReport[],
  commit: string | undefined,
): Baseline | undefined {
  const state = loaded && assessBaseline(loaded, { cases, commit })
  return state?.kind === 'ok' ? state.baseline : undefined
}

async function runReruns({ runs }: AskedRuns, session: Session): Promise<boolean> {
  const { plan, gathering, host } = session
  const count = runs.reduce((sum, asked) => sum + asked.count, 0)
  host.log.info(`Looking at ${runs.length} of ${plan.cases.length} cases more closely: ${count} further runs.`)
  return await runBatch(
    batchRuns(plan, runs, (place) => gathering.nextRun(place)),
    session,
  )
}

function noteApprovals({ key, trace }: RunResult, approvals: Map<string, Set<string>>): void {
  const found = approvedOperations(trace)
  if (found.length > 0) approvals.set(key, new Set([...(approvals.get(key) ?? []), ...found]))
}

/** Says at once what is critical in a run that still goes on. */
function tellingOf(plan: Plan, host: Host): Plan {
  return {
    ...plan,
    onCritical({ evaluator, violation }, { item, run }) {
      const found = `${item.id}, run ${run}: critical: ${evaluator}: ${violation.type}: ${violation.message}`
      host.log.info(plainText(found, { maxLength: 400 }))
    },
  }
}
