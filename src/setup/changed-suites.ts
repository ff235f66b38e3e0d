import { realpathSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Config } from '../config/config.ts'
import type { LoadedBaseline } from '../core/baseline.ts'
import type { Host } from '../core/host.ts'
import { shortSha } from '../git/index.ts'
import { isBelow } from './base-side/base-checkout.ts'
import { type BaseRef, findBaseCommit } from './base-side/base-commit.ts'
import { opened } from './base-side.ts'
import { agentOfFile } from './changed-suites/agent-reach.ts'
import { isDocumentation, isGlobal } from './changed-suites/documentation.ts'
import { inputsOf, isAbove, type SuiteInputs } from './changed-suites/suite-inputs.ts'
import type { Prepared } from './prepare.ts'

type Settings = Pick<
  Config,
  | 'changed-only'
  | 'save-baseline'
  | 'ctx'
  | 'env'
  | 'gates-file'
  | 'accept-file'
  | 'quarantine-file'
  | 'control-base'
  | 'control-setup'
  | 'control-target'
  | 'github-token'
>

interface Options {
  readonly config: Settings
  readonly host: Host
  readonly base: BaseRef
}

const NONE: ReadonlyMap<string, string> = new Map()

/**
 * The suites that need not be run with `--changed-only`, each with the reason: nothing that they depend on is different
 * from the base commit. In doubt a suite is run; on the base branch, and where a baseline is to be written, all are.
 */
export async function unchangedSuites(
  { suites, plan }: Pick<Prepared, 'suites' | 'plan'>,
  options: Options,
): Promise<ReadonlyMap<string, string>> {
  const { config, host, base } = options
  const isSaved = config['save-baseline'] !== '' && config['save-baseline'] !== 'auto'
  if (!config['changed-only'] || base.isBaseBranch === true || isSaved) return NONE
  const changes = await changesSince(options)
  if ('reason' in changes) {
    host.log.warn(`changed-only: every suite is run, for it is not known what was changed: ${changes.reason}`)
    return NONE
  }
  const { top, files, commit } = changes
  const cwd = realpathSync(host.cwd)
  const targets = new Map(plan.cases.map(({ item, target }) => [item.suite, target]))
  const scope = { cwd, config, suiteFiles: new Set(suites.map(({ path }) => path)) }
  const unchanged = new Map<string, string>()
  for (const suite of suites) {
    const inputs = await inputsOf(suite, targets.get(suite.name), { top, cwd })
    if (!inputs || files.some((file) => matters(file, resolve(top, file), { ...scope, inputs }))) continue
    unchanged.set(suite.name, `nothing it depends on was changed since ${shortSha(commit)}`)
  }
  return unchanged
}

interface Changes {
  readonly top: string
  readonly commit: string
  /** From the root, with `/`. */
  readonly files: readonly string[]
}

async function changesSince(options: Options): Promise<Changes | { readonly reason: string }> {
  const repository = await opened(options)
  if ('reason' in repository) return repository
  try {
    const found = await findBaseCommit(repository, options.base, options.config['control-base'])
    if ('reason' in found) return found
    const changed = await repository.changedFiles(found.commit)
    return 'reason' in changed ? changed : { top: repository.top, commit: found.commit, files: changed.files }
  } finally {
    await repository.dispose()
  }
}

interface Scope {
  readonly inputs: SuiteInputs
  /** Without links. */
  readonly cwd: string
  readonly config: Settings
  /** Absolute paths of all suites. */
  readonly suiteFiles: ReadonlySet<string>
}

/** Whether the runs of a suite may depend on a file; `shown` is its path from the root of the repository. */
function matters(shown: string, file: string, scope: Scope): boolean {
  const { inputs, cwd, config, suiteFiles } = scope
  if (file === inputs.file || inputs.references.some((path) => isBelow(file, path))) return true
  const named = (name: string | undefined) => name !== undefined && resolve(cwd, name) === file
  if (named(config.ctx) || named(config.env) || named(config['gates-file'])) return true
  // Another suite is no part of this one, nor is what is let through a part of what is run.
  if (suiteFiles.has(file) || named(config['accept-file']) || named(config['quarantine-file'])) return false
  if (inputs.agent && isBelow(file, inputs.agent.folder)) return true
  return !isDocumentation(shown) && mayBePart(shown, file, scope)
}

/** Whether a file may be a part of the agent, or of what judges it; where little is known, any may. */
function mayBePart(shown: string, file: string, { inputs, cwd }: Scope): boolean {
  const { hasOwnCode, agent } = inputs
  // A name that is no text cannot be compared with another one.
  if (!agent || hasOwnCode || isGlobal(shown) || shown.includes('\ufffd')) return true
  const { folder, application, reach } = agent
  if (isBelow(file, application)) {
    const owner = agentOfFile(file, application)
    if (owner === undefined || reach.isUnbounded || isBelow(folder, owner)) return true
    return [...reach.folders].some((reached) => isBelow(file, reached))
  }
  return isBelow(file, dirname(inputs.file)) || [inputs.file, cwd, application].some((one) => isAbove(file, one))
}

/**
 * The plan without the cases of unchanged suites, for which the base branch's runs stand. A case that the baseline has no
 * judged run of, as it is now, is run.
 */
export async function spareUnchanged(
  prepared: Prepared,
  { baseline, ...options }: Options & { readonly baseline: LoadedBaseline | undefined },
): Promise<Prepared> {
  if (!options.config['changed-only']) return prepared
  const unchanged = await unchangedSuites(prepared, options)
  if (unchanged.size === 0) return prepared
  const known = judgedCases(baseline)
  const cases = prepared.plan.cases.map((planned) => {
    const { item, target, fingerprint = item.fingerprint } = planned
    const reason = unchanged.get(item.suite)
    const isKnown = known.has(identity(item.key, target.label, fingerprint))
    return reason === undefined || !isKnown ? planned : { ...planned, unchanged: reason }
  })
  return { ...prepared, plan: { ...prepared.plan, cases } }
}

function judgedCases(baseline: LoadedBaseline | undefined): ReadonlySet<string> {
  const cases = baseline?.kind === 'ok' ? baseline.baseline.cases : []
  const judged = cases.flatMap(({ key, target, runs }) =>
    runs.flatMap(({ status, fingerprint }) => (status === 'errored' ? [] : [identity(key, target, fingerprint)])),
  )
  return new Set(judged)
}

function identity(key: string, target: string, fingerprint: string): string {
  return JSON.stringify([key, target, fingerprint])
}
