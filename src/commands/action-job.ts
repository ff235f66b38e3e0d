import { resolve } from 'node:path'
import { type Config, configFromInputs } from '../config/config.ts'
import { inputsForFlags } from '../config/lookup.ts'
import { describeProblem, type Problem, problemsError, type Refusal, UserError } from '../core/errors.ts'
import type { Host } from '../core/host.ts'
import { redactDeep } from '../core/redact.ts'
import { type ExitReason, exitCodeOf } from '../core/verdict.ts'
import { type GitHubContext, loadGitHubContext, repositoryPaths, withheldFrom } from '../github/index.ts'
import { plainText } from '../lib/escape.ts'
import { combineReporters, noteMissing } from '../reporters/index.ts'
import { botJob } from './action/bot-job.ts'
import {
  type ActionSinks,
  type Job,
  LONGEST_MESSAGE,
  type Outcome,
  type Outputs,
  type Progress,
  type RunMode,
} from './action/job.ts'
import { mergeJob } from './action/merge-job.ts'
import { openPorts, withAddresses } from './action/ports.ts'
import { reportJob } from './action/report-job.ts'
import { testJob } from './action/test-job.ts'

export type { ActionSinks, Outputs } from './action/job.ts'

export interface ActionResult {
  readonly outputs: Outputs
  readonly exitCode: number
  /** Why the job fails; empty when it does not, or when annotations have said it all. */
  readonly message: string
}

/** What the action does, by its input `mode`. */
const MODES: Readonly<Record<Config['mode'], RunMode>> = {
  test: testJob,
  merge: mergeJob,
  report: reportJob,
  bot: botJob,
}

/** The whole job of the action; everything but reading inputs and writing outputs. `outer.cwd` is the workspace. */
export async function runAction(
  getInput: (name: string) => string,
  outer: Host,
  sinks: ActionSinks,
): Promise<ActionResult> {
  const { config, problems } = configFromInputs(getInput)
  outer.secrets.add(config['github-token'])
  const host = { ...outer, cwd: resolve(outer.cwd, config['working-directory']) }
  const job: Job = { config, host, sinks }
  const progress: Progress = {}
  let outcome: Outcome
  try {
    progress.context = await loadGitHubContext(host)
    if (problems.length > 0) throw problemsError('INVALID_OPTIONS', problems)
    outcome = await MODES[config.mode](job, progress.context, progress)
  } catch (error) {
    outcome = await brokenOff(error, job, progress)
  }
  const denied = progress.github?.describeDenials()
  if (denied !== undefined) host.log.warn(denied)
  if (config['job-summary']) await noteMissing(progress.github?.missing() ?? [], host)
  return { ...outcome, exitCode: exitCodeOf(outcome.exitReason, config['exit-codes']) }
}

/** The job is red whatever it was; results that there are stay told, and where there are none that is said. */
async function brokenOff(error: unknown, job: Job, progress: Progress): Promise<Outcome> {
  const refusal = redactDeep(refusalOf(error, progress.context), job.host.secrets)
  const message = plainText(refusal.problems.map(describeProblem).join('; '), { maxLength: LONGEST_MESSAGE })
  if (refusal.cause === 'bug' && error instanceof Error) job.host.log.info(error.stack ?? error.message)
  const { outcome } = progress
  if (outcome) {
    const exitReason = outcome.exitReason === 'passed' ? 'error' : outcome.exitReason
    const why = outcome.message === '' ? message : `${message}; ${outcome.message}`
    return withAddresses(
      { exitReason, message: why, outputs: { ...outcome.outputs, ...closed(exitReason, why) } },
      progress.github,
    )
  }
  if (refusal.cause !== 'no_secrets') await annotate(refusal.problems, job, progress)
  // A bot that fails says so in its log: the comment on the pull request is that of the tests.
  if (progress.context && job.config.mode !== 'bot') {
    const github = await openPorts(job, progress.context, progress)
    await combineReporters(github.reporters, job.host.log).onRefusal?.(refusal)
  }
  if (refusal.cause === 'no_secrets') return withAddresses(skipped(message, job), progress.github)
  const exitReason = refusal.cause === 'bug' ? 'error' : 'configuration'
  return withAddresses({ exitReason, message: '', outputs: closed(exitReason, message) }, progress.github)
}

function closed(exitReason: ExitReason, message: string): Outputs {
  return { status: 'failed', 'gate-status': 'closed', 'gate-message': message, 'exit-reason': exitReason }
}

/** What needs secrets that GitHub withholds is not run, which is neither a pass nor anybody's mistake. */
function skipped(why: string, { host }: Job): Outcome {
  const message = `Skipped, because GitHub gives this run no secrets: ${why}`
  host.log.warn(message)
  const outputs: Outputs = {
    status: 'skipped',
    conclusion: 'neutral',
    'gate-status': 'open',
    'gate-message': message,
    'exit-reason': 'passed',
  }
  return { exitReason: 'passed', message: '', outputs }
}

function refusalOf(error: unknown, context: GitHubContext | undefined): Refusal {
  if (error instanceof UserError) {
    const problems = error.problems.map(wordedForInputs)
    const origin = context && withheldFrom(problems, context)
    return origin === undefined ? { cause: 'mistakes', problems } : { cause: 'no_secrets', origin, problems }
  }
  const message = error instanceof Error ? error.message : String(error)
  return { cause: 'bug', problems: [{ message: `agent-test failed: ${message}`, hint: 'the log has the details' }] }
}

function wordedForInputs({ field, hint, ...problem }: Problem): Problem {
  return {
    ...problem,
    ...(field === undefined ? {} : { field: inputsForFlags(field) }),
    ...(hint === undefined ? {} : { hint: inputsForFlags(hint) }),
  }
}

/** At their lines, by workflow commands: these need no token. */
async function annotate(problems: readonly Problem[], { host, sinks }: Job, { context }: Progress): Promise<void> {
  const pathOf = context ? await repositoryPaths(context, host.cwd) : () => undefined
  for (const problem of problems) {
    const file = problem.file === undefined ? undefined : pathOf(problem.file)
    const line = problem.line === undefined ? {} : { startLine: problem.line }
    sinks.annotate(describeProblem(problem), file === undefined ? {} : { file, ...line })
  }
}
