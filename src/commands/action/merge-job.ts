import { earlierRuns, loadEarlierRuns, loadResultsOf, mergeBlobs } from '../../blobs/index.ts'
import type { Config } from '../../config/config.ts'
import { inputsForFlags } from '../../config/lookup.ts'
import { UserError } from '../../core/errors.ts'
import type { RunBlob } from '../../core/run-blob.ts'
import type { GitHubContext } from '../../github/index.ts'
import { plainText } from '../../lib/escape.ts'
import { mergeTests, type Ports, runTests } from '../../pipeline.ts'
import type { GitHubPorts } from '../../setup/github-ports.ts'
import { openKeptResults, resultsPlace } from '../../setup/kept-results.ts'
import { type OpenedMerge, openMerge } from '../../setup/open-merge.ts'
import type { Prepared } from '../../setup/prepare.ts'
import type { Job, Progress, RunMode } from './job.ts'
import { outcomeOf } from './outcome.ts'
import { baselineLoader, judgingPorts, openPorts, resultsPath, withAddresses } from './ports.ts'
import { checkFolder } from './test-job.ts'

/** `mode: merge`: judges the shards of this workflow run together, once. */
export const mergeJob: RunMode = async (job, context, progress) => {
  const { config, host } = job
  await checkFolder(job)
  const github = await openPorts(job, context, progress)
  const blob = await loadMerged(job, context, github)
  const warn = (warning: string) => host.log.warn(inputsForFlags(warning))
  const opened = await openMerge(blob, config, host, {
    defaultOutput: resultsPath(host),
    baselineMayBeMissing: true,
    warn,
  })
  const { ports, artifactId } = portsOf(opened, blob, { job, context, progress, github })
  const { prepared, waivers, outputs } = opened
  const isRepeated = context.runAttempt > (blob.workflow?.attempt ?? 1)
  const report =
    prepared && isRepeated && hasGaps(blob)
      ? await runTests(prepared, config, host, fillingGaps(blob, prepared, ports))
      : await mergeTests(
          { blob, waivers, warnings: opened.warnings, ...(prepared ? { prepared } : {}) },
          config,
          host,
          ports,
        )
  return withAddresses(outcomeOf(report, { paths: outputs.paths, artifactId: artifactId() }), github)
}

/** The shards as a whole, with what the base side said in earlier attempts. Throws a UserError. */
async function loadMerged({ config, host }: Job, context: GitHubContext, { client }: GitHubPorts): Promise<RunBlob> {
  const place = resultsPlace({ config, context, client })
  const legs = await loadResultsOf(context.runId, place, host)
  const own = legs.find(({ leg }) => leg === undefined)
  if (!own) throw nothingStored(config, legs.length)
  const blob = mergeBlobs(own.found)
  const wanted = { manifest: blob.manifest, maxRuns: blob.maxRuns }
  const earlier = await loadEarlierRuns(place, wanted, host)
  return earlier?.controls.state.kind === 'run' ? { ...blob, controls: earlier.controls } : blob
}

function nothingStored(config: Config, otherLegs: number): UserError {
  const key = plainText(config['comment-key'], { maxLength: 100 })
  const message = `no shard of this workflow run has stored results for artifact-name ${config['artifact-name']} and comment-key ${key}`
  const hint =
    otherLegs === 0
      ? 'the jobs with shard run before this one, with the same artifact-name and comment-key'
      : 'the jobs before this one have no shard: give each of them one'
  return new UserError(message, { code: 'INVALID_OPTIONS', hint })
}

interface PortScope {
  readonly job: Job
  readonly context: GitHubContext
  readonly progress: Progress
  readonly github: GitHubPorts
}

function portsOf(
  { prepared, outputs, baseline, saveTo, settings }: OpenedMerge,
  blob: RunBlob,
  scope: PortScope,
): { readonly ports: Ports; artifactId(): number | undefined } {
  const { job, context, github } = scope
  const { config, host } = job
  const kept = openKeptResults(
    { manifest: blob.manifest, maxRuns: blob.maxRuns },
    { config, context, client: github.client, host },
  )
  const loadBaseline = baselineLoader(baseline, github)
  const ports = judgingPorts({
    ...scope,
    outputs,
    settings,
    loadBaseline,
    prepared,
    kept,
    ...(saveTo ? { saveTo } : {}),
  })
  return { ports, artifactId: kept.artifactId }
}

/** Runs that errored or were never made. */
function hasGaps({ cases, runsPerCase }: RunBlob): boolean {
  return cases.some(({ skip, runs, skippedRuns, unchanged }) => {
    if (skip !== undefined || unchanged !== undefined) return false
    return runs.length + skippedRuns < runsPerCase || runs.some(({ status }) => status === 'errored')
  })
}

/** "Re-run failed jobs" repeats the merge alone, since shards judge nothing: it makes up for what they missed. */
function fillingGaps(blob: RunBlob, { plan }: Prepared, ports: Ports): Ports {
  const known = earlierRuns([blob], { manifest: blob.manifest, maxRuns: plan.maxRuns })
  return { ...ports, loadEarlier: () => Promise.resolve(known && { ...known, controls: blob.controls }) }
}
