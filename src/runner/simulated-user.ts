import type { Simulator } from '../core/conversation.ts'
import { TargetError } from '../core/errors.ts'
import { isJsonObject, type Json, type JsonObject, jsonType } from '../core/json.ts'
import { quote } from '../core/kind.ts'
import type { Answer, AskAgent } from '../core/means.ts'
import type { ContentPart, Message } from '../core/message.ts'
import type { Usage } from '../core/trace.ts'
import { findJson } from '../lib/extract-json.ts'
import type { UserTurn } from '../targets/target.ts'
import { attemptAll, type Patience, stoppable } from './attempts.ts'

/** What the simulator is told of the conversation before a turn. */
export interface Situation {
  /** The turn to come, from 2. */
  readonly turn: number
  readonly maxTurns: number
  readonly messages: readonly Message[]
  readonly reached: readonly string[]
  readonly pending: readonly string[]
}

export interface SimulatorAnswer {
  readonly said?: UserTurn
  /** It could not be run, or said nothing that could be read: that is never the fault of the agent. */
  readonly error?: TargetError
  readonly usage?: Usage
  readonly attempts: number
}

/** Asks the simulator what the user says next. */
export async function askSimulator(
  simulator: Simulator,
  situation: Situation,
  { ask, patience }: { readonly ask: AskAgent; readonly patience: Patience },
): Promise<SimulatorAnswer> {
  const { agent, metadata, connector } = simulator
  const question = {
    agent,
    content: JSON.stringify(payloadOf(simulator, situation)),
    metadata: { ...metadata, test_mode: 'simulator' },
    ...(connector === undefined ? {} : { connector }),
    signal: patience.signal,
  }
  const { last, error, attempts } = await attemptAll(
    () => answerOf(stoppable(ask(question), patience.signal), agent),
    patience,
  )
  const { answer } = last
  const spent = answer?.usage === undefined ? {} : { usage: answer.usage }
  if (error || !answer) return { ...(error ? { error } : {}), ...spent, attempts }
  const said = await readSaid(answer.output)
  if (typeof said !== 'string') return { said, ...spent, attempts }
  const unreadable = new TargetError(`simulator ${quote(agent)}: ${said}`, { code: 'BAD_RESPONSE' })
  return { error: unreadable, ...spent, attempts }
}

async function answerOf(
  asked: Promise<Answer>,
  agent: string,
): Promise<{ readonly answer?: Answer; readonly error?: TargetError }> {
  try {
    return { answer: await asked }
  } catch (cause) {
    if (!(cause instanceof TargetError)) throw cause
    const { code, retryable, retryAfterMs, message } = cause
    const wait = retryAfterMs === undefined ? {} : { retryAfterMs }
    return { error: new TargetError(`simulator ${quote(agent)}: ${message}`, { code, retryable, ...wait, cause }) }
  }
}

/** Source of the names: spec yao 10.1. */
function payloadOf({ metadata }: Simulator, { turn, maxTurns, messages, reached, pending }: Situation): JsonObject {
  const { persona, goal, ...extra } = metadata
  return {
    ...(persona === undefined ? {} : { persona }),
    ...(goal === undefined ? {} : { goal }),
    conversation: messages.map(heard),
    turn_number: turn,
    max_turns: maxTurns,
    checkpoints_reached: reached,
    checkpoints_pending: pending,
    extra,
  }
}

/** A message without the bytes of its attachments. */
function heard(message: Message): JsonObject {
  const { content, ...rest } = message
  const text = content === undefined || typeof content === 'string' ? (content ?? '') : content.map(inWords).join('\n')
  return { ...(rest as unknown as JsonObject), content: text }
}

function inWords(part: ContentPart): string {
  switch (part.type) {
    case 'text':
      return part.text
    case 'image_url':
      return '[image]'
    case 'input_audio':
      return '[audio]'
    case 'file':
      return part.file.filename === undefined ? '[file]' : `[file ${part.file.filename}]`
    case 'data':
      return '[data]'
  }
}

/** What it said, or what is wrong with that. JSON with a `message`, or any other text, which is the message. */
async function readSaid(output: Json): Promise<UserTurn | string> {
  if (isJsonObject(output)) return fromObject(output)
  if (typeof output !== 'string') return `expected a text or {"message"}, got ${jsonType(output)}`
  const found = await replyIn(output)
  if (found) return fromObject(found)
  const message = output.trim()
  return message === '' ? 'its reply is empty' : { message, goalAchieved: false }
}

/** JSON inside of prose counts where it has a message: a user may well quote something else. */
async function replyIn(text: string): Promise<JsonObject | undefined> {
  for await (const { value, place, format, isGuess } of findJson(text)) {
    if (format !== 'json' || isGuess || !isJsonObject(value)) continue
    if (place === 'whole' || isOneFence(text) || Object.hasOwn(value, 'message')) return value
  }
  return undefined
}

function isOneFence(text: string): boolean {
  const lines = text.trim().split('\n')
  return (
    lines.filter((line) => line.startsWith('```')).length === 2 &&
    lines[0]?.startsWith('```') === true &&
    lines.at(-1) === '```'
  )
}

function fromObject(reply: JsonObject): UserTurn | string {
  const { message, goal_achieved: goal = false, reasoning } = reply
  if (typeof message !== 'string')
    return `expected "message" as a text, got ${message === undefined ? 'nothing' : jsonType(message)}`
  if (message.trim() === '') return 'its message is empty'
  if (goal !== null && typeof goal !== 'boolean')
    return `expected "goal_achieved" as true or false, got ${jsonType(goal)}`
  return {
    message,
    goalAchieved: goal === true,
    ...(typeof reasoning === 'string' && reasoning !== '' ? { reasoning } : {}),
  }
}
