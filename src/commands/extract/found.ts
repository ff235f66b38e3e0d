import { type Problem, problemsError, type UserError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'

/** A result of a report: what it is called, and the way to the rest. */
export interface FoundResult {
  readonly id: string
  /** Empty where the report does not tell. */
  readonly suite: string
  /** The whole of it; throws a UserError when the file has changed meanwhile. */
  read(): Promise<JsonObject>
}

export type Indexed = { readonly results: readonly FoundResult[] } | { readonly problems: readonly Problem[] }

export function invalid(problems: readonly Problem[]): UserError {
  return problemsError('INVALID_OPTIONS', problems)
}

export function changed(file: string, line: number): UserError {
  return invalid([{ file, line, message: 'the file has changed since it was opened' }])
}
