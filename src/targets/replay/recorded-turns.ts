import { TargetError } from '../../core/errors.ts'
import type { EmittedEvent } from '../../core/trace.ts'
import type { UserTurn } from '../target.ts'
import type { RecordedRun } from './results-line.ts'

interface RecordedTurn {
  /** What the user said; absent where the run was no conversation. */
  readonly message?: string
  readonly events: readonly EmittedEvent[]
}

/** What the agent did in one turn, and why it broke off in it. */
export function recordedTurn(
  recorded: RecordedRun,
  turn: number,
): { readonly events: readonly EmittedEvent[]; readonly error?: TargetError } {
  const turns = turnsOf(recorded.events)
  const found = turns[turn - 1]
  if (!found) throw notRecorded(recorded, turn, turns.length)
  const { error } = recorded
  const isBroken = turn === turns.length && !endedBetweenTurns(recorded)
  return { events: found.events, ...(isBroken && error ? { error } : {}) }
}

/** What the user said before a turn, or that it had what it wanted. */
export function recordedUserTurn(recorded: RecordedRun, turn: number): UserTurn {
  const turns = turnsOf(recorded.events)
  const message = turns[turn - 1]?.message
  if (message !== undefined) return { message, goalAchieved: false }
  const { conversation, error } = recorded
  if (conversation?.ending === 'goal_achieved') {
    const { reasoning } = conversation
    return { message: '', goalAchieved: true, ...(reasoning === undefined ? {} : { reasoning }) }
  }
  if (error && endedBetweenTurns(recorded)) throw error
  throw notRecorded(recorded, turn, turns.length)
}

/** The runner marks where a turn begins; a run without marks is one turn. */
function turnsOf(events: readonly EmittedEvent[]): RecordedTurn[] {
  const turns: { message?: string; readonly events: EmittedEvent[] }[] = []
  for (const event of events) {
    if (event.type === 'user_message' && event.turn !== undefined) turns.push({ message: event.text, events: [] })
    else if (turns.length === 0) turns.push({ events: [event] })
    else turns.at(-1)?.events.push(event)
  }
  return turns.length === 0 ? [{ events: [] }] : turns
}

/** It was the simulator that could not be run: every turn of the agent's had ended. */
function endedBetweenTurns({ conversation }: RecordedRun): boolean {
  return conversation !== undefined && !conversation.lastTurnBroke
}

function notRecorded({ id, run }: RecordedRun, turn: number, turns: number): TargetError {
  const message = `turn ${turn} of run ${run} of case ${id} is not recorded; it had ${turns === 1 ? '1 turn' : `${turns} turns`}`
  return new TargetError(message, { code: 'NOT_RECORDED' })
}
