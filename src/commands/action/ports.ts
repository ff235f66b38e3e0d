import { join } from 'node:path'
import type { BaselineStore } from '../../baselines/index.ts'
import type { LoadedBaseline } from '../../core/baseline.ts'
import type { Host } from '../../core/host.ts'
import { labelWaivers } from '../../core/waiver.ts'
import { type GitHubContext, pullLabels } from '../../github/index.ts'
import type { Ports } from '../../pipeline.ts'
import { combineReporters, consoleReporter, type Reporter } from '../../reporters/index.ts'
import { baseRefOf, openBaseSide } from '../../setup/base-side.ts'
import type { Outputs } from '../../setup/destinations.ts'
import { type GitHubPorts, githubPorts } from '../../setup/github-ports.ts'
import type { KeptResults } from '../../setup/kept-results.ts'
import type { Prepared } from '../../setup/prepare.ts'
import type { Job, Outcome, Progress } from './job.ts'
import { outcomeOf } from './outcome.ts'

/** Comment, check run, annotations, summary and artifacts; opened once. */
export async function openPorts(
  { config, host, sinks }: Job,
  context: GitHubContext,
  progress: Progress,
): Promise<GitHubPorts> {
  progress.github ??= await githubPorts({ config, host, context, command: (line) => sinks.command(line) })
  return progress.github
}

/** The outcome with where it was posted. */
export function withAddresses(outcome: Outcome, github: GitHubPorts | undefined): Outcome {
  const { commentUrl = '', commentId = '', checkUrl = '' } = github?.published ?? {}
  const addresses = { 'comment-url': commentUrl, 'comment-id': String(commentId), 'check-url': checkUrl }
  return { ...outcome, outputs: { ...outcome.outputs, ...addresses } }
}

/**
 * Results are kept outside of the checkout, so that a step after this one finds no file it did not expect; each step
 * of a job has its own.
 */
export function resultsPath({ env, now }: Host): string {
  return join(env['RUNNER_TEMP'] ?? '.', `agent-test-results-${now()}.jsonl`)
}

/** From the file that was given, else from artifacts, once; undefined where neither is asked for. */
export function baselineLoader(
  file: LoadedBaseline | undefined,
  { baseline: store }: GitHubPorts,
): (() => Promise<LoadedBaseline>) | undefined {
  if (file) return () => Promise.resolve(file)
  if (!store) return undefined
  let loading: Promise<LoadedBaseline> | undefined
  return () => {
    loading ??= store.load()
    return loading
  }
}

interface PortParts {
  readonly job: Job
  readonly context: GitHubContext
  readonly progress: Progress
  readonly github: GitHubPorts
  /** Results files. */
  readonly outputs: Outputs
  readonly loadBaseline?: (() => Promise<LoadedBaseline>) | undefined
  /** The file that was given in place of an artifact. */
  readonly saveTo?: BaselineStore
  readonly kept?: KeptResults
  /** Whose agents the base side opens again; absent where there are none to run. */
  readonly prepared?: Prepared | undefined
  readonly settings: Parameters<typeof consoleReporter>[0]['plan']
}

/** What every mode that judges has in common. */
export function judgingPorts(parts: PortParts): Ports {
  const { job, context, progress, github, outputs, kept, settings, loadBaseline, prepared } = parts
  const { config, host, sinks } = job
  const saveTo = parts.saveTo ?? github.saveTo
  const screen = consoleReporter({ host, colour: false, config, plan: settings })
  const teller: Reporter = {
    name: 'outputs',
    onEnd(report) {
      progress.outcome = outcomeOf(report, { paths: outputs.paths, artifactId: kept?.artifactId() })
      sinks.setOutputs(progress.outcome.outputs)
    },
  }
  // What needs no network comes first: a job that is being cancelled has seconds left.
  return {
    reporter: combineReporters([screen, ...outputs.reporters, teller, ...github.reporters], host.log),
    origin: github.origin,
    ...(context.headSha === undefined ? {} : { commit: context.headSha }),
    ...(loadBaseline ? { loadBaseline } : {}),
    ...(saveTo ? { saveTo } : {}),
    ...(kept
      ? {
          async saveBlob(blob) {
            await kept.saveBlob(blob)
            const id = kept.artifactId()
            if (id !== undefined) github.published.artifactId = id
          },
        }
      : {}),
    ...(prepared
      ? { openBaseSide: (loaded) => openBaseSide(prepared, { config, host, base: baseRefOf(context, loaded) }) }
      : {}),
    moreWaivers: async () => labelWaivers(await pullLabels(github.client, context)),
  }
}
