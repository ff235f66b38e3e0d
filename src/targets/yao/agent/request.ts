import type { Json, JsonObject } from '../../../core/json.ts'
import type { Message } from '../../../core/message.ts'
import type { CaseOptions } from '../../../core/suite.ts'
import type { ChatAnswer } from '../../chat/chat-model.ts'
import type { Assistant } from '../assistant.ts'
import type { Memory } from '../context/memory.ts'
import type { AgentContext } from './scope.ts'

/** One request to one agent: the case's own, a delegate's, or that of a hook. */
export interface AgentRequest {
  readonly assistant: Assistant
  /** The conversation, without prompts. */
  readonly messages: readonly Message[]
  /** Third argument of the hooks: the case's options, or what a hook made of its own. */
  readonly options: JsonObject
  readonly context: AgentContext
  /** A delegate works in the request of the agent that it stands for. */
  readonly memory?: Memory
  /** Ids of the agents and scripts from the tested agent to this one. */
  readonly trail: readonly string[]
  /** Its words and tool calls are the run's own; those of an agent that a hook asks are not. */
  readonly isVisible: boolean
  /** `-c`: outranks even the hooks, for it says what the tested agent is to run on. */
  readonly connector?: string
}

export interface AgentResponse {
  /** Who answered: a delegate is named itself. */
  readonly assistant: string
  readonly chatId: string
  /** Absent when no model was asked. */
  readonly answer?: ChatAnswer
  /** Of `Next`. */
  readonly data?: Json
  readonly tools: readonly ToolRecord[]
}

/** One call of a tool, as it came out. */
export interface ToolRecord {
  readonly id: string
  /** Empty when the model called a tool that it was not offered. */
  readonly server: string
  readonly tool: string
  /** JSON text, as the model wrote it. */
  readonly arguments: string
  readonly result?: Json
  readonly error?: string
}

/**
 * The options of a case as hooks see them: `mode` and `search` have defaults, and history is always skipped, for the
 * record is the whole conversation. Source: spec yao 3.
 */
export function hookOptions(options: CaseOptions): JsonObject {
  const { mode = 'chat', search = true, skip, ...rest } = options
  return { ...rest, mode, search, skip: { ...skip, history: true } }
}
