import { totalRuns } from './case-report.ts'
import type { Gate } from './gate.ts'
import { addCounts, comparablePool, rateOf } from './gate-evidence.ts'
import type { Judgement } from './judgement.ts'
import type { ThresholdFinding } from './thresholds.ts'
import type { Evidence, Note, Reason } from './verdict.ts'

interface Found {
  readonly thresholds: readonly ThresholdFinding[]
  /** What stays red. */
  readonly reasons: readonly Reason[]
}

/** What a reader must know besides the reasons; what makes the verdict neutral comes first. */
export function findNotes(evidence: Evidence, gate: Gate, { thresholds, reasons }: Found): Note[] {
  return [
    ...environment(evidence, thresholds),
    ...uncompared(evidence, reasons),
    ...young(evidence),
    ...notProven(evidence),
    ...limits(thresholds, reasons),
    ...control(evidence),
    ...removals(evidence, gate),
    ...resources(evidence, gate),
    ...unpriced(evidence),
    ...shrunk(evidence),
    ...unchangedSuites(evidence),
  ]
}

function environment(evidence: Evidence, thresholds: readonly ThresholdFinding[]): Note[] {
  const { judgement } = evidence
  if (!judgement) return []
  const moved = judgement.cases.filter(({ outcome }) => outcome === 'environment_moved')
  const named = new Set(moved.map(({ key }) => key))
  return [
    ...suiteMoved(evidence, judgement),
    ...moved.map(({ key, before, after, control: fresh }): Note => {
      return { kind: 'environment_moved', key, before, after, ...(fresh ? { control: fresh } : {}) }
    }),
    ...thresholds.flatMap(({ key, outcome, before, actual }): Note[] =>
      outcome === 'moved' && before && !named.has(key)
        ? [{ kind: 'environment_moved', key, before, after: actual }]
        : [],
    ),
  ]
}

function suiteMoved({ cases, pools }: Evidence, { suite }: Judgement): Note[] {
  if (suite.outcome !== 'environment_moved') return []
  const pooled = cases.flatMap(({ key, stability }) => {
    return stability.passed + stability.failed > 0 ? (comparablePool(pools, key)?.counts ?? []) : []
  })
  const after = { passed: suite.runs - suite.failed, judged: suite.runs }
  const fresh = suite.control ? { control: suite.control } : {}
  return [{ kind: 'environment_moved', before: rateOf(addCounts(pooled)), after, ...fresh }]
}

/** Said once: not where the missing baseline is what makes the run red. */
function uncompared({ baseline, judgement, changes, cases }: Evidence, reasons: readonly Reason[]): Note[] {
  if (baseline.kind === 'off' || judgement || totalRuns(cases) === 0) return []
  if (reasons.some(({ kind }) => kind === 'baseline_required' || kind === 'baseline_unreadable')) return []
  const isYoung = baseline.kind === 'ok' && changes.some(({ kind }) => kind === 'young')
  return isYoung ? [] : [{ kind: 'not_compared', state: baseline }]
}

function young({ changes }: Evidence): Note[] {
  let [cases, of, runs] = [0, 0, 0]
  for (const change of changes) {
    if (change.kind === 'new' || change.kind === 'redefined' || change.kind === 'removed') continue
    of += 1
    if (change.kind !== 'young') continue
    cases += 1
    runs = Math.max(runs, change.before.judged)
  }
  return cases === 0 ? [] : [{ kind: 'young_baseline', cases, of, runs }]
}

function notProven({ judgement }: Evidence): Note[] {
  return (judgement?.cases ?? []).flatMap((finding): Note[] =>
    finding.outcome === 'not_proven' ? [{ kind: 'not_proven', key: finding.key, finding }] : [],
  )
}

function limits(thresholds: readonly ThresholdFinding[], reasons: readonly Reason[]): Note[] {
  // What a reason says of a case is not taken back by a note.
  const told = new Set(reasons.flatMap((reason) => ('key' in reason ? [reason.key] : [])))
  return thresholds.flatMap(({ key, outcome, before, actual, required }): Note[] => {
    if (told.has(key)) return []
    if (outcome === 'known_bad' && before) return [{ kind: 'known_bad', key, before, actual, required }]
    return outcome === 'unproven' ? [{ kind: 'threshold_not_proven', key, actual, required }] : []
  })
}

function control({ judgement }: Evidence): Note[] {
  const state = judgement?.control
  if (state?.kind === 'unavailable') return [{ kind: 'control_unavailable', reason: state.reason }]
  if (state?.kind !== 'run') return []
  const [first] = state.missing
  if (!first) return []
  const others = state.missing.length - 1
  const more = others === 0 ? '' : `, nor ${others} more ${others === 1 ? 'case' : 'cases'}`
  return [{ kind: 'control_unavailable', reason: `it could not run ${first.key}${more}: ${first.reason}` }]
}

function removals({ changes }: Evidence, { failOn }: Gate): Note[] {
  const keys = changes.flatMap(({ kind, key }) => (kind === 'removed' ? [key] : []))
  return failOn.includes('removed') || keys.length === 0 ? [] : [{ kind: 'removed', keys }]
}

function resources({ judgement }: Evidence, { failOn }: Gate): Note[] {
  return (judgement?.resources ?? []).flatMap((finding): Note[] => {
    if (!finding.increased) return []
    if (finding.resource === 'duration') return [{ kind: 'slower', finding }]
    return failOn.includes('cost') ? [] : [{ kind: 'costlier', finding }]
  })
}

function unpriced({ spending, cases, judgement, costLimited }: Evidence): Note[] {
  const { unpricedRuns: runs } = spending
  const base = judgement?.control.kind === 'run' ? judgement.control.runs : 0
  const of = Math.max(runs, totalRuns(cases) + base)
  // Where no price is known at all the figures say "cost unknown" already; a sum or a limit needs the warning.
  if (runs === 0 || (runs === of && !costLimited)) return []
  return [{ kind: 'unpriced', runs, of, limited: costLimited }]
}

function shrunk({ baseline }: Evidence): Note[] {
  if (baseline.kind !== 'ok') return []
  return (baseline.missing ?? []).map((detail): Note => ({ kind: 'history_shrunk', detail }))
}

function unchangedSuites({ cases }: Evidence): Note[] {
  const unchanged = cases.filter((item) => item.unchanged !== undefined)
  if (unchanged.length === 0) return []
  const suites = [...new Set(unchanged.map(({ suite }) => suite))]
  return [{ kind: 'unchanged_suites', suites, cases: unchanged.length }]
}
