import type { z } from 'zod'
import type { Json, JsonObject } from '../core/json.ts'
import type { Kind, KindConfig } from '../core/kind.ts'
import type { Means } from '../core/means.ts'
import type { Case } from '../core/suite.ts'
import type { Trace } from '../core/trace.ts'

/** What an assertion looks at. */
export interface Subject {
  readonly output: Json
  readonly trace: Trace
  readonly case: Case
}

export type Outcome =
  | {
      readonly kind: 'judged'
      readonly holds: boolean
      /** What was found where the assertion looked. */
      readonly actual: Json
      /** Added to the failure text: where it was found, or why it was not. */
      readonly note?: string
      /** The failure in words of its own, in place of the generated text. */
      readonly text?: string
      /** What else is known of the judgement; reported of a check that passed, too. */
      readonly details?: JsonObject
    }
  /** Could not be evaluated: fails, and `negate` does not turn it into a pass. */
  | { readonly kind: 'unevaluable'; readonly message: string }

/** An assertion with its settings read. */
export interface PreparedAssertion {
  /** What must hold, in words that follow "expected"; a function, because most checks pass and need no words. */
  expectation(): string
  readonly expected: Json
  /** Legal, but hardly meant: a check that cannot fail, or one that cannot pass. */
  readonly warning?: string
  /** May throw a TargetError when something it needs could not be run. */
  check(subject: Subject, means: Means): Outcome | Promise<Outcome>
}

export interface AskedAgent {
  /** Id, without `agents:`. */
  readonly agent: string
  readonly connector?: string
  readonly metadata: JsonObject
}

export interface AssertionKind extends Kind {
  /** Takes settings that passed the schema. Cheap, and nothing of it is kept: suites may hold very many assertions. */
  prepare(config: KindConfig): PreparedAssertion
  /** The agent that it asks, so that it can be checked before the first run. */
  asked?(config: KindConfig): AskedAgent
  /** Name of the script's function that it calls, so that it can be checked before the first run. */
  called?(config: KindConfig): string
  /** The file of the author's own that it calls, as written: relative to the suite. */
  plugin?(config: KindConfig): string
}

export function judged(holds: boolean, actual: Json, note?: string): Outcome {
  return { kind: 'judged', holds, actual, ...(note === undefined ? {} : { note }) }
}

export function unevaluable(message: string): Outcome {
  return { kind: 'unevaluable', message }
}

/** A kind whose `prepare` sees its own settings typed. */
export function defineAssertion<S extends z.ZodObject>(definition: {
  readonly type: string
  readonly schema: S
  prepare(settings: z.infer<S>): PreparedAssertion
  asked?(settings: z.infer<S>): AskedAgent
  called?(settings: z.infer<S>): string
  plugin?(settings: z.infer<S>): string
}): AssertionKind {
  const { type, schema, asked, called, plugin } = definition
  return {
    type,
    schema,
    prepare: ({ type: _type, ...settings }) => definition.prepare(schema.parse(settings)),
    ...(asked ? { asked: ({ type: _type, ...settings }) => asked(schema.parse(settings)) } : {}),
    ...(called ? { called: ({ type: _type, ...settings }) => called(schema.parse(settings)) } : {}),
    ...(plugin ? { plugin: ({ type: _type, ...settings }) => plugin(schema.parse(settings)) } : {}),
  }
}
