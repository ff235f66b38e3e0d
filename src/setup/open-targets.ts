import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Config } from '../config/config.ts'
import { collectProblems, type Problem } from '../core/errors.ts'
import type { Host } from '../core/host.ts'
import type { ContextFile } from '../core/identity.ts'
import type { KindConfig } from '../core/kind.ts'
import type { SessionKeeper } from '../core/session-keeper.ts'
import type { Suite } from '../core/suite.ts'
import { approvalRequestIn } from '../evaluators/index.ts'
import { findAgentFolder } from '../suites/index.ts'
import { createTarget, parseTarget, type Target, type TargetContext, takesName } from '../targets/index.ts'

export interface OpenedTargets {
  readonly bySuite: ReadonlyMap<Suite, Target>
  readonly opened: readonly Target[]
  /** How each of them was opened, so that the same agent of another commit can be. */
  readonly openings: ReadonlyMap<Target, Opening>
}

export interface Opening {
  readonly settings: KindConfig
  /** Its suites bring it with them, whatever is named elsewhere. */
  readonly isOwn: boolean
  readonly context: TargetContext
}

interface OpenOptions {
  readonly context: ContextFile | undefined
  /** Keeps the sessions of targets that have some. */
  readonly keeper: SessionKeeper | undefined
  readonly problems: Problem[]
}

/** One target for each distinct setting: given, the suite's own, or the agent whose folder a suite lies in. */
export async function openTargets(
  suites: readonly Suite[],
  config: Config,
  host: Host,
  { context, keeper, problems }: OpenOptions,
): Promise<OpenedTargets> {
  const targetContext = { ...targetContextOf(config, host, context), ...(keeper ? { keeper } : {}) }
  const given = givenTarget(config, problems)
  problems.push(...controlTargetProblems(config))
  const agent = config.name === undefined ? undefined : { type: 'yao', name: config.name }
  const opened = new Map<string, Target | undefined>()
  const openings = new Map<Target, Opening>()
  const bySuite = new Map<Suite, Target>()
  for (const suite of suites) {
    const settings = suite.target ?? given ?? suite.defaultTarget ?? agent ?? (await nearestAgent(suite, problems))
    if (settings === undefined || settings === 'invalid') continue
    const named = takesName(settings) ? await agentNameFor(suite, config) : {}
    const key = JSON.stringify([settings, named])
    const opening = { settings, isOwn: suite.target !== undefined, context: { ...targetContext, ...named } }
    const open = () => createTarget(settings, opening.context)
    if (!opened.has(key)) opened.set(key, await collectProblems(problems, open))
    const target = opened.get(key)
    if (!target) continue
    bySuite.set(suite, target)
    openings.set(target, opening)
  }
  return { bySuite, openings, opened: [...opened.values()].filter((target) => target !== undefined) }
}

function targetContextOf(config: Config, host: Host, context: ContextFile | undefined): TargetContext {
  return {
    host,
    asksApproval: (text) => approvalRequestIn(text) !== undefined,
    ...(config.connector === undefined ? {} : { connector: config.connector }),
    ...(config.record === undefined ? {} : { record: resolve(host.cwd, config.record) }),
    ...(context === undefined ? {} : { context }),
    ...(config.user === undefined ? {} : { user: config.user }),
    ...(config.team === undefined ? {} : { team: config.team }),
  }
}

function givenTarget(config: Config, problems: Problem[]): KindConfig | 'invalid' | undefined {
  if (config.target === undefined) return undefined
  const parsed = parseTarget(config.target)
  if ('config' in parsed) return parsed.config
  problems.push(...parsed.problems)
  return 'invalid'
}

/** It is opened when it is needed; what is wrong with its words is known before. */
function controlTargetProblems({ 'control-target': written }: Config): Problem[] {
  const parsed = written === undefined ? undefined : parseTarget(written)
  const problems = parsed && 'problems' in parsed ? parsed.problems : []
  return problems.map((problem) => ({ ...problem, field: '--control-target' }))
}

export function unusedName(config: Config, suites: readonly Suite[]): string[] {
  if (config.name === undefined) return []
  if (config.target !== undefined) {
    const parsed = parseTarget(config.target)
    return 'config' in parsed && takesName(parsed.config) ? [] : ['--name is not used beside --target']
  }
  const isUnused = ({ target, defaultTarget = target }: Suite) =>
    defaultTarget !== undefined && !takesName(defaultTarget)
  return suites.length > 0 && suites.every(isUnused) ? ['--name is not used by these suites'] : []
}

/** For a target that leaves it open which agent it tests: `-n`, or the agent whose folder the suite lies in. */
async function agentNameFor(suite: Suite, config: Config): Promise<Pick<TargetContext, 'name' | 'agentFolder'>> {
  if (config.name !== undefined) return { name: config.name }
  const { agentFolder } = await agentFolderOf(suite)
  return agentFolder === undefined ? {} : { agentFolder }
}

async function agentFolderOf({ path }: Suite) {
  const isFolder = (await stat(path).catch(() => undefined))?.isDirectory() ?? false
  return { isFolder, agentFolder: findAgentFolder(isFolder ? path : resolve(path, '..')) }
}

/** Source: seed 000, "Agent Resolution": up from the suite's folder to the first package.yao. */
async function nearestAgent(suite: Suite, problems: Problem[]): Promise<KindConfig | undefined> {
  const { isFolder, agentFolder: folder } = await agentFolderOf(suite)
  if (folder !== undefined) return { type: 'yao', folder }
  problems.push({
    ...(isFolder ? {} : { file: suite.name }),
    message: 'no agent found: there is no package.yao in this folder or above it',
    hint: 'name the agent with -n, or what to test with --target, such as --target "command:node agent.mjs"',
  })
  return undefined
}
