import { resolve } from 'node:path'
import { describeProblem } from '../core/errors.ts'
import { quote } from '../core/kind.ts'
import { type LoadedScript, type LoadScript, ScriptCallError } from '../sandbox/sandbox.ts'
import { findHook } from './find-hook.ts'
import { findProcess } from './find-process.ts'
import { type FoundTests, findTests } from './find-tests.ts'
import type { FoundFunction, NotFound } from './not-found.ts'
import { resolveImport } from './resolve-import.ts'
import { type ReadScript, scriptFiles, shownPath } from './script-files.ts'
import { pathMappings } from './tsconfig-paths.ts'

/** The scripts of one application. */
export interface Scripts {
  /** Absolute path of the application's root; no script outside of it is ever read. */
  readonly root: string
  /** For the sandbox. A script that cannot be parsed is an error of whoever asks for it. */
  readonly load: LoadScript
  /** A script by its path, absolute or relative to the working directory; undefined when there is none. */
  read(path: string): Promise<ReadScript | undefined>
  /** What a process name such as `scripts.a.b.Fn` or `agents.a.b.tools.Fn` means. */
  findProcess(name: string): Promise<FoundFunction | NotFound>
  /** What `scripts.<assistant>.<module>` means as an input: a file of tests. */
  findTests(input: string): Promise<FoundTests | NotFound>
  /** What `before` and its like mean for the agent with this folder. */
  findHook(reference: string, agentFolder: string): Promise<FoundFunction | NotFound>
}

interface ScriptsPlace {
  readonly root: string
  /** Paths in stacks and messages are relative to it. */
  readonly cwd: string
}

/** Nothing is read before it is asked for; what was read is kept. */
export function openScripts({ root, cwd }: ScriptsPlace): Scripts {
  const files = scriptFiles(root, cwd)
  const context = { files, mappings: pathMappings(root) }
  const place = { root, cwd, files }

  const load: LoadScript = async (specifier, from) => {
    const file = from === undefined ? resolve(cwd, specifier) : await imported(specifier, resolve(cwd, from))
    if (file === RUNTIME) return RUNTIME_MODULE
    const read = file === undefined ? undefined : await files.read(file)
    if (read?.kind === 'broken') throw new ScriptCallError(describeProblem(read.problem))
    return read?.script
  }
  const imported = async (specifier: string, from: string): Promise<string | undefined> => {
    const found = await resolveImport(specifier, from, context)
    if (found.kind === 'package') throw new ScriptCallError(`${quote(specifier)}: ${NO_PACKAGES}`)
    if (found.kind === 'missing')
      throw new ScriptCallError(`${quote(specifier)} is not found from ${shownPath(from, cwd)}`)
    return found.kind === 'file' ? found.file : RUNTIME
  }
  return {
    root,
    load,
    read: (path) => files.read(resolve(cwd, path)),
    findProcess: (name) => findProcess(name, place),
    findTests: (input) => findTests(input, place),
    findHook: (reference, agentFolder) => findHook(reference, agentFolder, place),
  }
}

const NO_PACKAGES = 'scripts import other scripts by relative paths; npm packages are not available'

const RUNTIME = '<runtime>'
/** Values imported from Yao's type packages are the globals of the same name. */
const RUNTIME_MODULE: LoadedScript = {
  path: RUNTIME,
  code: 'module.exports = new Proxy({}, { get: (_, name) => globalThis[name] })',
}
