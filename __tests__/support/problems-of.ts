import { type Problem, UserError } from '../../src/core/errors.ts'

/** The problems of a refused setting; fails when nothing was refused. */
export async function problemsOf(attempt: Promise<unknown>): Promise<readonly Problem[]> {
  try {
    await attempt
  } catch (error) {
    if (error instanceof UserError) return error.problems
    throw error
  }
  throw new Error('expected a UserError, and nothing was thrown')
}
