import { calledFunctions } from '../assertions/index.ts'
import type { Problem } from '../core/errors.ts'
import type { Host } from '../core/host.ts'
import type { JsonObject } from '../core/json.ts'
import type { CallScript } from '../core/means.ts'
import type { Case } from '../core/suite.ts'
import { createSandbox } from '../sandbox/create-sandbox.ts'
import { scriptCaller } from '../scripts/call-script.ts'
import { openScripts, type Scripts } from '../scripts/scripts.ts'
import { scriptIdentity } from './judged-by.ts'

/** The scripts of one application that its cases call. */
export interface CalledScripts {
  readonly call: CallScript
  /** What is wrong with calling this function. */
  problems(called: Called): Promise<readonly Problem[]>
  /** What tells the function apart from an earlier one of its name. */
  identity(called: Called): Promise<string>
  dispose(): Promise<void>
}

/** A function that a case calls. */
export interface Called {
  readonly name: string
  /** Field of the record that names it, such as `assert[0].script`. */
  readonly field: string
}

interface Scope {
  readonly host: Host
  /** Absolute path of the application. */
  readonly root: string
  readonly authorized: JsonObject
}

export function openCalledScripts({ host, root, authorized }: Scope): CalledScripts {
  const scripts = openScripts({ root, cwd: host.cwd })
  const sandbox = createSandbox(host.sandboxProgram)
  const identities = new Map<string, Promise<string>>()
  return {
    call: scriptCaller({ scripts, sandbox, authorized }),
    async problems({ name, field }) {
      const found = await scripts.findProcess(name)
      if (found.kind === 'found') return []
      return [{ ...found.problem, ...(found.problem.file === undefined ? { field } : {}) }]
    },
    async identity({ name }) {
      const identity = identities.get(name) ?? identityOf(name, scripts)
      identities.set(name, identity)
      return await identity
    },
    dispose: () => sandbox.dispose(),
  }
}

async function identityOf(name: string, scripts: Scripts): Promise<string> {
  const found = await scripts.findProcess(name)
  return found.kind === 'found' ? await scriptIdentity(scripts.load, found.script.path) : name
}

/** Every function that a case calls, in its assertions and its checkpoints. */
export function calledIn({ assertions, conversation }: Pick<Case, 'assertions' | 'conversation'>): Called[] {
  const lists = [
    { list: 'assert', assertions },
    ...(conversation?.checkpoints ?? []).map((checkpoint, at) => ({
      list: `checkpoints[${at}].assert`,
      assertions: checkpoint.assertions,
    })),
  ]
  return lists.flatMap(({ list, assertions: configs }) =>
    calledFunctions(configs).map(({ name, index }): Called => {
      return { name, field: configs.length === 1 ? `${list}.script` : `${list}[${index}].script` }
    }),
  )
}
