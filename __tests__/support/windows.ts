import type { Baseline, BaselineRun, Session } from '../../src/core/baseline.ts'
import { toBaseline } from '../../src/core/make-baseline.ts'
import type { RunOutcome } from '../../src/core/result.ts'
import { aCaseReport, erroredOutcome, failedOutcome, passedOutcome, someRuns } from './builders.ts'

/** The text of a baseline of version 2 with one session and no case, unless told otherwise. */
export function aDocument(overrides: object = {}): string {
  const createdAt = '2026-03-01T00:00:00Z'
  const sessions = [{ id: 'a', createdAt }]
  return JSON.stringify({ schemaVersion: 2, createdAt, sessions, cases: [], ...overrides })
}

/** A session by its number: a day apart, each of a commit of its own. */
export function dayOf(number: number): string {
  return new Date(Date.UTC(2026, 2, 1) + number * 86_400_000).toISOString()
}

export function commitOf(number: number): string {
  return number.toString(16).padStart(40, 'c')
}

const OUTCOMES: Readonly<Record<string, RunOutcome>> = {
  p: passedOutcome,
  f: failedOutcome(),
  e: erroredOutcome(),
}

/** `ppf` is two passes and a failure; `e` an error. */
function outcomes(letters: string): RunOutcome[] {
  return [...letters].map((letter) => OUTCOMES[letter] ?? passedOutcome)
}

/** One session of a window of one case. */
export interface SessionSketch extends Partial<Pick<Session, 'id' | 'createdAt' | 'accepted' | 'commit'>> {
  readonly runs: string
  readonly fingerprint?: string
  readonly target?: string
  readonly requestedModel?: string
  readonly answeredModel?: string
}

/** The window that these sessions leave, each saved after the one before. */
export function aWindow(sessions: readonly SessionSketch[]): Baseline {
  const empty: Baseline | undefined = undefined
  const last = sessions.reduce<Baseline | undefined>((earlier, sketch, number) => {
    const { runs, fingerprint = 'f', target = 'yao:bot', requestedModel, answeredModel, accepted } = sketch
    const item = aCaseReport({
      fingerprint,
      target,
      ...(requestedModel === undefined ? {} : { requestedModel }),
      runs: someRuns(outcomes(runs), answeredModel === undefined ? {} : { answeredModel }),
    })
    const { id = `s${number}`, createdAt = dayOf(number), commit = commitOf(number) } = sketch
    const more = { runsPerCase: runs.length, earlier, ...(accepted ? { accepted } : {}) }
    return toBaseline([item], createdAt, { id, commit, branch: 'main' }, more)
  }, empty)
  if (!last) throw new Error('a window needs a session')
  return last
}

/** Runs of the only case as letters, those of a session together. */
export function lettersOf(runs: readonly BaselineRun[]): string {
  let text = ''
  for (const [place, { status, session }] of runs.entries()) {
    if (place > 0 && runs[place - 1]?.session !== session) text += ' '
    text += status === 'errored' ? 'e' : status.charAt(0)
  }
  return text
}
