import { type CaseEvidence, isComparable, stage1Pair } from './case-evidence.ts'
import { type Pair, runsOf, swapSides } from './counts.ts'
import type { GateSettings } from './gate-settings.ts'
import { isWithin } from './limit.ts'
import { type ShuffleTest, shuffleTest } from './shuffle-test.ts'

export interface SuiteTest extends ShuffleTest {
  /** Runs of the first stage here that were compared. */
  readonly runs: number
  readonly fires: boolean
}

/**
 * Whether the suite as a whole failed more than shuffling explains; on the first stage alone. Source: spec verdict 4.2,
 * step 2.
 */
export function suiteTest(cases: readonly CaseEvidence[], { alphaSuite }: GateSettings): SuiteTest {
  return judgePairs(cases.filter(isComparable).map(stage1Pair), alphaSuite)
}

/** The same the other way round: whether the suite got better. Information only. */
export function suiteImprovement(cases: readonly CaseEvidence[], { alphaSuite }: GateSettings): SuiteTest {
  return judgePairs(cases.filter(isComparable).map(stage1Pair).map(swapSides), alphaSuite)
}

function judgePairs(pairs: readonly Pair[], alphaSuite: number): SuiteTest {
  const test = shuffleTest(pairs)
  return {
    ...test,
    runs: pairs.reduce((sum, { current }) => sum + runsOf(current), 0),
    fires: isWithin(test.p, alphaSuite),
  }
}
