import type { BaselineStore } from '../baselines/index.ts'
import { manifestOf } from '../blobs/index.ts'
import type { Config } from '../config/config.ts'
import type { LoadedBaseline } from '../core/baseline.ts'
import { type Problem, problemsError } from '../core/errors.ts'
import type { Host } from '../core/host.ts'
import type { RunBlob } from '../core/run-blob.ts'
import type { Waiver } from '../core/waiver.ts'
import { plainText } from '../lib/escape.ts'
import type { PlannedCase } from '../runner/plan.ts'
import { loadFileBaseline, type Outputs, openFileToSave, openOutputs } from './destinations.ts'
import { fileCollisions } from './file-collisions.ts'
import { openPolicies } from './policies.ts'
import { type Prepared, prepare, release, type Surface } from './prepare.ts'

/** What judging the results of others needs, loaded and checked. */
export interface OpenedMerge {
  /** Where suites were given: then the base commit can be run. */
  readonly prepared?: Prepared
  readonly waivers: readonly Waiver[]
  readonly outputs: Outputs
  readonly baseline?: LoadedBaseline
  readonly saveTo?: BaselineStore
  readonly settings: { readonly parallel: number; readonly timeoutMs: number }
  readonly warnings: readonly string[]
}

interface MergeSurface extends Surface {
  /** Absolute paths of the results that are merged. */
  readonly reads?: readonly string[]
}

/** Throws one UserError with every problem. */
export async function openMerge(
  blob: RunBlob,
  config: Config,
  host: Host,
  surface: MergeSurface,
): Promise<OpenedMerge> {
  if (config.input.length === 0) return await openWithoutSuites(blob, config, host, surface)
  // Numbers of runs are the shards' own: they are what the results were gathered with.
  const same: Config = { ...config, runs: blob.runsPerCase, 'max-runs': blob.maxRuns }
  const prepared = await prepare(same, host, surface)
  if (manifestOf(prepared.plan) !== blob.manifest) {
    await release(prepared)
    throw problemsError('INVALID_OPTIONS', [strangers(blob)])
  }
  const { policies, outputs, baseline, saveTo, plan } = prepared
  return {
    prepared: {
      ...prepared,
      plan: { ...plan, cases: plan.cases.map((planned, place) => sparedAs(planned, blob, place)) },
    },
    waivers: policies.waivers,
    outputs,
    ...(baseline ? { baseline } : {}),
    ...(saveTo ? { saveTo } : {}),
    settings: plan,
    warnings: [],
  }
}

/** Cases that the shards spared because nothing was changed are spared here. */
function sparedAs(planned: PlannedCase, { cases }: RunBlob, place: number): PlannedCase {
  const unchanged = cases[place]?.unchanged
  return unchanged === undefined ? planned : { ...planned, unchanged }
}

/** The base commit must be asked what the shards were asked. */
function strangers({ inputs }: RunBlob): Problem {
  return {
    field: '--input',
    message: `the suites here are not those that were run (${plainText(inputs.join(', '), { maxLength: 300 })})`,
    hint: 'give the merge the checkout and the settings of the shards, or no suites at all',
  }
}

async function openWithoutSuites(
  blob: RunBlob,
  config: Config,
  host: Host,
  surface: MergeSurface,
): Promise<OpenedMerge> {
  const problems: Problem[] = []
  const policies = await openPolicies(config, host, { suites: [blob], problems })
  const { defaultOutput, reads = [] } = surface
  const where = { suites: [], messageMode: true, ...(defaultOutput === undefined ? {} : { defaultOutput }) }
  const outputs = await openOutputs(config, host, { ...where, problems, agents: host })
  const baseline = await loadFileBaseline(config, host, { problems, mayBeMissing: surface.baselineMayBeMissing })
  const saveTo = await openFileToSave(config, host, problems)
  const collisions = { reads: [...policies.paths, ...reads], outputs: outputs.paths }
  problems.push(...(await fileCollisions(config, host, collisions)))
  for (const warning of outputs.warnings) surface.warn(warning)
  if (problems.length > 0) throw problemsError('INVALID_OPTIONS', problems)
  return {
    waivers: policies.waivers,
    outputs,
    ...(baseline ? { baseline } : {}),
    ...(saveTo ? { saveTo } : {}),
    settings: { parallel: config.parallel, timeoutMs: config.timeout },
    warnings: outputs.warnings,
  }
}
