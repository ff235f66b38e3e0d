import { appendFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { inputsForFlags } from '../config/options.ts'
import type { OutputName } from '../config/outputs.ts'
import { describeProblem, type Problem, problemsError, UserError } from '../core/errors.ts'
import type { Host } from '../core/host.ts'
import { type Report, type Totals, totalsOf } from '../core/report.ts'
import { describeReason, type ExitReason } from '../core/verdict.ts'
import { type GitHubContext, loadGitHubContext, repositoryPaths } from '../github/index.ts'
import { type Ports, runTests } from '../pipeline.ts'
import { renderProblems } from '../render/index.ts'
import { combineReporters, consoleReporter } from '../reporters/index.ts'
import { type GitHubPorts, githubPorts, headingOf } from '../setup/github-ports.ts'
import { type Prepared, prepare } from '../setup/prepare.ts'
import { listPlan } from './dry-run.ts'

/** Workflow commands; only the entry writes them. */
export interface ActionSinks {
  command(line: string): void
  annotate(message: string, place: { readonly file?: string; readonly startLine?: number }): void
}

export interface ActionResult {
  readonly outputs: Partial<Record<OutputName, string>>
  readonly exitReason: ExitReason
  /** Why the job fails; empty when it does not, or when annotations have said it all. */
  readonly message: string
}

/** The whole job of the action; everything but reading inputs and writing outputs. */
export async function runAction(config: Config, host: Host, sinks: ActionSinks): Promise<ActionResult> {
  const context = await loadGitHubContext(host)
  try {
    await checkFolder(host, config)
    const prepared = await prepare(config, host, { defaultOutput: resultsPath(host), baselineMayBeMissing: true })
    for (const warning of prepared.warnings) host.log.warn(warning)
    if (config['dry-run']) {
      listPlan(prepared, host)
      return {
        outputs: { status: 'passed', 'gate-status': 'open', 'exit-reason': 'passed' },
        exitReason: 'passed',
        message: '',
      }
    }
    const github = await githubPorts({ config, host, context, command: (line) => sinks.command(line) })
    const report = await runTests(prepared, config, host, portsOf(prepared, github, { config, host, context }))
    const denied = github.describeDenials()
    if (denied !== undefined) host.log.warn(denied)
    return resultOf(report, prepared, github)
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return await misconfigured(error, { config, host, context, sinks })
  }
}

/** Results are kept outside of the checkout, so that a step after this one finds no file it did not expect. */
function resultsPath({ env }: Host): string {
  return join(env['RUNNER_TEMP'] ?? '.', 'agent-test-results.jsonl')
}

async function checkFolder({ cwd }: Host, config: Config): Promise<void> {
  const folder = await stat(cwd).catch(() => undefined)
  if (folder?.isDirectory()) return
  const message = `there is no folder ${JSON.stringify(config['working-directory'])}`
  throw problemsError('INVALID_OPTIONS', [{ field: 'input working-directory', message }])
}

interface Surroundings {
  readonly config: Config
  readonly host: Host
  readonly context: GitHubContext
}

function portsOf(prepared: Prepared, github: GitHubPorts, { config, host, context }: Surroundings): Ports {
  const { baseline, outputs, plan } = prepared
  const saveTo = prepared.saveTo ?? github.saveTo
  const store = github.baseline
  const loadBaseline = baseline ? () => Promise.resolve(baseline) : store && (() => store.load())
  const screen = consoleReporter({ host, colour: false, config, plan })
  return {
    reporter: combineReporters([screen, ...outputs.reporters, ...github.reporters], host.log),
    origin: github.origin,
    ...(context.headSha === undefined ? {} : { commit: context.headSha }),
    ...(loadBaseline ? { loadBaseline } : {}),
    ...(saveTo ? { saveTo } : {}),
  }
}

function resultOf(report: Report, { outputs }: Prepared, { published }: GitHubPorts): ActionResult {
  const { verdict, baseline, changes, cases } = report
  const totals = totalsOf(cases)
  const message = verdict.reasons.map(describeReason).join('; ')
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
      'comment-url': published.commentUrl ?? '',
      'check-url': published.checkUrl ?? '',
    },
  }
}

function wordedForInputs({ field, hint, ...problem }: Problem): Problem {
  return {
    ...problem,
    ...(field === undefined ? {} : { field: inputsForFlags(field) }),
    ...(hint === undefined ? {} : { hint: inputsForFlags(hint) }),
  }
}

/** Two decimals at most, rounded down: nothing but all passed is 100. */
function passRate({ passedRuns, runs }: Totals): string {
  return runs === 0 ? 'n/a' : String(Math.floor((passedRuns / runs) * 10_000) / 100)
}

/** Mistakes in suites and settings: at their lines, in the summary and in the outputs; nothing was called. */
async function misconfigured(
  error: UserError,
  { config, host, context, sinks }: Surroundings & { readonly sinks: ActionSinks },
): Promise<ActionResult> {
  const problems = error.problems.map(wordedForInputs)
  const pathOf = await repositoryPaths(context, host.cwd)
  for (const problem of problems) {
    const file = problem.file === undefined ? undefined : pathOf(problem.file)
    const line = problem.line === undefined ? {} : { startLine: problem.line }
    sinks.annotate(describeProblem(problem), file === undefined ? {} : { file, ...line })
  }
  const summary = host.env['GITHUB_STEP_SUMMARY']
  if (config['job-summary'] && summary !== undefined && summary !== '') {
    const text = renderProblems(problems, { heading: headingOf(config), chars: 200_000 })
    await appendFile(summary, host.secrets.redact(text))
  }
  const message = problems.map(describeProblem).join('; ')
  return {
    exitReason: 'configuration',
    message: '',
    outputs: { status: 'failed', 'gate-status': 'closed', 'gate-message': message, 'exit-reason': 'configuration' },
  }
}
