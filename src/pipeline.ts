import type { BaselineStore } from './baselines/index.ts'
import type { Config } from './config/config.ts'
import {
  assessBaseline,
  type BaselineOrigin,
  type BaselineState,
  type LoadedBaseline,
  toBaseline,
} from './core/baseline.ts'
import type { CaseReport } from './core/case-report.ts'
import { type Change, compare } from './core/comparison.ts'
import type { Host } from './core/host.ts'
import { resolveIdentity } from './core/identity.ts'
import { REPORT_VERSION, type Report } from './core/report.ts'
import { type Gate, judge, totalRuns } from './core/verdict.ts'
import type { Reporter } from './reporters/reporter.ts'
import { execute } from './runner/execute.ts'
import { gather } from './runner/gather.ts'
import { plannedRuns } from './runner/plan.ts'
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

/** The story: run, judge, report, save. Everything was loaded and checked before. */
export async function runTests(prepared: Prepared, config: Config, host: Host, ports: Ports): Promise<Report> {
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

  const cases = await runAll(prepared, config, host, reporter)

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
  const isComplete = runs > 0 && runs === plannedRuns(plan) && config.run === undefined
  try {
    await reporter.onEnd?.(report)
  } finally {
    // After the report: what cannot be saved, or takes its time, must not cost the results.
    if (isComplete) await ports.saveTo?.save(toBaseline(cases, timestamp(finishedAt), ports.origin))
    else if (ports.saveTo)
      host.log.info(`The baseline is not saved: ${runs === 0 ? 'nothing' : 'only a part of the suite'} was run.`)
  }
  return report
}

async function runAll(
  { plan, targets }: Prepared,
  config: Config,
  host: Host,
  reporter: Reporter,
): Promise<CaseReport[]> {
  const gathering = gather(plan, host.secrets)
  for (const [index, { item }] of plan.cases.entries()) {
    if (item.skip !== undefined) await reporter.onCase?.(gathering.report(index))
  }
  try {
    for await (const finished of execute(plan, host)) {
      await reporter.onRun?.(finished.result, finished.planned.item)
      const complete = gathering.add(finished)
      if (complete) await reporter.onCase?.(complete)
      if (config['fail-fast'] && finished.result.status !== 'passed') break
    }
  } finally {
    await disposeAll(targets)
  }
  return gathering.reports()
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
