/** Lets something through visibly: a change that is meant, or a case that is known to be flaky. */
export interface Waiver {
  readonly kind: 'accepted' | 'quarantined'
  /** Key or id of the case; `*` for all of them and the suite as a whole (accepted only). */
  readonly case: string
  readonly reason: string
  /** Last day it holds, `YYYY-MM-DD`; a label holds as long as it is on the pull request. */
  readonly until?: string
  /** Such as `agent-test.accept.yml:4` or `label agent-test:accept`. */
  readonly source: string
  /** What shows that a quarantined case is flaky, in the words of its author or of our proposal. */
  readonly evidence?: string
}

/** A case that the history shows to be flaky, ready to be committed to the quarantine list. */
export interface QuarantineProposal {
  readonly key: string
  /** Such as "main passed 41 of 50 runs in 12 sessions". */
  readonly evidence: string
  /** `YYYY-MM-DD`. */
  readonly until: string
}

/** Of a pull request: what it changes is meant, all of it, as long as the label is on it. */
export const ACCEPT_LABEL = 'agent-test:accept'

/** What the labels of a pull request let through. GitHub takes labels that differ in case alone for the same. */
export function labelWaivers(labels: readonly string[]): Waiver[] {
  if (!labels.some((label) => label.trim().toLowerCase() === ACCEPT_LABEL)) return []
  const reason = 'the pull request is labelled as an intended change'
  return [{ kind: 'accepted', case: '*', reason, source: `label ${ACCEPT_LABEL}` }]
}

/** Whether the waiver names this case; that it still holds is another question. */
export function isFor(
  waiver: Pick<Waiver, 'case'>,
  { key, id }: { readonly key: string; readonly id: string },
): boolean {
  return waiver.case === '*' || waiver.case === key || waiver.case === id
}

/** Whether it still holds on this day, `YYYY-MM-DD` in UTC. */
export function holdsOn({ until }: Pick<Waiver, 'until'>, today: string): boolean {
  return until === undefined || today <= until
}
