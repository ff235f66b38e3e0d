import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach } from 'vitest'
import { type RawSettings, resolveConfig } from '../../src/config/config.ts'
import type { Host } from '../../src/core/host.ts'
import type { PlannedCase } from '../../src/runner/plan.ts'
import { type BaseRef, type BaseSide, type OpenedBaseSide, openBaseSide } from '../../src/setup/base-side.ts'
import { type Prepared, prepare, release } from '../../src/setup/prepare.ts'
import { type FakeHost, fakeHost } from './fake-host.ts'
import { type Checkout, originWith, pullRequest, shallowCheckout } from './git-project.ts'
import { collect } from './run-request.ts'
import { tempFolders } from './temp-folder.ts'

type Files = Readonly<Record<string, string>>

interface Change {
  /** On the base branch. */
  readonly base: Files
  /** In the pull request. */
  readonly change: Files
  /** On the base branch after the pull request was begun. */
  readonly meanwhile?: Files
}

/** A pull request as a job of GitHub sees it: one commit, merged, and nothing of its history. */
export interface PullWorld {
  readonly clone: Checkout
  readonly author: Checkout
  readonly host: FakeHost
  /** Where temporary files go. */
  readonly temp: string
  readonly root: string
  readonly base: BaseRef
  readonly commits: { readonly head: string; readonly base: string; readonly forkedAt: string }
}

export function baseSideTestbed() {
  const folder = tempFolders()
  const cleanups: (() => Promise<unknown> | undefined)[] = []
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
  })

  const pull = ({ base, change, meanwhile = {} }: Change, overrides: Partial<Host> = {}): PullWorld => {
    const root = realpathSync(folder({ 'temp/keep': '' }).path)
    const { author, url } = originWith(root, base)
    const commits = pullRequest(author, change, { onMain: meanwhile })
    const clone = shallowCheckout(join(root, 'clone'), { url, ref: commits.ref })
    const temp = join(root, 'temp')
    const { env = {}, ...more } = overrides
    const host = fakeHost({ cwd: clone.path, env: { PATH: process.env['PATH'], RUNNER_TEMP: temp, ...env }, ...more })
    const ref = { eventName: 'pull_request', headSha: commits.head, baseSha: commits.forkedAt, baseBranch: 'main' }
    return { clone, author, host, temp, root, base: ref, commits }
  }

  const prepared = async (host: Host, raw: RawSettings): Promise<Prepared> => {
    const config = resolveConfig({ output: [join(host.env['RUNNER_TEMP'] ?? '', 'out.json')], ...raw }, 'cli')
    const ready = await prepare(config, host, { baselineMayBeMissing: true, warn: () => undefined })
    cleanups.push(() => release(ready))
    return ready
  }

  /** Loads the suites as the command line would, and opens the base side of them. */
  const open = async (
    { host, base }: Pick<PullWorld, 'host' | 'base'>,
    raw: RawSettings,
    more: BaseRef = {},
  ): Promise<{ readonly opened: OpenedBaseSide; readonly prepared: Prepared }> => {
    const ready = await prepared(host, raw)
    const config = resolveConfig(raw, 'cli')
    const opened = await openBaseSide(ready, { config, host, base: { ...base, ...more } })
    if (opened.kind === 'open') cleanups.push(() => opened.side.dispose())
    return { opened, prepared: ready }
  }
  return { pull, prepared, open }
}

export function sideOf(opened: OpenedBaseSide): BaseSide {
  if (opened.kind === 'open') return opened.side
  throw new Error(opened.reason)
}

/** What a target says to its case; or what it failed with. */
export async function answer({ target, item }: Pick<PlannedCase, 'target' | 'item'>): Promise<string> {
  const { events, error } = await collect(target, { case: item })
  if (error !== undefined) return `error: ${error instanceof Error ? error.message : 'of no kind'}`
  return events.flatMap((event) => (event.type === 'assistant_message' ? [event.text] : [])).join('')
}

/** What the agents of both sides say to the first case. */
export async function bothAnswers({ opened, prepared: ready }: { opened: OpenedBaseSide; prepared: Prepared }) {
  const [planned] = ready.plan.cases
  if (!planned) throw new Error('there is no case')
  const ofBase = await sideOf(opened).planned(planned)
  return { here: await answer(planned), base: 'missing' in ofBase ? ofBase : await answer(ofBase) }
}
