import { UserError } from '../core/errors.ts'
import type { Log } from '../core/host.ts'
import { plainText } from '../lib/escape.ts'
import type { Reporter } from './reporter.ts'

type Hook = (reporter: Reporter) => void | Promise<void>

/**
 * All reporters as one, called in their order. One that throws is told of once and then left out; the verdict does not
 * change. A required one is different: at the start its failure ends everything, later it is thrown after the others
 * have finished.
 */
export function combineReporters(reporters: readonly Reporter[], log: Log): Reporter {
  let working = reporters
  let failure: unknown

  const fail = (reporter: Reporter, error: unknown): void => {
    working = working.filter((other) => other !== reporter)
    if (reporter.required) failure ??= error
    else log.warn(`${reporter.name} failed and is left out: ${plainText(messageOf(error))}`)
  }
  const callOne = async (reporter: Reporter, hook: Hook): Promise<void> => {
    try {
      await hook(reporter)
    } catch (error) {
      fail(reporter, error)
    }
  }
  const callAll = async (hook: Hook): Promise<void> => {
    for (const reporter of working) await callOne(reporter, hook)
  }
  /** Without a promise where nobody has one to wait for: this is called for every run. */
  const callSync = (hook: Hook): void | Promise<void> => {
    const pending: Promise<void>[] = []
    for (const reporter of working) {
      try {
        const result = hook(reporter)
        if (result !== undefined) pending.push(callOne(reporter, () => result))
      } catch (error) {
        fail(reporter, error)
      }
    }
    return pending.length === 0 ? undefined : Promise.all(pending).then(() => undefined)
  }
  const throwFailure = (): void => {
    if (failure !== undefined) throw asUserError(failure)
  }
  return {
    name: 'reporters',
    async onStart(plan) {
      await callAll((reporter) => reporter.onStart?.(plan))
      throwFailure()
    },
    onRun: (result, item) => callSync((reporter) => reporter.onRun?.(result, item)),
    onCase: (item) => callSync((reporter) => reporter.onCase?.(item)),
    async onEnd(report) {
      await callAll((reporter) => reporter.onEnd?.(report))
      throwFailure()
    },
    onRefusal: (refusal) => callAll((reporter) => reporter.onRefusal?.(refusal)),
  }
}

function asUserError(error: unknown): UserError {
  if (error instanceof UserError) return error
  return new UserError(`an output could not be written: ${messageOf(error)}`, {
    code: 'OUTPUT_NOT_WRITABLE',
    cause: error,
  })
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
