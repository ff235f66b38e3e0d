import type { CaseGate } from './gate.ts'
import type { CasePool, Pools } from './history.ts'
import { isFor, type QuarantineProposal, type Waiver } from './waiver.ts'

/** Fewer runs, or fewer sessions, say nothing of how a case does from day to day. */
const LEAST_RUNS = 10
const LEAST_SESSIONS = 3

const DAY_MS = 24 * 60 * 60 * 1000
/** Long enough to mend a case, and too short to forget it. */
const DAYS = 30

interface KnownCase {
  readonly key: string
  readonly id: string
  readonly gate?: CaseGate
}

interface ProposalScope {
  /** `YYYY-MM-DD` in UTC. */
  readonly today: string
  /** What is quarantined already, expired entries included: these want a person's look. */
  readonly waivers: readonly Waiver[]
  /** `YYYY-MM-DD`; thirty days from today where absent. */
  readonly until?: string
}

/**
 * Cases that fail now and then on the base branch, where nothing was changed, and so will fail in pull requests that
 * have no part in it. Sorted by key. A case that must always pass is never among them.
 */
export function proposeQuarantine(
  pools: Pools,
  cases: readonly KnownCase[],
  { today, waivers, until = lastDay(today) }: ProposalScope,
): QuarantineProposal[] {
  const quarantined = waivers.filter(({ kind }) => kind === 'quarantined')
  const proposals = cases.flatMap((item): QuarantineProposal[] => {
    const pool = pools.get(item.key)
    if (!pool || item.gate?.critical === true || quarantined.some((waiver) => isFor(waiver, item))) return []
    const sessions = sessionsOf(pool)
    return isFlaky(sessions) ? [{ key: item.key, evidence: evidenceOf(pool, sessions), until }] : []
  })
  return proposals.sort((left, right) => (left.key < right.key ? -1 : 1))
}

interface SessionCounts {
  readonly passed: number
  readonly failed: number
}

/** Judged runs by session, oldest first. */
function sessionsOf({ runs }: CasePool): SessionCounts[] {
  const counts = new Map<number, { passed: number; failed: number }>()
  for (const { session, status } of runs) {
    if (status === 'errored') continue
    const known = counts.get(session) ?? { passed: 0, failed: 0 }
    known[status] += 1
    counts.set(session, known)
  }
  return [...counts].sort(([left], [right]) => left - right).map(([, session]) => session)
}

/**
 * It failed, passed again and failed again. One bad session is an outage, bad ones up to the end are a case that broke,
 * and bad ones at the beginning a case that was mended. What fails more often than not is bad rather than flaky: to let
 * it through would hide it.
 */
function isFlaky(sessions: readonly SessionCounts[]): boolean {
  const [passed, failed] = [sum(sessions, 'passed'), sum(sessions, 'failed')]
  if (passed + failed < LEAST_RUNS || sessions.length < LEAST_SESSIONS || passed < failed) return false
  const first = sessions.findIndex((session) => session.failed > 0)
  const last = sessions.findLastIndex((session) => session.failed > 0)
  const passedAfterFirst = sum(sessions.slice(first + 1, last + 1), 'passed')
  const passedBeforeLast = sum(sessions.slice(first, last), 'passed')
  return first < last && passedAfterFirst > 0 && passedBeforeLast > 0
}

function evidenceOf({ sessions: known }: CasePool, sessions: readonly SessionCounts[]): string {
  const passed = sum(sessions, 'passed')
  const runs = passed + sum(sessions, 'failed')
  const failing = sessions.filter(({ failed }) => failed > 0).length
  const branch = known.at(-1)?.branch ?? 'the base branch'
  return `${branch} passed ${passed} of ${runs} runs in ${sessions.length} sessions, and failed in ${failing} of these`
}

function sum(sessions: readonly SessionCounts[], what: keyof SessionCounts): number {
  return sessions.reduce((total, session) => total + session[what], 0)
}

function lastDay(today: string): string {
  return new Date(Date.parse(today) + DAYS * DAY_MS).toISOString().slice(0, 10)
}

/** The entries of a quarantine list as YAML, ready to be committed; a person may have a better reason. */
export function quarantineLines(proposals: readonly QuarantineProposal[]): string {
  return proposals
    .map(({ key, evidence, until }) =>
      [
        `- case: ${yamlString(key)}`,
        `  reason: ${yamlString('fails now and then on the base branch')}`,
        `  evidence: ${yamlString(evidence)}`,
        `  until: ${until}`,
        '',
      ].join('\n'),
    )
    .join('')
}

/** A JSON text is a YAML text; what a terminal obeys, or a reader takes for the end of a line, is written as an escape. */
export function yamlString(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
