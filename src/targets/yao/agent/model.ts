import { describeProblem } from '../../../core/errors.ts'
import type { JsonObject } from '../../../core/json.ts'
import type { ChatAnswer, ChatCall, ChatModel } from '../../chat/chat-model.ts'
import type { Connector } from '../connector-file.ts'
import { AgentFault } from './fault.ts'
import { type RunScope, unsupported } from './scope.ts'

/**
 * The connector that code has named. One that does not exist is a fault of the code; one that is there and cannot be used
 * (a variable that is not set, another type) says nothing about the agent.
 */
export async function openConnector(
  { application: { models } }: RunScope,
  id: string,
): Promise<{ readonly connector: Connector; readonly chat: ChatModel }> {
  const problems = models.problems(id, {})
  if (problems.length === 0) return models.open(id)
  const said = problems.map(describeProblem).join('; ')
  const isUnknown = models.connector(id) === undefined && problems.every(({ file }) => file === undefined)
  throw isUnknown ? new AgentFault('connector', said) : unsupported(`connector ${JSON.stringify(id)}`, said)
}

type Question = Omit<ChatCall, 'origin' | 'signal'>

/** Asks once; throws the TargetError of an answer that broke. Its usage is the caller's to report. */
export async function askModel(
  { origin, signal, countModelCall }: RunScope,
  chat: ChatModel,
  question: Question,
  onBroken: (partial: string) => void = () => undefined,
): Promise<ChatAnswer> {
  countModelCall()
  const outcome = await chat.complete({ ...question, origin, signal })
  if (outcome.kind === 'answered') return outcome.answer
  if (outcome.partial !== '') onBroken(outcome.partial)
  throw outcome.error
}

/** The parameters of an assistant with those of its `Create` over them: either name of the token limit replaces both. */
export function mergedOptions(own: JsonObject, created: JsonObject): JsonObject {
  const { max_tokens: old, max_completion_tokens: limit, ...rest } = own
  const isLimited = created['max_tokens'] !== undefined || created['max_completion_tokens'] !== undefined
  const limits = {
    ...(old === undefined ? {} : { max_tokens: old }),
    ...(limit === undefined ? {} : { max_completion_tokens: limit }),
  }
  return { ...rest, ...(isLimited ? {} : limits), ...created }
}
