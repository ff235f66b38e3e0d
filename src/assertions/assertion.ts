import type { z } from 'zod'
import type { Json } from '../core/json.ts'
import type { Kind, KindConfig } from '../core/kind.ts'
import type { Case } from '../core/suite.ts'
import type { Trace } from '../core/trace.ts'

/** What an assertion looks at. */
export interface Subject {
  readonly output: Json
  readonly trace: Trace
  readonly case: Case
}

export type Outcome =
  | { readonly kind: 'pass' }
  | { readonly kind: 'fail'; readonly message: string; readonly expected?: Json; readonly actual?: Json }
  /** Could not be evaluated: fails, and `negate` does not turn it into a pass. */
  | { readonly kind: 'unevaluable'; readonly message: string }

export interface AssertionKind extends Kind {
  check(subject: Subject, config: KindConfig): Outcome | Promise<Outcome>
}

export const pass: Outcome = { kind: 'pass' }

export function fail(message: string, detail: { expected?: Json; actual?: Json } = {}): Outcome {
  return { kind: 'fail', message, ...detail }
}

export function defineAssertion<S extends z.ZodObject>(definition: {
  readonly type: string
  readonly schema: S
  check(subject: Subject, settings: z.infer<S>): Outcome | Promise<Outcome>
}): AssertionKind {
  return {
    ...definition,
    check: (subject, { type: _type, ...settings }) => definition.check(subject, definition.schema.parse(settings)),
  }
}
