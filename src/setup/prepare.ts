import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { BaselineStore } from '../baselines/index.ts'
import type { Config } from '../config/config.ts'
import type { LoadedBaseline } from '../core/baseline.ts'
import { collectProblems, type Problem, problemsError } from '../core/errors.ts'
import type { Host } from '../core/host.ts'
import type { ContextFile } from '../core/identity.ts'
import type { KindConfig } from '../core/kind.ts'
import { type Case, MESSAGE_SUITE, type Suite } from '../core/suite.ts'
import { compilePattern } from '../lib/regex.ts'
import type { Plan, PlannedCase } from '../runner/plan.ts'
import { findAgentFolder, loadSuites, readContextFile, type UnsupportedCase } from '../suites/index.ts'
import { createTarget, parseTarget, type Target, type TargetContext } from '../targets/index.ts'
import { loadFileBaseline, type Outputs, openFileToSave, openOutputs } from './destinations.ts'
import { fileCollisions } from './file-collisions.ts'

/** What `prepare` found; nothing has been called yet. */
export interface Prepared {
  readonly plan: Plan
  readonly suites: readonly Suite[]
  readonly targets: readonly Target[]
  readonly warnings: readonly string[]
  /** Every input is a direct message: only outputs are printed. */
  readonly messageMode: boolean
  readonly outputs: Outputs
  /** The baseline file that was given, as found. */
  readonly baseline?: LoadedBaseline
  /** The file that a baseline was asked to be saved to. */
  readonly saveTo?: BaselineStore
}

/** What differs between command line and action. */
interface Surface {
  readonly defaultOutput?: string
  /** A baseline file that is not there yet is a first run, not a mistake. */
  readonly baselineMayBeMissing: boolean
}

/** Loads and checks everything before the first call; throws one UserError with every problem. */
export async function prepare(config: Config, host: Host, surface: Surface): Promise<Prepared> {
  const problems: Problem[] = []
  if (config.input.length === 0) {
    problems.push({
      field: '--input',
      message: 'nothing to run',
      hint: 'give a suite, a folder, a glob or a message with -i',
    })
  }
  const loaded = await loadSuites({ inputs: config.input, host })
  problems.push(...loaded.problems)
  const selected = selectCases(loaded.suites, config.run, problems)
  problems.push(...unsupportedIn(selected, loaded.unsupported))
  const context = await collectProblems(problems, () => contextFile(config, host))
  const targets = await openTargets(loaded.suites, config, host, { context, problems })
  const cases = selected.flatMap(({ item, suite }): PlannedCase[] => {
    const target = targets.bySuite.get(suite)
    return target ? [{ item, target }] : []
  })
  problems.push(...cases.flatMap(({ item, target }) => caseProblems(item, target)))
  problems.push(...tooManyRuns(cases.length, config.runs))
  const messageMode = loaded.suites.every((suite) => suite.name === MESSAGE_SUITE)
  const outputs = await openOutputs(config, host, { suites: loaded.suites, messageMode, problems, ...surface })
  const baseline = await loadFileBaseline(config, host, { problems, mayBeMissing: surface.baselineMayBeMissing })
  const saveTo = await openFileToSave(config, host, problems)
  const suiteFiles = loaded.suites.flatMap(({ name, path }) => (name === MESSAGE_SUITE ? [] : [path]))
  const reads = [...suiteFiles, ...targets.opened.flatMap((target) => target.reads ?? [])]
  problems.push(...(await fileCollisions(config, host, { reads, outputs: outputs.paths })))
  if (problems.length > 0) {
    await disposeAll(targets.opened)
    throw problemsError('INVALID_SUITE', dedupe(problems))
  }
  return {
    plan: planOf(cases, config, context),
    suites: loaded.suites,
    targets: targets.opened,
    warnings: [
      ...(config.name !== undefined && config.target !== undefined ? ['--name is not used beside --target'] : []),
      ...loaded.suites.flatMap((suite) => suite.warnings),
      ...outputs.warnings,
    ],
    messageMode,
    outputs,
    ...(baseline === undefined ? {} : { baseline }),
    ...(saveTo === undefined ? {} : { saveTo }),
  }
}

/** Every target gets to clean up, whatever another one does. */
export async function disposeAll(targets: readonly Target[]): Promise<void> {
  await Promise.all(targets.map(async (target) => target.dispose?.()))
}

function planOf(cases: readonly PlannedCase[], config: Config, context: ContextFile | undefined): Plan {
  return {
    cases,
    runsPerCase: config.runs,
    parallel: config.parallel,
    timeoutMs: config.timeout,
    timeoutGiven: config.given.has('timeout'),
    flags: { user: config.user, team: config.team },
    ...(config.connector === undefined ? {} : { connector: config.connector }),
    ...(context === undefined ? {} : { context }),
  }
}

interface SelectedCase {
  readonly item: Case
  readonly suite: Suite
}

function selectCases(suites: readonly Suite[], pattern: string | undefined, problems: Problem[]): SelectedCase[] {
  const all = suites.flatMap((suite) => suite.cases.map((item) => ({ item, suite })))
  if (pattern === undefined) return all
  const compiled = compilePattern(pattern)
  const selected = all.filter(({ item }) => compiled.test(item.id))
  if (selected.length === 0 && all.length > 0) {
    const ids = all.slice(0, 5).map(({ item }) => item.id)
    const more = all.length > ids.length ? ', …' : ''
    problems.push({
      field: '--run',
      message: `no case id matches ${JSON.stringify(pattern)}`,
      hint: `ids are ${ids.join(', ')}${more}`,
    })
  }
  return selected
}

function unsupportedIn(selected: readonly SelectedCase[], unsupported: readonly UnsupportedCase[]): Problem[] {
  const keys = new Set(selected.flatMap(({ item }) => (item.skip === undefined ? [item.key] : [])))
  return unsupported.flatMap(({ caseKey, problem }) => (keys.has(caseKey) ? [problem] : []))
}

async function contextFile(config: Config, host: Host): Promise<ContextFile | undefined> {
  return config.ctx === undefined ? undefined : await readContextFile(config.ctx, host)
}

interface OpenedTargets {
  readonly bySuite: ReadonlyMap<Suite, Target>
  readonly opened: readonly Target[]
}

/** One target for each distinct setting: given, or the agent whose folder a suite lies in. */
async function openTargets(
  suites: readonly Suite[],
  config: Config,
  host: Host,
  { context, problems }: { context: ContextFile | undefined; problems: Problem[] },
): Promise<OpenedTargets> {
  const targetContext: TargetContext = {
    host,
    ...(config.connector === undefined ? {} : { connector: config.connector }),
    ...(config.record === undefined ? {} : { record: resolve(host.cwd, config.record) }),
    ...(context === undefined ? {} : { context }),
  }
  const given = givenTarget(config, problems)
  const opened = new Map<string, Target | undefined>()
  const bySuite = new Map<Suite, Target>()
  for (const suite of suites) {
    const settings = given === undefined ? await nearestAgent(suite, problems) : given
    if (settings === undefined || settings === 'invalid') continue
    const key = JSON.stringify(settings)
    if (!opened.has(key)) opened.set(key, await collectProblems(problems, () => createTarget(settings, targetContext)))
    const target = opened.get(key)
    if (target) bySuite.set(suite, target)
  }
  return { bySuite, opened: [...opened.values()].filter((target) => target !== undefined) }
}

function givenTarget(config: Config, problems: Problem[]): KindConfig | 'invalid' | undefined {
  if (config.target !== undefined) {
    const parsed = parseTarget(config.target)
    if ('config' in parsed) return parsed.config
    problems.push(...parsed.problems)
    return 'invalid'
  }
  return config.name === undefined ? undefined : { type: 'yao', name: config.name }
}

/** Source: seed 000, "Agent Resolution": up from the suite's folder to the first package.yao. */
async function nearestAgent(suite: Suite, problems: Problem[]): Promise<KindConfig | undefined> {
  const isFolder = (await stat(suite.path).catch(() => undefined))?.isDirectory() ?? false
  const folder = findAgentFolder(isFolder ? suite.path : resolve(suite.path, '..'))
  if (folder !== undefined) return { type: 'yao', folder }
  problems.push({
    ...(isFolder ? {} : { file: suite.name }),
    message: 'no agent found: there is no package.yao in this folder or above it',
    hint: 'name the agent with -n, or what to test with --target, such as --target "command:node agent.mjs"',
  })
  return undefined
}

/** Room for every run's figures is made at the start. */
const MOST_RUNS = 10_000_000

function tooManyRuns(cases: number, runs: number): Problem[] {
  if (cases * runs <= MOST_RUNS) return []
  return [{ field: '--runs', message: `${cases} cases of ${runs} runs each are more than ${MOST_RUNS} runs` }]
}

function caseProblems(item: Case, target: Target): Problem[] {
  if (item.skip !== undefined || !target.check) return []
  return target.check(item).map((problem) => ({ file: item.location.file, line: item.location.line, ...problem }))
}

function dedupe(problems: readonly Problem[]): Problem[] {
  return [...new Map(problems.map((problem) => [JSON.stringify(problem), problem])).values()]
}
