import { caseEvidence } from './gate-evidence.ts'
import { NO_CONTROLS } from './run-blob.ts'
import { suiteTest } from './statistics/suite-test.ts'
import type { Evidence } from './verdict.ts'

/** Whether the suite's alarm would sound without these cases, by key: else it is theirs alone. */
export function firesWithout(evidence: Evidence, keys: ReadonlySet<string>): boolean {
  const { cases, judgement } = evidence
  if (!judgement) return false
  const counts = caseEvidence({ ...evidence, controls: NO_CONTROLS, settings: judgement.settings })
  const others = counts.filter((_, place) => !keys.has(cases[place]?.key ?? ''))
  return suiteTest(others, judgement.settings).fires
}
