import type { BaselineStore } from './baselines/index.ts'
import type { Config } from './config/config.ts'
import { approvedOperations } from './core/approval.ts'
import {
  assessBaseline,
  type BaselineOrigin,
  type BaselineState,
  type LoadedBaseline,
  learnedFrom,
  toBaseline,
} from './core/baseline.ts'
import type { CaseReport } from './core/case-report.ts'
import { type Change, compare } from './core/comparison.ts'
import { TargetError, UserError } from './core/errors.ts'
import type { Host } from './core/host.ts'
import { resolveIdentity } from './core/identity.ts'
import type { Json } from './core/json.ts'
import { REPORT_VERSION, type Report } from './core/report.ts'
import type { RunResult } from './core/result.ts'
import { type Gate, judge, runsDone, totalRuns } from './core/verdict.ts'
import { plainText } from './lib/escape.ts'
import type { Reporter } from './reporters/reporter.ts'
import { endedRun } from './runner/ended-run.ts'
import { execute } from './runner/execute.ts'
import { gather } from './runner/gather.ts'
import { type EndedRun, type Plan, plannedRuns } from './runner/plan.ts'
import { disposeAll, type Prepared } from './setup/prepare.ts'
import { VERSION } from './version.ts'

/** Where results go and what they are compared with; the entry decides. */
export interface Ports {
  readonly reporter: Reporter
  /** Finds what to compare with; absent when no baseline was asked for. */
  readonly loadBaseline?: () => Promise<LoadedBaseline>
  /** Saved to after a complete run. */
  readonly saveTo?: BaselineStore
  /** The tested commit where it is known for sure, so that a baseline is never compared with itself. */
  readonly commit?: string
  readonly origin: BaselineOrigin
}

/** The story, between what its author wants before and after everything. Everything was loaded and checked before. */
export async function runTests(prepared: Prepared, config: Config, host: Host, ports: Ports): Promise<Report> {
  const { aroundAll, around, targets, means } = prepared
  const ended: EndedRun[] = []
  let data: Json = null
  try {
    data = await beforeAll(prepared)
    const reporter = aroundAll.after ? keepingEnded(ports.reporter, ended) : ports.reporter
    return await runAndReport(prepared, config, host, { ...ports, reporter })
  } finally {
    // Last, and whatever happened: it puts away what was set up.
    await afterAll(aroundAll, { ended, data }, host)
    await disposeAll([...targets, means, around])
  }
}

async function beforeAll({ aroundAll, plan }: Prepared): Promise<Json> {
  try {
    return (await aroundAll.before?.(plan.cases.map(({ item }) => item))) ?? null
  } catch (error) {
    if (!(error instanceof TargetError)) throw error
    throw new UserError(error.message, { code: 'INVALID_SUITE', cause: error })
  }
}

interface Finished {
  readonly ended: readonly EndedRun[]
  readonly data: Json
}

async function afterAll({ after }: Prepared['aroundAll'], { ended, data }: Finished, host: Host): Promise<void> {
  try {
    await after?.(ended, data)
  } catch (error) {
    if (!(error instanceof TargetError)) throw error
    host.log.warn(error.message)
  }
}

function keepingEnded(reporter: Reporter, ended: EndedRun[]): Reporter {
  return {
    ...reporter,
    async onRun(result, item) {
      ended.push(endedRun(result, item.id))
      await reporter.onRun?.(result, item)
    },
  }
}

/** Run, judge, report, save. */
async function runAndReport(prepared: Prepared, config: Config, host: Host, ports: Ports): Promise<Report> {
  const { plan, targets, warnings } = prepared
  const startedAt = host.now()
  const loaded = await ports.loadBaseline?.()
  const { reporter } = ports
  const labels = targets.map((target) => target.label)
  const connector = config.connector === undefined ? {} : { connector: config.connector }
  await reporter.onStart?.({
    startedAt: timestamp(startedAt),
    cases: plan.cases.map(({ item }) => item),
    runsPerCase: plan.runsPerCase,
    targets: labels,
    ...connector,
  })

  const approvals = new Map<string, Set<string>>()
  const session = { plan: { ...plan, learned: learnedFrom(loaded) }, approvals }
  const cases = await runAll(session, config, host, reporter)

  const gate = gateOf(config)
  const baseline: BaselineState = loaded ? assessBaseline(loaded, { cases, commit: ports.commit }) : { kind: 'off' }
  const changes = changesAgainst(baseline, cases, config)
  const evidence = { cases, changes, baseline, plannedRuns: plannedRuns(plan), interrupted: host.signal.aborted }
  const finishedAt = host.now()
  const report: Report = {
    schemaVersion: REPORT_VERSION,
    version: VERSION,
    startedAt: timestamp(startedAt),
    finishedAt: timestamp(finishedAt),
    durationMs: finishedAt - startedAt,
    inputs: config.input,
    targets: labels,
    ...connector,
    identity: resolveIdentity({ flags: plan.flags, context: plan.context }),
    runsPerCase: plan.runsPerCase,
    cases,
    baseline,
    changes,
    gate,
    verdict: judge(evidence, gate),
    warnings,
  }
  // Saved whatever the verdict: a baseline that only green runs renew goes stale. Never from a part of the suite.
  const runs = totalRuns(cases)
  const isComplete = runs > 0 && runsDone(cases) === plannedRuns(plan) && config.run === undefined
  try {
    await reporter.onEnd?.(report)
  } finally {
    // After the report: what cannot be saved, or takes its time, must not cost the results.
    if (isComplete) await ports.saveTo?.save(toBaseline(cases, timestamp(finishedAt), ports.origin, approvals))
    else if (ports.saveTo)
      host.log.info(`The baseline is not saved: ${runs === 0 ? 'nothing' : 'only a part of the suite'} was run.`)
  }
  return report
}

interface Session {
  readonly plan: Plan
  /** Takes what had leave in passed runs. */
  readonly approvals: Map<string, Set<string>>
}

async function runAll(
  { plan, approvals }: Session,
  config: Config,
  host: Host,
  reporter: Reporter,
): Promise<CaseReport[]> {
  const gathering = gather(plan, host.secrets)
  for (const [index, { item }] of plan.cases.entries()) {
    if (item.skip !== undefined) await reporter.onCase?.(gathering.report(index))
  }
  for await (const finished of execute(config.verbose ? tellingOf(plan, host) : plan, host)) {
    await reporter.onRun?.(finished.result, finished.planned.item)
    const complete = gathering.add(finished)
    if (finished.result.status === 'passed') noteApprovals(finished.result, approvals)
    if (complete) await reporter.onCase?.(complete)
    const { status } = finished.result
    if (config['fail-fast'] && status !== 'passed' && status !== 'skipped') break
  }
  return gathering.reports()
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

function changesAgainst(state: BaselineState, cases: readonly CaseReport[], config: Config): Change[] {
  if (state.kind !== 'ok') return []
  const changes = compare(state.baseline, cases, config['min-pass-rate'])
  // Under --run the other cases are not gone, only not asked for.
  return config.run === undefined ? changes : changes.filter((change) => change.kind !== 'removed')
}

function gateOf(config: Config): Gate {
  return {
    failOn: config['fail-on'],
    minPassRate: config['min-pass-rate'],
    maxErrorRate: config['max-error-rate'],
    allowEmpty: config['allow-empty'],
    requireBaseline: config['require-baseline'],
    onBaselineError: config['on-baseline-error'],
  }
}

function timestamp(ms: number): string {
  return new Date(ms).toISOString()
}
