import type { Config } from '../config/config.ts'
import type { Host } from '../core/host.ts'
import { openRepository, type Repository, shortSha } from '../git/index.ts'
import { plainText } from '../lib/escape.ts'
import type { PlannedCase } from '../runner/plan.ts'
import { folderIn, hostIn, pathsBetween } from './base-side/base-checkout.ts'
import { type BaseRef, findBaseCommit } from './base-side/base-commit.ts'
import { neverOnBase, openAgents, plannedOn } from './base-side/open-agents.ts'
import { runSetup } from './base-side/run-setup.ts'
import { disposeAll, type Prepared } from './prepare.ts'

export { type BaseRef, baseRefOf } from './base-side/base-commit.ts'

/** The agents of the base commit, ready to be run on the cases of the change. */
export interface BaseSide {
  /** Commit that is run, whole. */
  readonly commit: string
  /** The same case with the base commit's agent; `missing` is a clause that says why there is none. */
  planned(item: PlannedCase): Promise<PlannedCase | { readonly missing: string }>
  /** Ends what was started and removes the checkout. Never rejects. */
  dispose(): Promise<void>
}

export type OpenedBaseSide =
  | { readonly kind: 'open'; readonly side: BaseSide }
  /** `reason` is a clause that says what to do about it, where something can be done. */
  | { readonly kind: 'unavailable'; readonly reason: string }

interface Options {
  readonly config: Pick<Config, 'control-base' | 'control-setup' | 'control-target' | 'github-token'>
  readonly host: Host
  readonly base: BaseRef
}

/** Checks out the base commit beside the tested one and opens its agents there. Never rejects: without it the run goes on. */
export async function openBaseSide(prepared: Pick<Prepared, 'openings'>, options: Options): Promise<OpenedBaseSide> {
  const { openings } = prepared
  const controlTarget = options.config['control-target']
  const never = [...openings].map(([target, opening]) => neverOnBase(target, opening, controlTarget))
  const [reason] = never
  // Nothing needs to be checked out to know this.
  if (reason !== undefined && !never.includes(undefined)) return unavailable(reason)
  const repository = await opened(options)
  if ('reason' in repository) return unavailable(repository.reason)
  try {
    const side = await sideOf(repository, prepared, options)
    if ('side' in side) return { kind: 'open', side: side.side }
    await repository.dispose()
    return unavailable(side.reason)
  } catch (error) {
    await repository.dispose()
    const message = error instanceof Error ? error.message : String(error)
    return unavailable(plainText(options.host.secrets.redact(message), { maxLength: 500 }))
  }
}

function unavailable(reason: string): OpenedBaseSide {
  return { kind: 'unavailable', reason }
}

/** A checkout whose origin may be asked with the job's token. */
export async function opened({ config, host, base }: Options): Promise<Repository | { readonly reason: string }> {
  const token = config['github-token']
  const { serverUrl } = base
  const credentials = token === '' || serverUrl === undefined ? undefined : { token, serverUrl }
  return await openRepository(host.cwd, host, { credentials })
}

const FETCH_HINT =
  'check out with "fetch-depth: 0", give the token "contents: read", or name another commit with control-base'

async function sideOf(
  repository: Repository,
  { openings }: Pick<Prepared, 'openings'>,
  { config, host, base }: Options,
): Promise<{ readonly side: BaseSide } | { readonly reason: string }> {
  const found = await findBaseCommit(repository, base, config['control-base'])
  if ('reason' in found) return found
  const { commit } = found
  const worktree = await repository.addWorktree(commit)
  if ('reason' in worktree)
    return { reason: `${shortSha(commit)} cannot be checked out: ${worktree.reason} (${FETCH_HINT})` }
  const trees = { top: repository.top, tree: worktree.path, commit }
  const place = await folderIn(trees, host.cwd)
  if ('reason' in place) return place
  const pathOf = pathsBetween(trees, host.cwd)
  const moving = { ...place, pathOf, commit }
  const setup = config['control-setup']
  if (setup !== undefined) {
    host.log.info(`Making the base commit ${shortSha(commit)} ready with control-setup.`)
    const failed = await runSetup(setup, hostIn(host, moving))
    if (failed) return failed
  }
  const [first] = openings.values()
  const agentHost = hostIn(first?.context.host ?? host, moving)
  const scope = { checkout: { host: agentHost, pathOf }, tree: worktree.path, controlTarget: config['control-target'] }
  const agents = await openAgents(openings, scope)
  const open = [...agents.values()].flatMap((agent) => ('target' in agent ? [agent.target] : []))
  const [none] = agents.values()
  if (open.length === 0) return none && 'reason' in none ? none : { reason: 'there is nothing to run' }
  const side: BaseSide = {
    commit,
    planned: (item) => plannedOn(agents, item, host),
    async dispose() {
      await disposeAll(open).catch((error: unknown) => host.log.warn(`base commit: ${String(error)}`))
      await repository.dispose()
    },
  }
  return { side }
}
