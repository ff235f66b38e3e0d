import { describeBaseline } from '../core/baseline.ts'
import { type CaseReport, caseStatus } from '../core/case-report.ts'
import type { Change } from '../core/comparison.ts'
import type { CasePool } from '../core/history.ts'
import type { Judgement } from '../core/judgement.ts'
import type { Report } from '../core/report.ts'
import { ratePercent } from '../core/result.ts'
import { describeNote, describeSensitivity } from '../core/verdict.ts'
import {
  agentId,
  type CaseExtras,
  RESULTS_VERSION,
  type ResultFields,
  resultFields,
  stabilityFields,
  summaryFields,
} from './results.ts'
import type { TimelineFields } from './timeline-data.ts'

/** A run in `run_details`. */
export type NumberedRun = ResultFields & { readonly run: number; readonly timeline?: TimelineFields }

/** What stands before the results. Names of spec yao 5.2; `verdict`, `baseline` and `changes` are ours. */
export function reportHead(report: Report, exitCode: number) {
  const { identity, connector, baseline, verdict } = report
  return {
    schemaVersion: RESULTS_VERSION,
    summary: {
      ...summaryFields(report, exitCode),
      agent_id: agentId(report.targets),
      ...(connector === undefined ? {} : { connector }),
    },
    environment: {
      user_id: identity.user,
      team_id: identity.team,
      locale: identity.locale,
      client_type: identity.client.type,
      client_ip: identity.client.ip,
      referer: identity.referer,
      accept: identity.accept,
    },
    verdict: {
      passed: verdict.passed,
      conclusion: verdict.conclusion,
      exit_reason: verdict.exitReason,
      reasons: verdict.reasons,
      notes: verdict.notes.map((note) => ({ ...note, message: describeNote(note) })),
    },
    ...(report.judgement === undefined ? {} : { judgement: judgementFields(report.judgement) }),
    spending: spendingFields(report),
    baseline: {
      state: baseline.kind,
      message: describeBaseline(baseline),
      ...(baseline.kind === 'ok' && baseline.baseline.commit !== undefined ? { commit: baseline.baseline.commit } : {}),
    },
    changes: report.changes.map((change) => changeFields(change, report.pools.get(change.key))),
    ...(report.proposals.length === 0 ? {} : { proposals: report.proposals }),
  }
}

function judgementFields(judgement: Judgement) {
  return { ...judgement, sensitivity: { ...judgement.sensitivity, message: describeSensitivity(judgement) } }
}

/** A null cost is not known; `known_cost_usd` is of the runs whose price is. */
function spendingFields({ spending: { tokens, costUsd, unpricedRuns, unmeteredRuns } }: Report) {
  return {
    tokens,
    cost_usd: unpricedRuns + unmeteredRuns > 0 ? null : costUsd,
    known_cost_usd: costUsd,
    unpriced_runs: unpricedRuns,
    unmetered_runs: unmeteredRuns,
  }
}

function changeFields(change: Change, pool: CasePool | undefined) {
  const before = 'before' in change ? change.before : undefined
  const after = 'after' in change ? change.after : undefined
  return {
    key: change.key,
    kind: change.kind,
    ...(before === undefined ? {} : { before: { ...before, pass_rate: ratePercent(before) } }),
    ...(after === undefined ? {} : { after: { ...after, pass_rate: ratePercent(after) } }),
    ...('finding' in change ? { finding: change.finding } : {}),
    ...(pool === undefined ? {} : { pool: poolFields(pool) }),
  }
}

/** What is known of the case on the base branch. */
function poolFields({ state, runs, counts, sessions, restarted }: CasePool) {
  return {
    state,
    runs: runs.length,
    passed: counts.passed,
    failed: counts.failed,
    sessions: sessions.length,
    ...(restarted === undefined ? {} : { restarted }),
  }
}

/** What stands after the results. */
export function reportTail(report: Report, { outputFile }: { readonly outputFile?: string } = {}) {
  const { cases, gate } = report
  return {
    skipped: cases.flatMap(({ suite, id, skip }) => (skip === undefined ? [] : [{ suite, id, reason: skip }])),
    not_run: cases
      .filter((item) => caseStatus(item) === 'not_run' && item.unchanged === undefined)
      .map(({ suite, id }) => ({ suite, id })),
    ...unchangedList(cases),
    metadata: {
      started_at: report.startedAt,
      completed_at: report.finishedAt,
      version: report.version,
      input_file: report.inputs.join(', '),
      ...(outputFile === undefined ? {} : { output_file: outputFile }),
      options: {
        runs: report.runsPerCase,
        max_runs: report.maxRuns,
        min_pass_rate: gate.minPassRate,
        fail_on: gate.failOn,
        max_error_rate: gate.maxErrorRate,
      },
      warnings: report.warnings,
    },
  }
}

/** Cases that were not run again because nothing they depend on was changed; absent where there are none. */
function unchangedList(cases: readonly CaseReport[]) {
  const unchanged = cases.flatMap((item) =>
    item.unchanged === undefined ? [] : [{ suite: item.suite, id: item.id, reason: item.unchanged }],
  )
  return unchanged.length === 0 ? {} : { unchanged }
}

/** Cases that belong into `results`: a skipped or never started one has no rate. */
export function executedOf({ cases }: Report): CaseReport[] {
  return cases.filter(({ stability }) => stability.runs > 0)
}

/** A case in `results`: always with a numeric pass rate; with several runs also their spread and each of them. */
export function resultRow(
  item: CaseReport,
  runs: readonly NumberedRun[],
  { runsPerCase, extras = {} }: { readonly runsPerCase: number; readonly extras?: CaseExtras },
) {
  const { suite, id, input, stability } = item
  const name = { id, suite, status: caseStatus(item), input }
  const [first] = runs
  if (runsPerCase === 1 && first) {
    const { run: _run, status: _status, ...fields } = first
    // Yao has one member for what the case says and for what became of its conversation.
    const metadata = fields.metadata ? { metadata: { ...extras.metadata, ...fields.metadata } } : {}
    return { ...name, pass_rate: stability.passRate, ...fields, ...extras, ...metadata }
  }
  const failed = runs.find((run) => run.error !== undefined)
  const assertions = (failed ?? first)?.assertions
  return {
    ...name,
    ...stabilityFields(item),
    duration_ms: Math.round(stability.durationMs.mean),
    ...(failed?.error === undefined ? {} : { error: failed.error }),
    ...(assertions === undefined ? {} : { assertions }),
    ...extras,
    run_details: runs,
  }
}

/** A case in `stability_results`: exactly Yao's fields, without traces. */
export function stabilityRow(item: CaseReport, runs: readonly NumberedRun[]) {
  const { suite, id, input } = item
  return {
    id,
    suite,
    input,
    ...stabilityFields(item),
    run_details: runs.map(({ run, status, duration_ms, output, error }) => ({
      run,
      status,
      duration_ms,
      output,
      error,
    })),
  }
}

/** The whole document from what a report keeps: passed runs are without output, and there are no traces. */
export function jsonReport(report: Report, exitCode: number) {
  const { runsPerCase } = report
  const results = executedOf(report).map((item) => {
    const runs = item.runs.map((run) => ({ run: run.run, ...resultFields(run, { onlyFailed: true }) }))
    return resultRow(item, runs, { runsPerCase })
  })
  return { ...reportHead(report, exitCode), results, ...reportTail(report) }
}
