import { holm } from './adjust.ts'
import type { CaseEvidence } from './case-evidence.ts'
import { runsOf } from './counts.ts'
import { fisherWorse, midPWorse } from './fisher.ts'
import type { GateSettings } from './gate-settings.ts'
import { isWithin } from './limit.ts'
import { shuffleTest } from './shuffle-test.ts'
import { isSuspicious } from './suspicion.ts'

/**
 * What fresh runs of the base commit say of an alarm. `uncontrolled`: there are none, so the alarm stands.
 * `environment_moved`: the base commit itself got worse. `not_proven`: it did not, but the gap to it is too small.
 */
export type ControlOutcome = 'confirmed' | 'environment_moved' | 'not_proven' | 'uncontrolled'

/** For one flagged case. Source: spec verdict 4.2, step 7. */
export function caseControl({ baseline, all, control }: CaseEvidence, settings: GateSettings): ControlOutcome {
  if (!control || runsOf(control) === 0) return 'uncontrolled'
  if (isWithin(midPWorse({ baseline: control, current: all }), settings.controlVeto)) return 'confirmed'
  // The specification has one name for both; which of them it was decides what the reader should do next.
  return isSuspicious({ baseline, current: control }, settings.screen) ? 'environment_moved' : 'not_proven'
}

/**
 * For the flagged cases once the suite's control has shown that the stored baseline is stale: fresh runs alone count.
 */
export function freshCaseControl(flagged: readonly CaseEvidence[], { alphaCase }: GateSettings): ControlOutcome[] {
  const none = { passed: 0, failed: 0 }
  const adjusted = holm(flagged.map(({ control = none, all }) => fisherWorse({ baseline: control, current: all })))
  return adjusted.map((p) => (isWithin(p, alphaCase) ? 'confirmed' : 'environment_moved'))
}

/** For an alarm of the suite: its first stage against the fresh runs. Source: spec verdict 4.2, step 3. */
export function suiteControl(cases: readonly CaseEvidence[], { controlVeto }: GateSettings): ControlOutcome {
  const pairs = cases.flatMap(({ suiteControl: control, stage1 }) =>
    control && runsOf(control) > 0 ? [{ baseline: control, current: stage1 }] : [],
  )
  if (pairs.length === 0) return 'uncontrolled'
  return isWithin(shuffleTest(pairs).p, controlVeto) ? 'confirmed' : 'environment_moved'
}
