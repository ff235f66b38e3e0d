import { afterAll } from 'vitest'
import { createSandbox } from '../../src/sandbox/create-sandbox.ts'
import { type SandboxJob, type SandboxOutcome, ScriptCallError } from '../../src/sandbox/sandbox.ts'
import { SANDBOX_PROGRAM } from '../support/fake-host.ts'

export const LIMITS = { timeMs: 2000, memoryBytes: 32 * 1024 * 1024, stackBytes: 512 * 1024 }

interface Scene extends Partial<SandboxJob> {
  /** More scripts, by the name that they are required by. */
  readonly files?: Readonly<Record<string, string>>
}

/** Runs function `f` of a script `main.ts`, in a sandbox that is disposed of after the tests of a file; it may call `outside`. */
export function sandboxScene(): (code: string, scene?: Scene) => Promise<SandboxOutcome> {
  const sandbox = createSandbox(SANDBOX_PROGRAM)
  afterAll(() => sandbox.dispose())
  return (code, { files, ...job } = {}) => {
    const scripts: Readonly<Record<string, string>> = { 'main.ts': code, ...files }
    return sandbox.run({
      script: 'main.ts',
      function: 'f',
      args: [],
      preludes: ['globalThis.outside = __call'],
      load: async (specifier) => {
        const path = specifier.replace('./', '')
        const found = scripts[path]
        return found === undefined ? undefined : { path, code: found }
      },
      call: async (name) => {
        throw new ScriptCallError(`no call ${name}`)
      },
      log: () => undefined,
      limits: LIMITS,
      signal: new AbortController().signal,
      ...job,
    })
  }
}
