import { existsSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { pluginFiles } from '../assertions/index.ts'
import type { Problem } from '../core/errors.ts'
import type { Host } from '../core/host.ts'
import type { CalledPlugin, CallPlugin } from '../core/means.ts'
import { type Case, placedAssertions } from '../core/suite.ts'
import { siblingPath } from '../lib/sibling-path.ts'
import { createSandbox } from '../sandbox/create-sandbox.ts'
import { callFound } from '../scripts/call-script.ts'
import { functionIn } from '../scripts/not-found.ts'
import { openScripts, type Scripts } from '../scripts/scripts.ts'
import { openConfinement } from '../suites/index.ts'
import { scriptIdentity } from './judged-by.ts'

/** A file of the author's own that a case is judged by. */
export interface Plugin extends Pick<CalledPlugin, 'file' | 'function'> {
  /** Where the case names it, such as `assert[0].file`. */
  readonly field: string
}

/** Files that judge runs: custom evaluators and assertions, each read once and run in a sandbox. */
export interface Plugins {
  readonly call: CallPlugin
  /** What is wrong with calling this one; known before anything runs. */
  problems(plugin: Plugin): Promise<readonly Problem[]>
  /** What tells the file apart from what it was before. */
  identity(plugin: Plugin): Promise<string>
  dispose(): Promise<void>
}

const MEMORY_BYTES = 256 * 1024 ** 2
const STACK_BYTES = 512 * 1024

export function openPlugins(host: Host): Plugins {
  const sandbox = createSandbox(host.sandboxProgram)
  const confinement = openConfinement(host)
  const byRoot = new Map<string, Scripts>()
  const identities = new Map<string, Promise<string>>()
  const scriptsFor = (file: string): Scripts => {
    const root = rootOf(resolve(host.cwd, file), host.cwd)
    const known = byRoot.get(root) ?? openScripts({ root, cwd: host.cwd })
    byRoot.set(root, known)
    return known
  }
  const find = async ({ file, function: name }: Pick<CalledPlugin, 'file' | 'function'>) => {
    // A pull request may name any file of the machine that its suites are run on.
    const real = await realpath(resolve(host.cwd, file)).catch(() => undefined)
    const confined = real === undefined ? undefined : confinement(real, 'file')
    if (confined) return { problem: { file, message: confined.message } }
    const scripts = scriptsFor(file)
    const read = await scripts.read(file)
    if (!read) return { problem: { file, message: 'there is no such file' } }
    if (read.kind === 'broken') return { problem: read.problem }
    const found = functionIn(read.script, name)
    return found.kind === 'found' ? { found, scripts } : { problem: { file, ...found.problem } }
  }
  return {
    async call(called, signal = host.signal) {
      const found = await find(called)
      if ('problem' in found) return { kind: 'failed', message: found.problem.message }
      const limits = { timeMs: called.limitMs, memoryBytes: MEMORY_BYTES, stackBytes: STACK_BYTES }
      const surroundings = { scripts: found.scripts, sandbox, authorized: {}, limits }
      return await callFound(found.found, called.args, surroundings, signal)
    },
    async problems(plugin) {
      const found = await find(plugin)
      if (!('problem' in found)) return []
      const what = plugin.function === 'evaluate' ? 'evaluator' : 'assertion'
      const { hint = `it is the ${what} of ${plugin.field}` }: Problem = found.problem
      return [{ ...found.problem, hint }]
    },
    async identity({ file }) {
      const identity = identities.get(file) ?? scriptIdentity(scriptsFor(file).load, file)
      identities.set(file, identity)
      return await identity
    },
    dispose: () => sandbox.dispose(),
  }
}

/** What a plug-in may import from: the repository that it lies in; without one the working directory, or its folder. */
function rootOf(file: string, cwd: string): string {
  const folder = dirname(file)
  for (let path = folder; ; path = dirname(path)) {
    if (existsSync(join(path, '.git')) || path === cwd) return path
    if (dirname(path) === path) return folder
  }
}

/** Every file of the author's own that a case is judged by. */
export function pluginsOf({
  assertions,
  conversation,
  evaluations,
  location,
}: Pick<Case, 'assertions' | 'conversation' | 'evaluations' | 'location'>): Plugin[] {
  const asserted = placedAssertions({ assertions, ...(conversation ? { conversation } : {}) }).flatMap(
    ({ config, field }) =>
      pluginFiles([config]).map(({ file }): Plugin => {
        return { file: siblingPath(location.file, file), function: 'check', field: `${field}.file` }
      }),
  )
  const evaluated = (evaluations?.evaluators ?? []).flatMap(({ type, name, file }): Plugin[] =>
    type === 'custom' && typeof file === 'string'
      ? [{ file, function: 'evaluate', field: `evaluators.${String(name)}.file` }]
      : [],
  )
  return [...asserted, ...evaluated]
}
