import type { Problem } from '../core/errors.ts'
import { TargetError } from '../core/errors.ts'
import type { Host } from '../core/host.ts'
import type { Json, JsonObject } from '../core/json.ts'
import { quote } from '../core/kind.ts'
import { createSandbox } from '../sandbox/create-sandbox.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { callFound } from '../scripts/call-script.ts'
import { scriptRoot } from '../scripts/script-root.ts'
import { openScripts, type Scripts } from '../scripts/scripts.ts'

/** Calls one function and gives what it returns; throws a TargetError for whatever it fails with. */
export type CallFunction = (args: readonly Json[], signal: AbortSignal) => Promise<Json>

/** The functions in the `*_test.ts` files of agents. */
export interface TestFunctions {
  /** By a reference such as `env_test.Before`; `what` names its part in messages. */
  find(reference: string, what: string, agentFolder: string | undefined): Promise<CallFunction | Problem>
  dispose(): Promise<void>
}

interface Scope {
  readonly host: Host
  /** Who they are told is asking. */
  readonly authorized: JsonObject
}

export function openTestFunctions({ host, authorized }: Scope): TestFunctions {
  const known = new Map<string, Scripts>()
  let sandbox: Sandbox | undefined
  const scriptsOf = (folder: string): Scripts => {
    const root = scriptRoot(folder, host)
    const scripts = known.get(root) ?? openScripts({ root, cwd: host.cwd })
    known.set(root, scripts)
    return scripts
  }
  return {
    async find(reference, what, folder) {
      if (folder === undefined)
        return { message: `${what}: no agent's folder is known`, hint: 'name the agent with -n' }
      const scripts = scriptsOf(folder)
      const found = await scripts.findHook(reference, folder)
      if (found.kind === 'not-found') return found.problem
      sandbox ??= createSandbox(host.sandboxProgram)
      const name = `${what} ${quote(reference)}`
      const log = ({ text }: { readonly text: string }) => host.log.info(`${name}: ${text}`)
      const surroundings = { scripts, sandbox, authorized, log }
      return async (args, signal) => {
        const outcome = await callFound(found, args, surroundings, signal).catch((error: unknown) => {
          if (!(error instanceof TargetError)) throw error
          throw new TargetError(`${name}: ${error.message}`, { code: error.code, cause: error })
        })
        if (outcome.kind === 'returned') return outcome.value
        throw new TargetError(`${name}: ${outcome.message}`, { code: 'SCRIPT_ERROR' })
      }
    },
    async dispose() {
      await sandbox?.dispose()
    },
  }
}
