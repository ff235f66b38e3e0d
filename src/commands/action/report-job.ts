import { type LegResults, loadResultsOf, mergeBlobs } from '../../blobs/index.ts'
import type { Config } from '../../config/config.ts'
import { inputsForFlags } from '../../config/lookup.ts'
import { problemsError, UserError } from '../../core/errors.ts'
import type { RunBlob } from '../../core/run-blob.ts'
import {
  type FoundPull,
  type GitHubClient,
  type GitHubContext,
  openGitHub,
  pullOfRun,
  type TestedRun,
  workflowRun,
} from '../../github/index.ts'
import { plainText } from '../../lib/escape.ts'
import { mergeTests } from '../../pipeline.ts'
import { githubPorts } from '../../setup/github-ports.ts'
import { resultsPlace } from '../../setup/kept-results.ts'
import { openMerge } from '../../setup/open-merge.ts'
import type { Job, Outcome, Progress, RunMode } from './job.ts'
import { outcomeOf } from './outcome.ts'
import { baselineLoader, judgingPorts, resultsPath, withAddresses } from './ports.ts'

const NOTHING_TO_REPORT: Outcome = {
  outputs: { status: 'passed', 'gate-status': 'open', 'exit-reason': 'passed' },
  exitReason: 'passed',
  message: '',
}

/** Runs that a condition or a person kept from testing anything. */
const UNTESTED: readonly (string | undefined)[] = ['skipped', 'cancelled', 'action_required', 'stale']

/**
 * `mode: report`: judges what the run that started this one has stored, and posts it with this run's rights. What is
 * stored may be anybody's word, so nothing of it is run, written or believed: pull request and baseline are looked up.
 */
export const reportJob: RunMode = async (job, context, progress) => {
  const { host } = job
  const config: Config = { ...job.config, input: [], 'save-baseline': '' }
  const client = await openGitHub(context, config['github-token'], host)
  const run = await testedRun(client, context)
  const place = resultsPlace({ config, context, client })
  // Found first: whatever is wrong with the results is told of where they belong.
  const pull = await pullOfRun(client, run, { defaultBranch: context.defaultBranch })
  progress.context = contextOf(run, pull, context)
  const legs = await loadResultsOf(run.id, place, host)
  if (legs.length === 0 && UNTESTED.includes(run.conclusion)) {
    host.log.info(`Nothing to report: the run was ${run.conclusion}.`)
    return NOTHING_TO_REPORT
  }
  if (legs.length === 0) throw nothingStored(run, config)
  const outcomes: Outcome[] = []
  for (const [index, leg] of legs.entries()) {
    const blob = mergeBlobs(leg.found)
    const reported = await contextFor(blob, { client, run, pull, context })
    const reporting = { job: { ...job, config }, context: reported, progress, ended: run.conclusion }
    outcomes.push(await reportLeg({ leg, blob, index }, reporting))
  }
  return brokenOff(worst(outcomes), run)
}

/** Endings of a run whose jobs may have broken off before they stored anything. */
const BROKEN: readonly (string | undefined)[] = ['failure', 'timed_out', 'startup_failure', 'cancelled']

/** What was stored passes, and yet the run did not: what is missing is not proven. */
function brokenOff(outcome: Outcome, { conclusion }: TestedRun): Outcome {
  if (outcome.exitReason !== 'passed' || !BROKEN.includes(conclusion)) return outcome
  const message = endedBadly(conclusion)
  const closed = { status: 'failed', 'gate-status': 'closed', 'gate-message': message, 'exit-reason': 'error' } as const
  return { exitReason: 'error', message, outputs: { ...outcome.outputs, ...closed } }
}

function endedBadly(conclusion: string | undefined): string {
  return `the run ended as ${conclusion ?? 'unknown'} although what it stored passes: a job may have broken off before it stored its results`
}

async function testedRun(client: GitHubClient, { triggeringRunId }: GitHubContext): Promise<TestedRun> {
  const run = triggeringRunId === undefined ? undefined : await workflowRun(client, triggeringRunId)
  if (run) return run
  const message = 'mode report posts the results of another run, and none started this one'
  throw problemsError('INVALID_OPTIONS', [{ field: 'input mode', message, hint: 'use it with on: workflow_run' }])
}

function nothingStored({ number, workflowPath }: TestedRun, config: Config): UserError {
  const where = plainText(`run ${number} of ${workflowPath}`, { maxLength: 200 })
  const names = `artifact-name ${config['artifact-name']} and comment-key ${config['comment-key']}`
  return new UserError(`${where} stored no results for ${plainText(names, { maxLength: 200 })}`, {
    code: 'INVALID_OPTIONS',
    hint: 'its log says why; both workflows need the same artifact-name and comment-key',
  })
}

interface Tested {
  readonly client: GitHubClient
  readonly run: TestedRun
  readonly pull: FoundPull
  readonly context: GitHubContext
}

/** With several pull requests of one commit, the one that the results say they are of. */
async function contextFor({ workflow }: RunBlob, { client, run, pull, context }: Tested): Promise<GitHubContext> {
  const claimed = workflow?.prNumber
  if (pull.kind !== 'found' || claimed === undefined || claimed === pull.pull.number)
    return contextOf(run, pull, context)
  return contextOf(run, await pullOfRun(client, run, { claimed, defaultBranch: context.defaultBranch }), context)
}

/** What is reported on, in GitHub's own words alone. */
function contextOf(run: TestedRun, found: FoundPull, context: GitHubContext): GitHubContext {
  const { prNumber: _number, baseBranch: _branch, baseSha: _sha, prLabels: _labels, ...rest } = context
  const { defaultBranch } = context
  const base = found.kind === 'found' ? found.pull : undefined
  const baseBranch = base?.baseBranch ?? defaultBranch
  return {
    ...rest,
    // Baselines are kept by the workflow that tests.
    workflowPath: run.workflowPath,
    headSha: run.headSha,
    isFork: run.isFork,
    ...(baseBranch === undefined ? {} : { baseBranch }),
    ...(base === undefined ? {} : { prNumber: base.number, baseSha: base.baseSha }),
  }
}

interface ReportedLeg {
  readonly leg: LegResults
  readonly blob: RunBlob
  readonly index: number
}

interface Reporting {
  readonly job: Job
  readonly context: GitHubContext
  readonly progress: Progress
  /** How the run ended, in GitHub's words. */
  readonly ended: string | undefined
}

async function reportLeg({ leg, blob, index }: ReportedLeg, reporting: Reporting): Promise<Outcome> {
  const { context, progress, ended } = reporting
  const { host, sinks } = reporting.job
  const section = leg.leg === undefined ? '' : (blob.workflow?.leg ?? leg.leg)
  const config: Config = { ...reporting.job.config, section }
  const earlier = progress.github?.describeDenials()
  if (earlier !== undefined) host.log.warn(earlier)
  const github = await githubPorts({ config, host, context, command: (line) => sinks.command(line) })
  progress.github = github
  const warn = (warning: string) => host.log.warn(inputsForFlags(warning))
  const defaultOutput = resultsPath(host).replace(/\.jsonl$/, index === 0 ? '.jsonl' : `-${index + 1}.jsonl`)
  const opened = await openMerge(blob, config, host, { defaultOutput, baselineMayBeMissing: true, warn })
  const { waivers, outputs, baseline, settings } = opened
  const parts = { ...reporting, job: { ...reporting.job, config }, github, outputs, settings }
  const ports = judgingPorts({ ...parts, loadBaseline: baselineLoader(baseline, github) })
  const broken = BROKEN.includes(ended) ? [`The run that stored these results ended as ${ended}.`] : []
  const warnings = [...opened.warnings, ...(context.isFork ? [OWN_CODE] : []), ...broken]
  const merged = { blob, waivers, warnings, whyNoControl: 'results of another run are only read' }
  const report = await mergeTests(merged, config, host, ports)
  return withAddresses(outcomeOf(report, outputs), github)
}

const OWN_CODE =
  'These results come from a run of the fork’s own code, without the secrets of this repository: they are as trustworthy as its author.'

function worst(outcomes: readonly Outcome[]): Outcome {
  return outcomes.find(({ exitReason }) => exitReason !== 'passed') ?? outcomes[0] ?? NOTHING_TO_REPORT
}
