import type { Baseline } from './baseline.ts'
import { type Change, compare } from './comparison.ts'
import { addCounts, caseEvidence, comparablePool, type GateState, rateOf, rateOfSome } from './gate-evidence.ts'
import type { CaseFinding, ControlState, Judgement, Sensitivity, SuiteFinding } from './judgement.ts'
import { resourceFindings } from './resource-findings.ts'
import { type CaseEvidence, isComparable } from './statistics/case-evidence.ts'
import { attainableTests, caseImprovements } from './statistics/case-test.ts'
import { type Counts, runsOf } from './statistics/counts.ts'
import { mdc } from './statistics/detectable-change.ts'
import { suiteMdc } from './statistics/detectable-suite-change.ts'
import { median } from './statistics/durations.ts'
import { type Batches, type GateVerdict, nextStep } from './statistics/gate.ts'
import type { GateSettings } from './statistics/gate-settings.ts'
import { levelBeside } from './statistics/step-down.ts'

/** Everything that was run, and what it is compared with. */
export interface JudgedState extends GateState {
  /** Absent where there is none that can be compared with: then there are no changes either. */
  readonly baseline?: Baseline | undefined
}

export interface Judged {
  /** Absent where not one case can be compared. */
  readonly judgement?: Judgement
  readonly changes: readonly Change[]
}

/** What the statistics say once nothing more is run; a batch that was never made counts as unavailable. */
export function makeJudgement(state: JudgedState, { control }: { readonly control: ControlState }): Judged {
  const { cases, pools, baseline, settings } = state
  if (!baseline) return { changes: [] }
  const evidence = caseEvidence(state)
  const verdict = verdictOf(evidence, state)
  if (!verdict) return { changes: compare(cases, { pools, baseline, findings: { cases: [], improved: [] } }) }
  const findings = {
    cases: caseFindings(verdict, evidence, state),
    improved: caseImprovements(evidence, settings).flatMap(({ place, flagged }) => {
      const key = cases[place]?.key
      return flagged && key !== undefined ? [key] : []
    }),
  }
  const judgement: Judgement = {
    settings,
    suite: suiteFinding(verdict, evidence),
    ...findings,
    sensitivity: sensitivityOf(evidence, settings),
    resources: resourceFindings(comparedCases(evidence, state), { runsPerCase: settings.runs, gate: state.gate }),
    control,
  }
  return { judgement, changes: compare(cases, { pools, baseline, findings }) }
}

function verdictOf(evidence: readonly CaseEvidence[], { batches, settings }: JudgedState): GateVerdict | undefined {
  if (!evidence.some(isComparable)) return undefined
  const step = nextStep(evidence, closed(batches), settings)
  return step.kind === 'verdict' ? step : undefined
}

function closed({ suiteControl, reruns, control }: Batches): Batches {
  const close = (batch: Batches['control']) => (batch === 'open' ? 'unavailable' : batch)
  return { suiteControl: close(suiteControl), reruns: close(reruns), control: close(control) }
}

function caseFindings(verdict: GateVerdict, evidence: readonly CaseEvidence[], { cases }: JudgedState): CaseFinding[] {
  return verdict.cases.flatMap(({ place, adjusted, flagged, outcome }): CaseFinding[] => {
    const [item, known] = [cases[place], evidence[place]]
    if (!item || !known) return []
    const control = known.control && rateOfSome(known.control)
    return [
      {
        key: item.key,
        before: rateOf(known.baseline),
        after: rateOf(known.all),
        p: adjusted,
        flagged,
        outcome,
        ...(control ? { control } : {}),
      },
    ]
  })
}

function suiteFinding({ suite }: GateVerdict, evidence: readonly CaseEvidence[]): SuiteFinding {
  const { observed, expected, runs, p, fires, outcome } = suite
  const control = rateOfSome(addCounts(evidence.flatMap(({ suiteControl }) => suiteControl ?? [])))
  return {
    failed: observed,
    runs,
    cases: evidence.filter(isComparable).length,
    expected,
    p,
    fires,
    outcome,
    ...(control ? { control } : {}),
  }
}

function comparedCases(evidence: readonly CaseEvidence[], { cases, pools }: JudgedState) {
  return cases.flatMap((item, place) => {
    const known = evidence[place]
    const pool = comparablePool(pools, item.key)
    return known && pool && isComparable(known) ? [{ item, before: pool.runs }] : []
  })
}

/** Of an always-passing case with the usual number of runs on the base branch, beside the cases that are tested now. */
function sensitivityOf(evidence: readonly CaseEvidence[], settings: GateSettings): Sensitivity {
  const baselines = evidence.filter(isComparable).map(({ baseline }) => baseline)
  const baselineRuns = Math.floor(median(baselines.map(runsOf)) ?? 0)
  const baseline: Counts = { passed: baselineRuns, failed: 0 }
  const level = levelBeside(attainableTests(evidence, settings), {
    alpha: settings.alphaCase,
    flakyWeight: settings.flakyWeight,
    isSpotless: true,
  })
  const { runs, maxRuns, screen } = settings
  const plan = { runs, maxRuns, screen, baseline, level }
  const [drop80, drop50, suite80] = [mdc(plan, 0.8), mdc(plan, 0.5), suiteMdc(baselines, settings, 0.8)]
  return {
    baselineRuns,
    comparedCases: baselines.length,
    ...(drop80 === undefined ? {} : { caseDrop80: drop80 }),
    ...(drop50 === undefined ? {} : { caseDrop50: drop50 }),
    ...(suite80 === undefined ? {} : { suiteDrop80: suite80 }),
  }
}
