import type { Config } from '../config/config.ts'
import type { LoadedBaseline } from '../core/baseline.ts'
import type { ConversationPlan } from '../core/conversation.ts'
import { type CaseEstimate, estimateCase } from '../core/estimate.ts'
import type { Host } from '../core/host.ts'
import { resolveIdentity } from '../core/identity.ts'
import { poolsOf } from '../core/pools.ts'
import { redactDeep } from '../core/redact.ts'
import { GATE_DEFAULTS } from '../core/statistics/gate-settings.ts'
import { formatDuration } from '../lib/duration.ts'
import { gateOf } from '../pipeline/gate-of.ts'
import { formatCount, formatTokens, formatUsd, plural } from '../render/index.ts'
import { gather } from '../runner/gather.ts'
import { isRun, optionsOf, type Plan, type PlannedCase, timeoutOf } from '../runner/plan.ts'
import type { Prepared } from '../setup/prepare.ts'

/**
 * `--dry-run`: one JSON line a case on standard output, and what it would take in all to the log; no agent is called and
 * nothing written. Source: spec yao 10.3.
 */
export function listPlan(
  { plan, baseline }: Prepared,
  config: Config,
  host: Host,
  loaded: LoadedBaseline | undefined = baseline,
): void {
  const history = loaded?.kind === 'ok' ? loaded.baseline : undefined
  const reports = gather(plan, host.secrets).reports()
  const { runsPerCase, maxRuns, prices } = plan
  const forecast = {
    pools: history ? poolsOf(history, reports, host.now()) : new Map(),
    gate: gateOf(config),
    settings: { ...GATE_DEFAULTS, runs: runsPerCase, maxRuns },
    prices,
  }
  const estimates: CaseEstimate[] = []
  for (const [index, planned] of plan.cases.entries()) {
    const report = reports[index]
    if (!report) continue
    const estimate = estimateCase(report, forecast)
    estimates.push(estimate)
    const line = { ...lineOf(planned, plan), ...(history ? { estimate: estimateFields(estimate) } : {}) }
    host.print(`${inert(JSON.stringify(redactDeep(line, host.secrets)))}\n`)
  }
  host.log.info(estimateText(estimates, plan))
}

/** Null is not known. */
function estimateFields({ runs, tokens, costUsd, durationMs }: CaseEstimate) {
  return { runs, tokens: rounded(tokens), cost_usd: costUsd ?? null, duration_ms: rounded(durationMs) }
}

function rounded(value: number | undefined): number | null {
  return value === undefined ? null : Math.round(value)
}

/** `About 420 runs (300 to 1,500), 1.2M tokens, $3.40, 12m 5s; 12 cases without history`. */
function estimateText(estimates: readonly CaseEstimate[], { parallel, cases }: Plan): string {
  const total = (figure: (estimate: CaseEstimate) => number | undefined) =>
    estimates.reduce((sum, estimate) => sum + (figure(estimate) ?? 0), 0)
  const [least, most] = [total(({ runs }) => runs.least), total(({ runs }) => runs.most)]
  const expected = Math.round(total(({ runs }) => runs.expected))
  const runs = plural(expected, 'run')
  const tokens = total((estimate) => estimate.tokens)
  const unpriced = estimates.filter(({ tokens: used, costUsd }) => used !== undefined && costUsd === undefined).length
  const durationMs = total((estimate) => estimate.durationMs) / parallel
  const unknown = estimates.filter(
    ({ runs: { least: planned }, durationMs: took }) => planned > 0 && took === undefined,
  )
  const figures = [
    least === most ? runs : `about ${runs} (${formatCount(least)} to ${formatCount(most)})`,
    tokens === 0 ? [] : `${formatTokens(Math.round(tokens))} tokens`,
    tokens === 0
      ? []
      : costText(
          total((estimate) => estimate.costUsd),
          unpriced,
        ),
    durationMs === 0 ? [] : formatDuration(durationMs),
  ].flat()
  const remarks = [
    unknown.length === 0 ? [] : `${plural(unknown.length, 'case')} without history`,
    tokens > 0 && cases.some(({ means }) => means?.ask) ? 'judges and simulated users apart' : [],
  ].flat()
  const text = [figures.join(', '), ...remarks].join('; ')
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`
}

/** What has no price is not counted as free. */
function costText(costUsd: number, unpriced: number): string {
  if (unpriced === 0) return formatUsd(costUsd)
  return costUsd === 0 ? 'cost unknown' : `at least ${formatUsd(costUsd)}`
}

function lineOf(planned: PlannedCase, plan: Plan) {
  const { item, target, unchanged } = planned
  const { user, team } = resolveIdentity({ flags: plan.flags, context: plan.context, case: item })
  const { conversation, metadata, skip } = item
  return {
    suite: item.suite,
    id: item.id,
    line: item.location.line,
    runs: isRun(planned) ? plan.runsPerCase : 0,
    target: target.label,
    timeout_ms: timeoutOf(item, plan),
    user,
    team,
    input: item.input,
    assertions: item.assertions,
    options: optionsOf(item, plan),
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
    ...(conversation === undefined ? {} : conversationFields(conversation)),
    ...(skip === undefined ? {} : { skip }),
    ...(unchanged === undefined ? {} : { unchanged }),
  }
}

/** As in a record, with every default filled in. */
function conversationFields({ simulator, checkpoints, maxTurns }: ConversationPlan) {
  const { agent, metadata, connector } = simulator
  return {
    simulator: { use: agent, options: { metadata, ...(connector === undefined ? {} : { connector }) } },
    checkpoints: checkpoints.map(({ assertions, ...rest }) => ({ ...rest, assert: assertions })),
    max_turns: maxTurns,
  }
}

/** What JSON leaves as it is and a terminal obeys, or a reader takes for the end of a line, in JSON's own escapes. */
function inert(json: string): string {
  return json.replace(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
