import { describeProblem, type UserError } from '../core/errors.ts'
import type { Host } from '../core/host.ts'
import { plainText } from '../lib/escape.ts'

/** Every problem on a line of its own, without a stack: the user can mend all of them in one go. */
export function printUserError({ problems }: UserError, host: Host): void {
  for (const problem of problems) host.log.warn(`error: ${plainText(describeProblem(problem))}`)
}
