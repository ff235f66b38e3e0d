import type { Json, JsonObject } from './json.ts'
import type { KindConfig } from './kind.ts'
import type { Usage } from './trace.ts'

/** Turns of a case that does not say how many. Source: spec yao 10.1. */
export const DEFAULT_MAX_TURNS = 20

/** How a simulated user talks a case through with the agent. Source: spec yao 10.1. */
export interface ConversationPlan {
  readonly simulator: Simulator
  /** In the order in which they are tested; never empty. */
  readonly checkpoints: readonly Checkpoint[]
  /** Most turns, the one with the case's own input included. */
  readonly maxTurns: number
}

export interface Simulator {
  /** Id of the agent that plays the user, without `agents:`. */
  readonly agent: string
  /** `persona` and `goal` are told by these names, the rest as `extra`. */
  readonly metadata: JsonObject
  readonly connector?: string
}

/** Something that must come about in the course of a conversation. */
export interface Checkpoint {
  readonly id: string
  readonly description?: string
  /** All must hold of one reply; never empty. */
  readonly assertions: readonly KindConfig[]
  /** Checkpoints that must be reached before it is tested. */
  readonly after: readonly string[]
  /** Without it the case fails. */
  readonly required: boolean
}

/** What became of the conversation of one run. */
export interface ConversationRecord {
  readonly turns: readonly TurnRecord[]
  /** In the order of the case. */
  readonly checkpoints: readonly CheckpointRecord[]
  readonly ending: ConversationEnding
  readonly simulator: SimulatorRecord
}

/**
 * `agent_failed`: by a check of its own, such as a hook that threw. `broken_off`: agent, simulator or judge could not be
 * run, or the time was up.
 */
export type ConversationEnding =
  | 'checkpoints_reached'
  | 'goal_achieved'
  | 'turns_used_up'
  | 'agent_failed'
  | 'broken_off'

interface SimulatorRecord {
  readonly agent: string
  /** Why it held its goal for achieved, in its own words. */
  readonly reasoning?: string
  /** Apart from the agent's own usage. */
  readonly usage?: Usage
}

export interface TurnRecord {
  /** From 1. */
  readonly turn: number
  /** What the user said. */
  readonly input: string
  /** What assertions look at in the reply alone. */
  readonly output: Json
  /** The agent's last words, empty where it had none. */
  readonly content: string
  readonly toolCalls: readonly SpokenToolCall[]
  /** Structured data of the reply. */
  readonly data?: Json
  /** Ids of the checkpoints that were reached in this turn. */
  readonly reached: readonly string[]
  /** With the simulator's share. */
  readonly durationMs: number
  /** Why the conversation broke off in it. */
  readonly error?: string
}

export interface SpokenToolCall {
  readonly tool: string
  readonly server?: string
  readonly parameters: Json
  readonly result?: Json
  readonly error?: string
}

export interface CheckpointRecord {
  readonly id: string
  readonly description?: string
  readonly required: boolean
  /** Absent when it was not reached. */
  readonly reachedInTurn?: number
  /** Why it was not reached; empty when it was, or when it was never tested. */
  readonly message: string
  /** What a judge said of it when it was tested last. */
  readonly verdict?: JsonObject
}
