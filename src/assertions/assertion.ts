import type { z } from 'zod'
import type { Json } from '../core/json.ts'
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

export interface AssertionKind extends Kind {
  /** Takes settings that passed the schema. Cheap, and nothing of it is kept: suites may hold very many assertions. */
  prepare(config: KindConfig): PreparedAssertion
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
}): AssertionKind {
  return {
    type: definition.type,
    schema: definition.schema,
    prepare: ({ type: _type, ...settings }) => definition.prepare(definition.schema.parse(settings)),
  }
}
