import { stat } from 'node:fs/promises'
import { manifestOf } from '../../blobs/index.ts'
import { inputsForFlags } from '../../config/lookup.ts'
import { problemsError } from '../../core/errors.ts'
import type { GitHubContext } from '../../github/index.ts'
import { type Ports, runTests } from '../../pipeline.ts'
import { baseRefOf } from '../../setup/base-side.ts'
import { spareUnchanged } from '../../setup/changed-suites.ts'
import type { GitHubPorts } from '../../setup/github-ports.ts'
import { type KeptResults, openKeptResults, resultsPlace } from '../../setup/kept-results.ts'
import { type Prepared, prepare, release } from '../../setup/prepare.ts'
import { cutToShard } from '../../setup/shard.ts'
import { listPlan } from '../dry-run.ts'
import type { Job, Outputs, Progress, RunMode } from './job.ts'
import { outcomeOf } from './outcome.ts'
import { baselineLoader, judgingPorts, openPorts, resultsPath, withAddresses } from './ports.ts'

/** `mode: test`: runs the suites, judges, reports. With `shard` it runs a part of them, and a merge judges. */
export const testJob: RunMode = async (job, context, progress) => {
  const { config, host } = job
  await checkFolder(job)
  const warn = (warning: string) => host.log.warn(inputsForFlags(warning))
  const loaded = await prepare(config, host, { defaultOutput: resultsPath(host), baselineMayBeMissing: true, warn })
  const whole = { ...loaded, warnings: loaded.warnings.map(inputsForFlags) }
  if (config['dry-run']) {
    listPlan(whole, config, host)
    await release(whole)
    const outputs: Outputs = { status: 'passed', 'gate-status': 'open', 'exit-reason': 'passed' }
    return { outputs, exitReason: 'passed', message: '' }
  }
  const { prepared, ports, github, kept } = await open(whole, { job, context, progress }).catch(
    async (error: unknown) => {
      await release(whole)
      throw error
    },
  )
  const report = await runTests(prepared, config, host, ports)
  const { paths } = prepared.outputs
  return withAddresses(outcomeOf(report, { paths, artifactId: kept.artifactId() }), github)
}

/** Also for modes that may load suites. */
export async function checkFolder({ config, host }: Job): Promise<void> {
  const folder = await stat(host.cwd).catch(() => undefined)
  if (folder?.isDirectory()) return
  const message = `there is no folder ${JSON.stringify(config['working-directory'])}`
  throw problemsError('INVALID_OPTIONS', [{ field: 'input working-directory', message }])
}

interface Scope {
  readonly job: Job
  readonly context: GitHubContext
  readonly progress: Progress
}

interface Opened {
  readonly prepared: Prepared
  readonly ports: Ports
  readonly github: GitHubPorts
  readonly kept: KeptResults
}

async function open(all: Prepared, { job, context, progress }: Scope): Promise<Opened> {
  const { config, host } = job
  const github = await openPorts(job, context, progress)
  const loadBaseline = baselineLoader(all.baseline, github)
  const baseline = config['changed-only'] ? await loadBaseline?.() : undefined
  const whole = await spareUnchanged(all, { config, host, base: baseRefOf(context, baseline), baseline })
  const scope = { config, context, client: github.client, host }
  const cutting = { host, place: resultsPlace(scope), loadBaseline }
  const prepared = config.shard ? await cutToShard(whole, config.shard, cutting) : whole
  const { plan, outputs, saveTo } = prepared
  const wanted = { manifest: manifestOf(plan), maxRuns: plan.maxRuns, shard: plan.cut?.shard }
  const kept = openKeptResults(wanted, scope)
  const files = { outputs, ...(saveTo ? { saveTo } : {}) }
  const judging = judgingPorts({
    job,
    context,
    progress,
    github,
    kept,
    settings: plan,
    loadBaseline,
    prepared,
    ...files,
  })
  const part = config.shard ? { isPart: true } : {}
  return { prepared, github, kept, ports: { ...judging, loadEarlier: kept.loadEarlier, ...part } }
}
