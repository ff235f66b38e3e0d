import type { Config } from '../config/config.ts'
import { assessBaseline, type BaselineState, type LoadedBaseline } from '../core/baseline.ts'
import type { Change } from '../core/comparison.ts'
import type { Pools } from '../core/history.ts'
import type { Host } from '../core/host.ts'
import type { Identity } from '../core/identity.ts'
import type { Judgement } from '../core/judgement.ts'
import { toBaseline } from '../core/make-baseline.ts'
import { makeJudgement } from '../core/make-judgement.ts'
import { poolsOf } from '../core/pools.ts'
import { proposeQuarantine } from '../core/quarantine.ts'
import { REPORT_VERSION, type Report } from '../core/report.ts'
import { judge, runsDone, totalRuns, type Verdict } from '../core/verdict.ts'
import type { Waiver } from '../core/waiver.ts'
import { acceptedHashes } from '../policies/index.ts'
import type { Reporter } from '../reporters/reporter.ts'
import { VERSION } from '../version.ts'
import { gateOf } from './gate-of.ts'
import type { Ports } from './ports.ts'
import { type Gathered, settingsOf } from './rounds.ts'

/** What is to be judged, from wherever it was gathered. */
export interface ToJudge extends Gathered {
  readonly startedAtMs: number
  /** How long it took, where that is not until now. */
  readonly durationMs?: number
  readonly inputs: readonly string[]
  readonly targets: readonly string[]
  readonly connector?: string
  readonly identity: Identity
  readonly runsPerCase: number
  readonly maxRuns: number
  /** Runs of the first stage, skipped cases apart. */
  readonly plannedRuns: number
  readonly warnings: readonly string[]
  /** From the committed files. */
  readonly waivers: readonly Waiver[]
}

interface Surroundings {
  readonly loaded: LoadedBaseline | undefined
  readonly config: Config
  readonly host: Host
  readonly ports: Ports
  /** The ports' own unless something listens along. */
  readonly reporter: Reporter
}

/** Judges, reports, and saves the baseline. */
export async function conclude(gathered: ToJudge, surroundings: Surroundings): Promise<Report> {
  const { ports, reporter, host, config } = surroundings
  const waivers = [...gathered.waivers, ...((await ports.moreWaivers?.()) ?? [])]
  const report = makeReport({ ...gathered, waivers }, surroundings)
  const { cases } = report
  // Saved whatever the verdict: a baseline that only green runs renew goes stale. Never from a part of the suite.
  const runs = totalRuns(cases)
  const isWhole = runs > 0 && runsDone(cases) >= gathered.plannedRuns && !ports.isPart
  const isComplete = isWhole && config.run === undefined && cases.every(({ unchanged }) => unchanged === undefined)
  try {
    await reporter.onEnd?.(report)
  } finally {
    // After the report: what cannot be saved, or takes its time, must not cost the results.
    if (isComplete) {
      const { runsPerCase, approvals } = gathered
      const more = { approvals, runsPerCase, accepted: acceptedHashes(waivers, cases) }
      await ports.saveTo?.save((earlier) => toBaseline(cases, report.finishedAt, ports.origin, { ...more, earlier }))
    } else if (ports.saveTo) {
      host.log.info(`The baseline is not saved: ${runs === 0 ? 'nothing' : 'only a part of the suite'} was run.`)
    }
  }
  return report
}

interface JudgedWith extends Omit<Surroundings, 'reporter' | 'ports'> {
  readonly ports: Pick<Ports, 'commit' | 'isPart'>
}

/** The report on what was gathered; nothing is told and nothing saved. */
export function makeReport(gathered: ToJudge, { loaded, config, host, ports }: JudgedWith): Report {
  const { cases, startedAtMs, plannedRuns, interrupted, stoppedBy, spending, waivers } = gathered
  const gate = gateOf(config)
  const finishedAt = host.now()
  const today = timestamp(finishedAt).slice(0, 10)
  const compared = compareWith(gathered, { loaded, config, host, ports })
  const evidence = {
    ...compared,
    cases,
    runsPerCase: gathered.runsPerCase,
    plannedRuns,
    interrupted,
    waivers,
    today,
    spending,
    costLimited: config['max-cost'] !== undefined,
    ...(stoppedBy === undefined ? {} : { stoppedBy }),
  }
  const verdict = judge(evidence, gate)
  return {
    schemaVersion: REPORT_VERSION,
    version: VERSION,
    startedAt: timestamp(startedAtMs),
    finishedAt: timestamp(finishedAt),
    durationMs: gathered.durationMs ?? finishedAt - startedAtMs,
    inputs: gathered.inputs,
    targets: gathered.targets,
    ...(gathered.connector === undefined ? {} : { connector: gathered.connector }),
    identity: gathered.identity,
    runsPerCase: gathered.runsPerCase,
    maxRuns: gathered.maxRuns,
    cases,
    ...compared,
    spending,
    proposals: proposeQuarantine(compared.pools, cases, { today, waivers }),
    gate,
    verdict: ports.isPart ? ofPart(verdict) : verdict,
    warnings: gathered.warnings,
  }
}

/** A shard is judged with the others: on its own it only says whether it came to its end. */
function ofPart(verdict: Verdict): Verdict {
  const reasons = verdict.reasons.filter(({ kind }) => UNFINISHED.includes(kind))
  if (reasons.length > 0) return { ...verdict, reasons }
  return { passed: true, conclusion: 'neutral', exitReason: 'passed', reasons: [], notes: [] }
}

const UNFINISHED: readonly string[] = ['interrupted', 'stopped_early', 'budget_reached']

interface Compared {
  readonly baseline: BaselineState
  readonly changes: readonly Change[]
  readonly pools: Pools
  readonly judgement?: Judgement
}

function compareWith(gathered: ToJudge, { loaded, config, host, ports }: JudgedWith): Compared {
  const { cases, controls } = gathered
  const state: BaselineState = loaded ? assessBaseline(loaded, { cases, commit: ports.commit }) : { kind: 'off' }
  if (state.kind !== 'ok') return { baseline: state, changes: [], pools: new Map() }
  const pools = poolsOf(state.baseline, cases, host.now())
  const settings = settingsOf(gathered)
  const batches = { suiteControl: 'done', reruns: 'done', control: 'done' } as const
  const judged = makeJudgement(
    { cases, pools, controls, batches, gate: gateOf(config), settings, baseline: state.baseline },
    { control: controls.state },
  )
  const { changes } = judged
  return {
    baseline: state,
    pools,
    ...(judged.judgement ? { judgement: judged.judgement } : {}),
    // Under --run, and in a shard, the other cases are not gone, only not asked for.
    changes: isPartOf(config, ports) ? changes.filter(({ kind }) => kind !== 'removed') : changes,
  }
}

function isPartOf(config: Config, { isPart }: Pick<Ports, 'isPart'>): boolean {
  return config.run !== undefined || config.tag.length > 0 || isPart === true
}

function timestamp(ms: number): string {
  return new Date(ms).toISOString()
}
