import type { Judgement } from '../core/judgement.ts'
import type { Report } from '../core/report.ts'
import { describeNote, describeReason, describeSensitivity, type Note } from '../core/verdict.ts'
import { formatDuration } from '../lib/duration.ts'
import { code } from './links.ts'
import { keyOfNote } from './standing.ts'
import { distinctReasons, neutralNote } from './verdict-line.ts'
import { plural } from './words.ts'

/** Reasons beyond the headline's that are of no single case, and so stand in no table; unescaped sentences. */
export function otherReasons({ verdict }: Report): string[] {
  const [, ...others] = distinctReasons(verdict)
  return others.filter((reason) => !('key' in reason)).map(describeReason)
}

/** What a reader must know besides, where neither a table of cases nor the headline says it; unescaped sentences. */
export function notesBesides({ verdict }: Report): string[] {
  const told = neutralNote(verdict)
  return verdict.notes.filter((note) => note !== told && !isToldElsewhere(note)).map(describeNote)
}

/** In the table in which its cases stand, or by the line about the baseline. */
function isToldElsewhere(note: Note): boolean {
  if (note.kind === 'not_compared') return note.state.kind !== 'ok'
  if (note.kind === 'removed') return true
  return keyOfNote(note) !== undefined && note.kind !== 'waiver_expired' && note.kind !== 'waiver_unused'
}

/** What could not have been seen, and what fresh runs of the base commit were made; unescaped sentences. */
export function sensitivitySentence({ judgement }: Report): string | undefined {
  return judgement && describeSensitivity(judgement)
}

/** `quote` makes code of a commit. */
export function controlSentence(
  judgement: Judgement | undefined,
  quote: (text: string) => string = code,
): string | undefined {
  const control = judgement?.control
  if (control?.kind !== 'run') return undefined
  const { commit, runs, erroredRuns, durationMs, missing } = control
  const errors = erroredRuns === 0 ? '' : `, ${erroredRuns} of them errored`
  const gaps = missing.length === 0 ? '' : `; ${plural(missing.length, 'case')} could not be run there`
  return `The base commit ${quote(commit.slice(0, 7))} was run again: ${plural(runs, 'run')} in ${formatDuration(durationMs)}${errors}${gaps}.`
}
