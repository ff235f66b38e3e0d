import { type CaseEvidence, isComparable, stage1Pair } from './case-evidence.ts'
import { type Pair, runsOf, swapSides } from './counts.ts'
import { fisherTail } from './fisher.ts'
import type { GateSettings } from './gate-settings.ts'
import { isWithin } from './limit.ts'
import { selectiveTail } from './selective-tail.ts'
import { type AdjustedTest, type AttainableTest, stepDownMinP } from './step-down.ts'
import { isSuspicious } from './suspicion.ts'

export interface CaseTest extends AdjustedTest {
  /** Place of the case in the evidence. */
  readonly place: number
  /** A drop this bad in any of the tested cases is rarer than the limit when nothing changed. */
  readonly flagged: boolean
}

type Numbered = readonly (readonly [place: number, item: CaseEvidence])[]

/** Places of the cases worth more runs. Source: spec verdict 4.2, step 4. */
export function suspiciousCases(cases: readonly CaseEvidence[], { screen }: GateSettings): number[] {
  return comparable(cases).flatMap(([place, item]) => (isSuspicious(stage1Pair(item), screen) ? [place] : []))
}

/**
 * Which cases got worse: the exact tail of each case that was chosen for more runs, given that it was chosen, adjusted
 * for all of them. Without re-runs (`maxRuns` = `runs`) nothing is chosen and every case is tested. One result for each
 * tested case. Source: spec verdict 4.2, step 6.
 */
export function caseTest(cases: readonly CaseEvidence[], settings: GateSettings): CaseTest[] {
  return flag(testedCases(cases, settings), (item) => attainableTest(item, settings), settings)
}

/** Which cases got better, on the first stage alone. Information only. */
export function caseImprovements(cases: readonly CaseEvidence[], settings: GateSettings): CaseTest[] {
  return flag(comparable(cases), (item) => plainTest(swapSides(stage1Pair(item))), settings)
}

/** Each tested case with every p-value that it could have had. */
export function attainableTests(cases: readonly CaseEvidence[], settings: GateSettings): AttainableTest[] {
  return testedCases(cases, settings).map(([, item]) => attainableTest(item, settings))
}

/** Whether suspicious cases are run again. */
export function isAdaptive({ runs, maxRuns }: Pick<GateSettings, 'runs' | 'maxRuns'>): boolean {
  return maxRuns > runs
}

function testedCases(cases: readonly CaseEvidence[], settings: GateSettings): Numbered {
  if (!isAdaptive(settings)) return comparable(cases)
  return comparable(cases).filter(([, item]) => isSuspicious(stage1Pair(item), settings.screen))
}

function comparable(cases: readonly CaseEvidence[]): Numbered {
  return [...cases.entries()].filter(([, item]) => isComparable(item))
}

function flag(numbered: Numbered, test: (item: CaseEvidence) => AttainableTest, settings: GateSettings): CaseTest[] {
  const results = stepDownMinP(
    numbered.map(([, item]) => test(item)),
    settings.flakyWeight,
  )
  return numbered.flatMap(([place], index) => {
    const result = results[index]
    return result ? [{ place, ...result, flagged: isWithin(result.adjusted, settings.alphaCase) }] : []
  })
}

function attainableTest({ baseline, stage1, all }: CaseEvidence, settings: GateSettings): AttainableTest {
  if (!isAdaptive(settings)) return plainTest({ baseline, current: all })
  const failed = baseline.failed + all.failed
  const selection = {
    baselineRuns: runsOf(baseline),
    stage1Runs: runsOf(stage1),
    allRuns: runsOf(all),
    screen: settings.screen,
  }
  return { tail: selectiveTail(selection, failed), failed, observed: all.failed }
}

function plainTest(pair: Pair): AttainableTest {
  return { tail: fisherTail(pair), failed: pair.baseline.failed + pair.current.failed, observed: pair.current.failed }
}
