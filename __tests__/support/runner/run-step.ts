import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { git } from '../github/repository.ts'
import { serviceVariables } from './contexts.ts'
import { type Contexts, interpolate } from './expressions.ts'
import { createCommandFiles } from './file-commands.ts'
import { inputEnvironment, readManifest } from './manifest.ts'
import type { Masks } from './masks.ts'
import type { JobOptions } from './mini-runner.ts'
import { runProcess } from './process.ts'
import { createStepLog, type StepAnnotation, type StepLog } from './step-log.ts'
import type { Step, Values } from './workflow.ts'

/** What the steps of one job share. */
export interface StepRun {
  readonly options: JobOptions
  readonly workspace: string
  readonly temp: string
  readonly masks: Masks
  readonly signal: AbortSignal
  /** GITHUB_*, RUNNER_* and the like. */
  readonly variables: Values
  /** Grows by GITHUB_PATH. */
  readonly path: string[]
  /** `env` of the job and what GITHUB_ENV added. */
  readonly environment: Record<string, string>
  /** Post steps that have been registered, in order. */
  readonly post: PostStep[]
}

/** The clean-up of an action that was started. */
export interface PostStep {
  readonly id: string
  readonly script: string
  readonly env: Values
}

interface Ran {
  readonly succeeded: boolean
  readonly outputs: Values
  /** For later steps. */
  readonly environment: Values
  readonly summary: string
  readonly annotations: readonly StepAnnotation[]
  readonly commands: readonly string[]
  readonly log: string
}

/** One program with the variables it gets beyond those of every step. */
interface Program {
  readonly program: string
  readonly words: readonly string[]
  readonly cwd?: string
  readonly env: Values
  readonly isScript: boolean
}

export async function runStep(step: Step, run: StepRun, contexts: Contexts): Promise<Ran> {
  const log = createStepLog({ masks: run.masks, workspace: run.workspace })
  const values = Object.fromEntries(
    Object.entries(step.with ?? {}).map(([name, value]) => [name, interpolate(value, contexts)]),
  )
  if (step.uses?.startsWith('actions/checkout@')) {
    await checkout(values, run)
    return { succeeded: true, outputs: {}, environment: {}, summary: '', annotations: [], commands: [], log: '' }
  }
  if (step.uses !== undefined) return runAction(step, values, { run, contexts, log })
  return execute(await scriptOf(step, run, contexts), { run, log })
}

async function runAction(
  step: Step,
  values: Values,
  { run, contexts, log }: { run: StepRun; contexts: Contexts; log: StepLog },
): Promise<Ran> {
  const { action, node = process.execPath, github, trigger } = run.options
  const manifest = await readManifest(action)
  const { env: inputs, warnings } = inputEnvironment(manifest, values, contexts)
  for (const warning of warnings) log.warning(warning)
  const isLocal = step.uses?.startsWith('./') ?? false
  if (isLocal && manifest.pre) log.warning('`pre` execution is not supported for local action')
  const [repository = '', ref = ''] = step.uses?.split('@') ?? []
  const origin = isLocal ? {} : { GITHUB_ACTION_REPOSITORY: repository, GITHUB_ACTION_REF: ref }
  const env = { GITHUB_ACTION: '__self', ...origin, ...inputs, ...serviceVariables(github, trigger) }
  const ran = await execute({ program: node, words: [manifest.main], env, isScript: false }, { run, log })
  if (manifest.post) {
    const state = Object.entries(ran.state).map(([name, value]) => [`STATE_${name}`, value])
    run.post.push({
      id: step.id ?? '',
      script: manifest.post,
      env: { ...env, ...(Object.fromEntries(state) as Values) },
    })
  }
  return ran
}

export async function runPostStep({ script, env }: PostStep, run: StepRun): Promise<Ran> {
  const log = createStepLog({ masks: run.masks, workspace: run.workspace })
  return execute({ program: run.options.node ?? process.execPath, words: [script], env, isScript: false }, { run, log })
}

async function execute(
  program: Program,
  { run, log }: { run: StepRun; log: StepLog },
): Promise<Ran & { readonly state: Values }> {
  const files = await createCommandFiles(run.temp)
  const code = await runProcess({
    program: program.program,
    words: program.words,
    cwd: program.cwd ?? run.workspace,
    env: { PATH: run.path.join(':'), ...run.variables, ...files.env, ...run.environment, ...program.env },
    signal: run.signal,
    onLine(line) {
      log.write(line)
      run.options.onLine?.(line)
    },
  })
  const { outputs, environment, state, path, summary, errors, notes } = await files.read()
  for (const message of [...errors, ...notes]) log.error(message)
  if (program.isScript && code !== 0) log.error(`Process completed with exit code ${code}.`)
  run.path.unshift(...path.toReversed())
  return {
    succeeded: code === 0 && errors.length === 0 && !log.failed,
    outputs: { ...log.outputs, ...outputs },
    environment,
    state: { ...log.state, ...state },
    summary: run.masks.apply(summary),
    annotations: log.annotations,
    commands: log.commands,
    log: log.lines.join('\n'),
  }
}

async function scriptOf(step: Step, run: StepRun, contexts: Contexts): Promise<Program> {
  const script = join(run.temp, `${randomUUID()}.sh`)
  await writeFile(script, interpolate(step.run ?? '', contexts))
  const strict = step.shell === 'bash' ? ['--noprofile', '--norc', '-eo', 'pipefail'] : ['-e']
  const cwd = join(run.workspace, interpolate(step['working-directory'] ?? '.', contexts))
  return { program: 'bash', words: [...strict, script], cwd, env: { GITHUB_ACTION: '__run' }, isScript: true }
}

/** Stands in for actions/checkout: one commit unless `fetch-depth` says otherwise, 0 being all of them. */
async function checkout(values: Values, { options, workspace }: StepRun): Promise<void> {
  const { remote, trigger, github } = options
  const depth = Number(values['fetch-depth'] ?? 1)
  const { owner, name } = github.state.repository
  await git(workspace, 'init', '--quiet')
  await git(
    workspace,
    'fetch',
    '--quiet',
    ...(depth > 0 ? [`--depth=${depth}`] : []),
    `file://${remote}`,
    values['ref'] ?? trigger.sha,
  )
  await git(workspace, 'checkout', '--quiet', '--detach', 'FETCH_HEAD')
  await git(workspace, 'remote', 'add', 'origin', `https://github.com/${owner}/${name}`)
}
