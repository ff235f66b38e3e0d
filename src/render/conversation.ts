import type { CheckpointRecord, ConversationRecord, SpokenToolCall, TurnRecord } from '../core/conversation.ts'
import type { Json } from '../core/json.ts'
import { cut, fencedBlock, inlineText } from '../lib/escape.ts'
import { code } from './links.ts'
import { blocks, table } from './table.ts'
import { jsonText, plural } from './words.ts'

/** A conversation in results files. Source of the names: spec yao 10.1; `ending` and `simulator` are ours. */
export interface ConversationFields {
  readonly mode: 'dynamic'
  readonly total_turns: number
  readonly ending: string
  readonly turns: readonly object[]
  readonly checkpoints: Readonly<Record<string, object>>
  readonly simulator: object
}

export function conversationFields(record: ConversationRecord): ConversationFields {
  const { agent, reasoning, usage } = record.simulator
  return {
    mode: 'dynamic',
    total_turns: record.turns.length,
    ending: record.ending,
    turns: record.turns.map(turnFields),
    checkpoints: Object.fromEntries(
      record.checkpoints.map((checkpoint) => [checkpoint.id, checkpointFields(checkpoint)]),
    ),
    simulator: {
      agent,
      ...(reasoning === undefined ? {} : { reasoning }),
      ...(usage === undefined ? {} : { usage }),
    },
  }
}

function turnFields({ turn, input, output, content, toolCalls, data, reached, durationMs, error }: TurnRecord) {
  return {
    turn,
    input,
    output,
    response: {
      content,
      ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
      ...(data === undefined ? {} : { next: data }),
    },
    checkpoints_reached: reached,
    duration_ms: Math.round(durationMs),
    ...(error === undefined ? {} : { error }),
  }
}

function checkpointFields({ id, description, required, reachedInTurn, message, verdict }: CheckpointRecord) {
  const reached = reachedInTurn !== undefined
  return {
    id,
    ...(description === undefined ? {} : { description }),
    reached,
    ...(reached ? { reached_at_turn: reachedInTurn } : {}),
    required,
    passed: reached,
    ...(message === '' ? {} : { message }),
    ...(verdict === undefined ? {} : { agent_validation: verdict }),
  }
}

/** Of one message in a transcript. */
const LONGEST_MESSAGE = 1_000
const LONGEST_REASON = 200

/** Who said what, as plain text: lines of a message but its first are indented, so that none can pose as a speaker. */
export function transcript({ turns }: ConversationRecord): string {
  return turns.map(turnText).join('\n\n')
}

function turnText({ turn, input, content, output, toolCalls, reached, error }: TurnRecord): string {
  const answer: Json = content === '' && toolCalls.length === 0 ? (output ?? '(nothing)') : content
  return [
    spoken(`${turn}. User`, input),
    ...toolCalls.map(callText),
    ...(answer === '' ? [] : [spoken('   Agent', jsonText(answer))]),
    ...(reached.length === 0 ? [] : [spoken('   Reached', reached.join(', '))]),
    ...(error === undefined ? [] : [spoken('   Broke off', error)]),
  ].join('\n')
}

function callText({ tool, server, parameters, result, error }: SpokenToolCall): string {
  const name = server === undefined ? tool : `${server}.${tool}`
  const outcome =
    error === undefined ? (result === undefined ? '' : ` -> ${JSON.stringify(result)}`) : ` failed: ${error}`
  return spoken('   Tool', `${name} ${JSON.stringify(parameters)}${outcome}`)
}

function spoken(speaker: string, text: string): string {
  return `${speaker}: ${cut(text.trim(), LONGEST_MESSAGE).replace(/\r\n?|\n/g, '\n     ')}`
}

/** What a reader of a failed case wants to see of it: which checkpoints are missing, and how the talk went. */
export function conversationDetails(record: ConversationRecord, maxLength: number): string {
  const rows = record.checkpoints.map(checkpointRow)
  const columns = [{ title: 'Checkpoint' }, { title: 'Reached' }, { title: 'Why not' }]
  const talk = `Conversation (${plural(record.turns.length, 'turn')}, ${describeEnding(record)}):`
  return blocks(table(columns, rows), `${talk}\n\n${fencedBlock(transcript(record), { language: 'text', maxLength })}`)
}

function checkpointRow({ id, description, required, reachedInTurn, message }: CheckpointRecord): string[] {
  const about = description === undefined ? '' : ` ${inlineText(description, { maxLength: LONGEST_REASON })}`
  const missing = required ? 'no' : 'no (optional)'
  return [
    `${code(id)}${about}`,
    reachedInTurn === undefined ? missing : `in turn ${reachedInTurn}`,
    inlineText(message, { maxLength: LONGEST_REASON }),
  ]
}

function describeEnding({ ending, simulator: { reasoning } }: ConversationRecord): string {
  switch (ending) {
    case 'checkpoints_reached':
      return 'all required checkpoints reached'
    case 'goal_achieved': {
      const why = reasoning === undefined ? '' : `: ${inlineText(reasoning, { maxLength: LONGEST_REASON })}`
      return `ended by the simulator${why}`
    }
    case 'turns_used_up':
      return 'turns used up'
    case 'agent_failed':
      return 'the agent failed'
    case 'broken_off':
      return 'broken off'
  }
}
