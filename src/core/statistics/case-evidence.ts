import { type Counts, type Pair, runsOf } from './counts.ts'
import { YOUNG_BELOW } from './gate-settings.ts'

/** All that the gate knows of one case. */
export interface CaseEvidence {
  /** Pooled runs of the base branch; none for a new case. */
  readonly baseline: Counts
  /** The first stage here: as many runs as every case has. */
  readonly stage1: Counts
  /** All runs here: the first stage and the re-runs. */
  readonly all: Counts
  /** Fresh runs of the base commit after an alarm of the suite. */
  readonly suiteControl?: Counts
  /** Fresh runs of the base commit after this case was flagged. */
  readonly control?: Counts
}

export function stage1Pair({ baseline, stage1 }: CaseEvidence): Pair {
  return { baseline, current: stage1 }
}

/** Whether both sides have runs enough to compare. */
export function isComparable({ baseline, stage1 }: CaseEvidence): boolean {
  return runsOf(baseline) >= YOUNG_BELOW && runsOf(stage1) > 0
}
