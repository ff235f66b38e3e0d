import { stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type Config, configFromInputs } from '../config/config.ts'
import { inputsForFlags } from '../config/lookup.ts'
import type { OutputName } from '../config/outputs.ts'
import { type Totals, totalsOf } from '../core/case-report.ts'
import { describeProblem, type Problem, problemsError, type Refusal, UserError } from '../core/errors.ts'
import type { Host } from '../core/host.ts'
import { redactDeep } from '../core/redact.ts'
import type { Report } from '../core/report.ts'
import { type ExitReason, exitCodeOf } from '../core/verdict.ts'
import { type GitHubContext, loadGitHubContext, repositoryPaths } from '../github/index.ts'
import { plainText } from '../lib/escape.ts'
import { type Ports, runTests } from '../pipeline.ts'
import { reasonsLine } from '../render/index.ts'
import { combineReporters, consoleReporter, type Reporter } from '../reporters/index.ts'
import { type GitHubPorts, githubPorts } from '../setup/github-ports.ts'
import { type Prepared, prepare, release } from '../setup/prepare.ts'
import { listPlan } from './dry-run.ts'

export type Outputs = Partial<Record<OutputName, string>>

/** Workflow commands; only the entry writes them. */
export interface ActionSinks {
  command(line: string): void
  annotate(message: string, place: { readonly file?: string; readonly startLine?: number }): void
  /** Called early too: a cancelled job may not get to its end. */
  setOutputs(outputs: Outputs): void
}

export interface ActionResult {
  readonly outputs: Outputs
  readonly exitCode: number
  /** Why the job fails; empty when it does not, or when annotations have said it all. */
  readonly message: string
}

interface Outcome {
  readonly outputs: Outputs
  readonly exitReason: ExitReason
  readonly message: string
}

/** What the job has come to: how it ends when something breaks depends on it. */
interface Progress {
  context?: GitHubContext
  github?: GitHubPorts
  /** Set once there is a report. */
  outcome?: Outcome
}

interface Job {
  readonly config: Config
  readonly host: Host
  readonly sinks: ActionSinks
}

/** A runner cuts an annotation at 4,096 characters. */
const LONGEST_MESSAGE = 4_000

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
    outcome = await testAndReport(job, progress.context, progress)
  } catch (error) {
    outcome = await brokenOff(error, job, progress)
  }
  const denied = progress.github?.describeDenials()
  if (denied !== undefined) host.log.warn(denied)
  return { ...outcome, exitCode: exitCodeOf(outcome.exitReason, config['exit-codes']) }
}

async function testAndReport(job: Job, context: GitHubContext, progress: Progress): Promise<Outcome> {
  const { config, host, sinks } = job
  await checkFolder(job)
  const warn = (warning: string) => host.log.warn(inputsForFlags(warning))
  const loaded = await prepare(config, host, { defaultOutput: resultsPath(host), baselineMayBeMissing: true, warn })
  const prepared = { ...loaded, warnings: loaded.warnings.map(inputsForFlags) }
  if (config['dry-run']) {
    listPlan(prepared, host)
    await release(prepared)
    const outputs: Outputs = { status: 'passed', 'gate-status': 'open', 'exit-reason': 'passed' }
    return { outputs, exitReason: 'passed', message: '' }
  }
  const github = await openPorts(job, context, progress).catch(async (error: unknown) => {
    await release(prepared)
    throw error
  })
  const outputs: Reporter = {
    name: 'outputs',
    onEnd(report) {
      progress.outcome = outcomeOf(report, prepared)
      sinks.setOutputs(progress.outcome.outputs)
    },
  }
  const report = await runTests(prepared, config, host, portsOf(prepared, github, { job, context, outputs }))
  return withAddresses(outcomeOf(report, prepared), github)
}

async function openPorts({ config, host, sinks }: Job, context: GitHubContext, progress: Progress) {
  progress.github ??= await githubPorts({ config, host, context, command: (line) => sinks.command(line) })
  return progress.github
}

/**
 * Results are kept outside of the checkout, so that a step after this one finds no file it did not expect; each step
 * of a job has its own.
 */
function resultsPath({ env, now }: Host): string {
  return join(env['RUNNER_TEMP'] ?? '.', `agent-test-results-${now()}.jsonl`)
}

async function checkFolder({ config, host }: Job): Promise<void> {
  const folder = await stat(host.cwd).catch(() => undefined)
  if (folder?.isDirectory()) return
  const message = `there is no folder ${JSON.stringify(config['working-directory'])}`
  throw problemsError('INVALID_OPTIONS', [{ field: 'input working-directory', message }])
}

interface PortParts {
  readonly job: Job
  readonly context: GitHubContext
  readonly outputs: Reporter
}

function portsOf(prepared: Prepared, github: GitHubPorts, { job, context, outputs }: PortParts): Ports {
  const { config, host } = job
  const { baseline, plan } = prepared
  const saveTo = prepared.saveTo ?? github.saveTo
  const store = github.baseline
  const loadBaseline = baseline ? () => Promise.resolve(baseline) : store && (() => store.load())
  const screen = consoleReporter({ host, colour: false, config, plan })
  // What needs no network comes first: a job that is being cancelled has seconds left.
  const reporters = [screen, ...prepared.outputs.reporters, outputs, ...github.reporters]
  return {
    reporter: combineReporters(reporters, host.log),
    origin: github.origin,
    ...(context.headSha === undefined ? {} : { commit: context.headSha }),
    ...(loadBaseline ? { loadBaseline } : {}),
    ...(saveTo ? { saveTo } : {}),
  }
}

function outcomeOf(report: Report, { outputs }: Prepared): Outcome {
  const { verdict, baseline, changes, cases } = report
  const totals = totalsOf(cases)
  const message = reasonsLine(verdict, LONGEST_MESSAGE)
  return {
    exitReason: verdict.exitReason,
    message,
    outputs: {
      status: verdict.passed ? 'passed' : 'failed',
      passed: String(totals.passed),
      failed: String(totals.failed),
      errors: String(totals.errors + totals.timeouts),
      skipped: String(totals.skipped),
      total: String(totals.cases),
      'pass-rate': passRate(totals),
      regressions: String(changes.filter((change) => change.kind === 'regressed').length),
      'gate-status': verdict.passed ? 'open' : 'closed',
      'gate-message': message,
      'exit-reason': verdict.exitReason,
      'baseline-state': baseline.kind,
      'baseline-sha': baseline.kind === 'ok' ? (baseline.baseline.commit ?? '') : '',
      'results-path': outputs.paths[0] ?? '',
    },
  }
}

function withAddresses(outcome: Outcome, github: GitHubPorts | undefined): Outcome {
  const { commentUrl = '', checkUrl = '' } = github?.published ?? {}
  return { ...outcome, outputs: { ...outcome.outputs, 'comment-url': commentUrl, 'check-url': checkUrl } }
}

/** Two decimals at most, rounded down: nothing but all passed is 100. */
function passRate({ passedRuns, runs }: Totals): string {
  return runs === 0 ? 'n/a' : String(Math.floor((passedRuns / runs) * 10_000) / 100)
}

/** The job is red whatever it was; results that there are stay told, and where there are none that is said. */
async function brokenOff(error: unknown, job: Job, progress: Progress): Promise<Outcome> {
  const refusal = redactDeep(refusalOf(error), job.host.secrets)
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
  await annotate(refusal.problems, job, progress)
  if (progress.context) {
    const github = await openPorts(job, progress.context, progress)
    await combineReporters(github.reporters, job.host.log).onRefusal?.(refusal)
  }
  const exitReason = refusal.cause === 'bug' ? 'error' : 'configuration'
  return withAddresses({ exitReason, message: '', outputs: closed(exitReason, message) }, progress.github)
}

function closed(exitReason: ExitReason, message: string): Outputs {
  return { status: 'failed', 'gate-status': 'closed', 'gate-message': message, 'exit-reason': exitReason }
}

function refusalOf(error: unknown): Refusal {
  if (error instanceof UserError) return { cause: 'mistakes', problems: error.problems.map(wordedForInputs) }
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
