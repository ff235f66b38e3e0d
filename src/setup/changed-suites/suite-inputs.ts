import { realpath } from 'node:fs/promises'
import { basename, dirname, resolve } from 'node:path'
import { type Case, MESSAGE_SUITE, type Suite } from '../../core/suite.ts'
import type { Target } from '../../targets/index.ts'
import { isBelow } from '../base-side/base-checkout.ts'
import { pluginsOf } from '../plugins.ts'
import { type AgentReach, reachOf } from './agent-reach.ts'

/** What the runs of a suite depend on, as far as it is known; all paths absolute and without links. */
export interface SuiteInputs {
  readonly file: string
  /** Files and folders that its cases name. */
  readonly references: readonly string[]
  /** Code of the author's own judges its runs, and may import anything. */
  readonly hasOwnCode: boolean
  /** Where all that the agent is made of is known; anything may be a part of it otherwise. */
  readonly agent?: {
    readonly folder: string
    readonly application: string
    readonly reach: AgentReach
  }
}

interface Place {
  /** Root of the checkout. */
  readonly top: string
  readonly cwd: string
}

/** Undefined where a part of it cannot be followed in the repository, so that no change could be seen. */
export async function inputsOf(
  suite: Suite,
  target: Target | undefined,
  { top, cwd }: Place,
): Promise<SuiteInputs | undefined> {
  if (suite.name === MESSAGE_SUITE || !target) return undefined
  const file = await realOf(suite.path)
  const named = [...(suite.references ?? []), ...suite.cases.flatMap((item) => filesOf(item, cwd))]
  const references = await Promise.all([...new Set(named)].map(realOf))
  const all = [file, ...references]
  if (all.some((path) => path === undefined || !isBelow(path, top))) return undefined
  const found = all.filter((path) => path !== undefined)
  const [first = ''] = found
  const hasOwnCode = suite.cases.some((item) => pluginsOf(item).length > 0)
  const common = { file: first, references: found.slice(1), hasOwnCode }
  const { agentFolder, application } = target
  if (agentFolder === undefined || application === undefined) return common
  const [folder, root] = [await realOf(agentFolder), await realOf(application)]
  if (folder === undefined || root === undefined || !isBelow(root, top) || !isBelow(folder, root)) return undefined
  return { ...common, agent: { folder, application: root, reach: await reachOf(folder, root, [first]) } }
}

function filesOf(item: Case, cwd: string): string[] {
  const { session } = item
  const workspace = session?.workspace === undefined ? [] : [session.workspace]
  return [...workspace, ...pluginsOf(item).map(({ file }) => resolve(cwd, file))]
}

async function realOf(path: string): Promise<string | undefined> {
  return await realpath(path).catch(() => undefined)
}

/** Whether a file lies right in one of the folders above another one, as lists of packages do, or is the config there. */
export function isAbove(file: string, other: string): boolean {
  const folder = dirname(file)
  const isConfig = basename(folder) === 'config' && /^config\.ya?ml$/.test(basename(file))
  return isBelow(other, isConfig ? dirname(folder) : folder)
}
