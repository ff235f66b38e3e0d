import { describeProblem, TargetError } from '../core/errors.ts'
import type { Json } from '../core/json.ts'
import { quote } from '../core/kind.ts'
import type { CallOutcome, CallScript } from '../core/means.ts'
import { describeStop, SCRIPT_SPACE } from '../sandbox/limits.ts'
import type { ScriptLog } from '../sandbox/sandbox.ts'
import { type OutsideCall, type Sandbox, type SandboxLimits, ScriptCallError } from '../sandbox/sandbox.ts'
import type { FoundFunction } from './not-found.ts'
import type { Scripts } from './scripts.ts'

/** Of a script that only judges. */
const LIMITS: SandboxLimits = { timeMs: 30_000, ...SCRIPT_SPACE }

/** Scripts that call each other; each level holds a thread. */
const MAX_LEVELS = 12

export interface Surroundings {
  readonly scripts: Scripts
  readonly sandbox: Sandbox
  /** Who the scripts are told is asking. */
  readonly authorized: Json
  readonly log?: (line: ScriptLog) => void
  readonly limits?: SandboxLimits
}

/**
 * Calls functions of scripts for their own sake. What they reach is `Process` for other scripts of the application, and
 * `Authorized`; what needs a server ends them by its name.
 */
export function scriptCaller(surroundings: Surroundings): CallScript {
  return (name, args, signal) => callNested(name, args, surroundings, { trail: [], ...(signal ? { signal } : {}) })
}

/** Calls a function that was found, as `scriptCaller` does. */
export function callFound(
  found: FoundFunction,
  args: readonly Json[],
  surroundings: Surroundings,
  signal: AbortSignal,
): Promise<CallOutcome> {
  return callFunction(found, args, surroundings, { trail: [found.function], signal })
}

interface Call {
  readonly trail: readonly string[]
  readonly signal?: AbortSignal
}

async function callNested(
  name: string,
  args: readonly Json[],
  surroundings: Surroundings,
  { trail: before, signal }: Call,
): Promise<CallOutcome> {
  const found = await surroundings.scripts.findProcess(name)
  if (found.kind === 'not-found') return failed(describeProblem(found.problem))
  const trail = [...before, name]
  if (trail.length > MAX_LEVELS) return failed(`scripts call each other too deep: ${trail.join(' → ')}`)
  return await callFunction(found, args, surroundings, { trail, ...(signal ? { signal } : {}) })
}

async function callFunction(
  found: FoundFunction,
  args: readonly Json[],
  surroundings: Surroundings,
  { trail, signal = new AbortController().signal }: Call,
): Promise<CallOutcome> {
  const { scripts, sandbox, limits = LIMITS, log = () => undefined } = surroundings
  const call = outsideCall(surroundings, { trail, signal })
  const { script, function: fn } = found
  const { load } = scripts
  const outcome = await sandbox.run({
    script: script.path,
    function: fn,
    args,
    preludes: [PRELUDE],
    load,
    call,
    log,
    limits,
    signal,
  })
  switch (outcome.kind) {
    case 'returned':
      return outcome
    case 'missing':
      return failed(`there is no function ${quote(fn)} in ${script.path}`)
    case 'threw': {
      const [frame] = outcome.error.stack.split('\n')
      return failed(`${outcome.error.name}: ${outcome.error.message}${frame ? ` (${frame})` : ''}`)
    }
    case 'stopped':
      return failed(describeStop(outcome.by, limits))
    case 'ended':
      throw outcome.error
  }
}

function failed(message: string): CallOutcome {
  return { kind: 'failed', message }
}

const PRELUDE = `globalThis.Process = function Process(name, ...args) {
  return __call('process', String(name), args)
}
globalThis.Authorized = function Authorized() {
  return __call('authorized')
}`

function outsideCall(surroundings: Surroundings, call: Call): OutsideCall {
  return async (kind, [name, args]) => {
    if (kind === 'authorized') return surroundings.authorized
    if (kind !== 'process' || typeof name !== 'string')
      throw new ScriptCallError(`unknown call ${quote(kind.slice(0, 60))}`)
    if (!/^(?:scripts|agents)\./.test(name)) {
      // Says nothing of the agent, and is not for the script to catch.
      const message = `Process(${quote(name.slice(0, 100))}) is not run here: it needs a running Yao server`
      throw new TargetError(message, { code: 'UNSUPPORTED' })
    }
    const outcome = await callNested(name, Array.isArray(args) ? (args as readonly Json[]) : [], surroundings, call)
    if (outcome.kind === 'failed') throw new ScriptCallError(`${name}: ${outcome.message}`)
    return outcome.value
  }
}
