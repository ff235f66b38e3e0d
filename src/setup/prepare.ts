import type { BaselineStore } from '../baselines/index.ts'
import type { Config } from '../config/config.ts'
import type { LoadedBaseline } from '../core/baseline.ts'
import { collectProblems, type Problem, problemsError } from '../core/errors.ts'
import type { Host } from '../core/host.ts'
import type { ContextFile } from '../core/identity.ts'
import { type Case, MESSAGE_SUITE, type Suite } from '../core/suite.ts'
import { sharedTexts } from '../lib/shared-texts.ts'
import type { Policies } from '../policies/index.ts'
import { optionsOf, type Plan, type PlannedCase } from '../runner/plan.ts'
import { loadSuites, readContextFile } from '../suites/index.ts'
import type { Target } from '../targets/index.ts'
import { agentHost } from './agent-host.ts'
import { type AroundAll, type OpenAround, openAround } from './around.ts'
import { blobProblems, loadFileBaseline, type Outputs, openFileToSave, openOutputs } from './destinations.ts'
import { keepWarnings } from './early-warnings.ts'
import { fileCollisions } from './file-collisions.ts'
import { openKeeper } from './kept-sessions.ts'
import { type OpenMeans, openMeans } from './means.ts'
import { type OpenedTargets, type Opening, openTargets, unusedName } from './open-targets.ts'
import { openPolicies } from './policies.ts'
import { requiredEnvProblems } from './required-env.ts'
import { type SelectedCase, selectCases } from './select-cases.ts'
import { sessionProblems } from './session-problems.ts'
import { unusedOptions } from './unused-options.ts'

/** What `prepare` found; nothing has been called yet. */
export interface Prepared {
  readonly plan: Plan
  readonly suites: readonly Suite[]
  readonly targets: readonly Target[]
  /** How each of them was opened. */
  readonly openings: ReadonlyMap<Target, Opening>
  /** What judges and simulated users are asked with, to be disposed of at the end. */
  readonly means: OpenMeans
  /** What runs before and after everything. */
  readonly aroundAll: AroundAll
  readonly around: OpenAround
  readonly warnings: readonly string[]
  /** Every input is a direct message: only outputs are printed. */
  readonly messageMode: boolean
  readonly outputs: Outputs
  /** What is asked of single cases, and what is let through. */
  readonly policies: Policies
  /** The baseline file that was given, as found. */
  readonly baseline?: LoadedBaseline
  /** The file that a baseline was asked to be saved to. */
  readonly saveTo?: BaselineStore
}

/** What differs between command line and action. */
export interface Surface {
  readonly defaultOutput?: string
  /** A baseline file that is not there yet is a first run, not a mistake. */
  readonly baselineMayBeMissing: boolean
  /** Tells what does not keep a run from starting, even where something else does. */
  readonly warn: (warning: string) => void
}

/** Loads and checks everything before the first call; throws one UserError with every problem. */
export async function prepare(config: Config, outer: Host, surface: Surface): Promise<Prepared> {
  const problems: Problem[] = []
  const early = keepWarnings(outer)
  const { host } = early
  if (config.input.length === 0) {
    problems.push({
      field: '--input',
      message: 'nothing to run',
      hint: 'give a suite, a folder, a glob or a message with -i',
    })
  }
  const forAgents = await agentHost(config, host, problems)
  const loaded = await loadSuites({
    inputs: config.input,
    host: forAgents,
    strict: config.strict,
    allowOutside: config['allow-outside'],
  })
  problems.push(...loaded.problems)
  const selected = selectCases(loaded.suites, config, problems)
  const policies = await openPolicies(config, host, { suites: loaded.suites, problems })
  const context = await collectProblems(problems, () => contextFile(config, forAgents))
  const keeper = await openKeeper(config, host, { cases: selected.map(({ item }) => item), problems, ...surface })
  const targets = await openTargets(loaded.suites, config, forAgents, { context, keeper, problems })
  const means = openMeans({ config, host: forAgents, context })
  const around = openAround({ config, host: forAgents, context })
  const cases = await planCases(selected, { targets, means, around, policies, problems }, config)
  const places = loaded.suites.map((suite) => ({ suite, target: targets.bySuite.get(suite) }))
  const aroundAll = await around.all(places, problems)
  problems.push(...tooManyRuns(cases.length, config.runs), ...requiredEnvProblems(config, forAgents))
  problems.push(...(await blobProblems(config, host)))
  const messageMode = loaded.suites.every((suite) => suite.name === MESSAGE_SUITE)
  const outputs = await openOutputs(config, host, {
    suites: loaded.suites,
    messageMode,
    problems,
    agents: forAgents,
    ...surface,
  })
  const baseline = await loadFileBaseline(config, host, { problems, mayBeMissing: surface.baselineMayBeMissing })
  const saveTo = await openFileToSave(config, host, problems)
  const reads = [
    ...policies.paths,
    ...suiteFiles(loaded.suites),
    ...targets.opened.flatMap((target) => target.reads ?? []),
    ...(await means.reads()),
  ]
  problems.push(...(await fileCollisions(config, host, { reads, outputs: outputs.paths })))
  const warnings = [...suiteWarnings(config, loaded, cases), ...outputs.warnings, ...early.take()]
  for (const warning of warnings) surface.warn(warning)
  if (problems.length > 0) {
    await disposeAll([...targets.opened, means, around])
    throw problemsError('INVALID_SUITE', dedupe(problems))
  }
  return {
    plan: planOf(cases, config, context),
    suites: loaded.suites,
    targets: targets.opened,
    openings: targets.openings,
    means,
    around,
    aroundAll,
    warnings,
    messageMode,
    outputs,
    policies,
    ...(baseline === undefined ? {} : { baseline }),
    ...(saveTo === undefined ? {} : { saveTo }),
  }
}

interface PlanParts {
  readonly targets: OpenedTargets
  readonly means: OpenMeans
  readonly around: OpenAround
  readonly policies: Policies
  readonly problems: Problem[]
}

async function planCases(
  selected: readonly SelectedCase[],
  { targets, means, around, policies, problems }: PlanParts,
  overrides: Pick<Config, 'connector'>,
): Promise<PlannedCase[]> {
  const cases: PlannedCase[] = []
  const shared = sharedTexts()
  for (const { item, suite } of selected) {
    const target = targets.bySuite.get(suite)
    const usable = await means.of(item, { suite, target }, problems)
    if (!target) continue
    // In the same turn: a case that is packed is unpacked once for all of its checks.
    problems.push(...(await caseProblems(item, target)))
    const own = await around.of(item, { suite, target }, problems)
    const gate = policies.gateOf(item)
    const fingerprint = usable && (await means.fingerprint(item, { suite, target }))
    const model = target.requestedModel?.(item, optionsOf(item, overrides))
    cases.push({
      item,
      target,
      ...(fingerprint === undefined ? {} : { fingerprint }),
      ...(model === undefined ? {} : { requestedModel: shared(model) }),
      ...(gate ? { gate } : {}),
      ...(usable ? { means: usable } : {}),
      ...(own ? { around: own } : {}),
    })
  }
  return cases
}

function suiteFiles(suites: readonly Suite[]): string[] {
  return suites.flatMap(({ name, path }) => (name === MESSAGE_SUITE ? [] : [path]))
}

function suiteWarnings(
  config: Config,
  { suites, warnings }: Awaited<ReturnType<typeof loadSuites>>,
  cases: readonly PlannedCase[],
): string[] {
  return [
    ...unusedName(config, suites),
    ...warnings,
    ...suites.flatMap((suite) => suite.warnings),
    ...unusedOptions(cases),
  ]
}

/** For whoever prepared a run and does not run it: what was started to check the cases would go on otherwise. */
export async function release({ targets, means, around }: Prepared): Promise<void> {
  await disposeAll([...targets, means, around])
}

/** Every target gets to clean up, whatever another one does. */
export async function disposeAll(targets: readonly Pick<Target, 'dispose'>[]): Promise<void> {
  await Promise.all(targets.map(async (target) => target.dispose?.()))
}

function planOf(cases: readonly PlannedCase[], config: Config, context: ContextFile | undefined): Plan {
  return {
    cases,
    runsPerCase: config.runs,
    maxRuns: maxRunsOf(config),
    prices: config.price,
    parallel: config.parallel,
    timeoutMs: config.timeout,
    timeoutGiven: config.given.has('timeout'),
    flags: { user: config.user, team: config.team },
    ...(config.connector === undefined ? {} : { connector: config.connector }),
    ...(context === undefined ? {} : { context }),
    ...(config['stop-on-critical'] ? { stopOnCritical: true } : {}),
  }
}

async function contextFile(config: Config, host: Host): Promise<ContextFile | undefined> {
  return config.ctx === undefined ? undefined : await readContextFile(config.ctx, host)
}

/** A default below what was asked for at first means no re-runs. */
function maxRunsOf(config: Config): number {
  return Math.max(config.runs, config['max-runs'] ?? config.runs)
}

/** What stays of each run must fit into memory. */
const MOST_RUNS = 10_000_000

function tooManyRuns(cases: number, runs: number): Problem[] {
  if (cases * runs <= MOST_RUNS) return []
  return [{ field: '--runs', message: `${cases} cases of ${runs} runs each are more than ${MOST_RUNS} runs` }]
}

async function caseProblems(item: Case, target: Target): Promise<Problem[]> {
  if (item.skip !== undefined) return []
  const found = [...sessionProblems(item, target), ...((await target.check?.(item)) ?? [])]
  return found.map((problem) => ({
    file: item.location.file,
    line: item.location.line,
    ...problem,
  }))
}

function dedupe(problems: readonly Problem[]): Problem[] {
  return [...new Map(problems.map((problem) => [JSON.stringify(problem), problem])).values()]
}
