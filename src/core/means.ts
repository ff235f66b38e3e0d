import type { Json, JsonObject } from './json.ts'
import type { Case } from './suite.ts'
import type { Usage } from './trace.ts'

/** What judging a run may use beyond the run itself; absent where the run's surroundings do not have it. */
export interface Means {
  readonly ask?: AskAgent
  readonly call?: CallScript
  readonly plugin?: CallPlugin
}

/** Asks another agent of the same application. Throws a TargetError when it could not be run. */
export type AskAgent = (question: Question) => Promise<Answer>

export interface Question {
  /** Id of the agent, without `agents:`. */
  readonly agent: string
  /** Text of the one user message. */
  readonly content: string
  readonly metadata: JsonObject
  readonly connector?: string
  readonly signal?: AbortSignal
  /** The run that asks. */
  readonly asker?: Asker
}

export interface Asker {
  readonly case: Case
  /** From 1. */
  readonly run: number
}

export interface Answer {
  /** What assertions would look at: structured data unless empty, else the text. */
  readonly output: Json
  readonly usage?: Usage
}

/**
 * Calls a function of the application's scripts, such as `scripts.test.Check` or `agents.a.b.tools.Fn`. Throws a
 * TargetError when it uses something that is not here.
 */
export type CallScript = (name: string, args: readonly Json[], signal?: AbortSignal) => Promise<CallOutcome>

/** Calls a function of a file of the author's own: a custom evaluator or assertion. */
export type CallPlugin = (called: CalledPlugin, signal?: AbortSignal) => Promise<CallOutcome>

export interface CalledPlugin {
  /** Relative to the working directory, with `/`, or absolute. */
  readonly file: string
  readonly function: 'evaluate' | 'check'
  readonly args: readonly Json[]
  /** Of the function's own running. */
  readonly limitMs: number
}

export type CallOutcome =
  | { readonly kind: 'returned'; readonly value: Json }
  /** It threw, took too long, or there is no such function. */
  | { readonly kind: 'failed'; readonly message: string }
