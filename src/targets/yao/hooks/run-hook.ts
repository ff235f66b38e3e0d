import type { Json } from '../../../core/json.ts'
import { AgentFault } from '../agent/fault.ts'
import type { RunScope } from '../agent/scope.ts'
import { INVOKE_CONTEXT_FIRST } from '../context/prelude.ts'
import type { Parsed } from './create-result.ts'
import { runScript } from './run-script.ts'

interface Hook<T> {
  readonly name: 'Create' | 'Next'
  /** The script, as `load` knows it. */
  readonly script: string
  readonly agent: string
  /** `data` of the context, then what the hook gets beside `ctx`. */
  readonly args: readonly Json[]
  readonly call: (name: string, args: readonly Json[]) => Promise<Json | undefined>
  readonly parse: (returned: Json) => Parsed<T>
}

/**
 * Runs a hook in a context of its own. A hook that is missing decides nothing; one that throws, that does not end or that
 * returns something else than a decision is a fault of the agent, whatever its message: in Yao, an error that sounds like
 * a missing function is swallowed. Source: spec yao 11.5.
 */
export async function runHook<T>(hook: Hook<T>, scope: RunScope): Promise<T> {
  const { name, parse, ...job } = hook
  const end = await runScript({ ...job, function: name, invoke: INVOKE_CONTEXT_FIRST }, scope)
  const fault = (message: string) => new AgentFault(`hook ${name}`, `${name} of ${hook.agent}: ${message}`)
  if (end.kind === 'failed') throw fault(end.message)
  const parsed = parse(end.kind === 'missing' ? null : end.value)
  if ('problem' in parsed) throw fault(`wrong return value: ${parsed.problem}`)
  return parsed.value
}
