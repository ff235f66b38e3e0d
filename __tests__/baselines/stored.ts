import { artifactBaseline } from '../../src/baselines/index.ts'
import type { Baseline, LoadedBaseline } from '../../src/core/baseline.ts'
import type { GitHubContext } from '../../src/github/index.ts'
import { addArtifact, addRun, open, shaOf } from '../github/world.ts'
import type { GitHub } from '../support/github/server.ts'
import type { Artifact, WorkflowRun } from '../support/github/state.ts'
import { aWindow } from '../support/windows.ts'

/** A baseline document of `commit`. */
export function textOf(commit: string, extra: object = {}): string {
  const document = { schemaVersion: 1, createdAt: '2026-01-01T00:00:00Z', commit, branch: 'main', cases: [] }
  return JSON.stringify({ ...document, ...extra })
}

/** What `commit` has in its own window: a session of one case for each letter group, such as `{ 'main-5': 'ppf' }`. */
export function windowOf(commits: Readonly<Record<string, string>>): Baseline {
  return aWindow(
    Object.entries(commits).map(([at, runs]) => ({
      id: `session of ${at}`,
      commit: shaOf(at),
      createdAt: dayOfCommit(at),
      runs,
    })),
  )
}

/** Commits of main are a minute apart, today. */
function dayOfCommit(at: string): string {
  const number = Number(/\d+$/.exec(at)?.[0] ?? 0)
  return new Date(Date.now() - 3_600_000 + number * 60_000).toISOString()
}

/** A run at commit `at` whose artifact holds this window, its own session last. */
export function storeWindow(
  github: GitHub,
  at: string,
  window: Baseline,
  overrides: { readonly run?: Partial<WorkflowRun>; readonly artifact?: Partial<Artifact> } = {},
): WorkflowRun {
  const run = addRun(github, at, overrides.run)
  const own = { ...window, commit: shaOf(at) }
  addArtifact(github, run, JSON.stringify(own), overrides.artifact)
  return run
}

/** A run at commit `at` that stored its baseline. */
export function storeAt(github: GitHub, at: string, overrides: Partial<WorkflowRun> = {}): WorkflowRun {
  const run = addRun(github, at, overrides)
  addArtifact(github, run, textOf(shaOf(at)))
  return run
}

interface Setting {
  readonly context?: Partial<GitHubContext>
  /** Fields of the context that the event does not tell. */
  readonly without?: readonly (keyof GitHubContext)[]
  readonly rights?: Parameters<GitHub['issueToken']>[0]
}

/** What the action would compare pull request 1 with. */
export async function loadBaseline(
  github: GitHub,
  { without = [], ...setting }: Setting = {},
): Promise<LoadedBaseline> {
  const { client, context, host } = await open(github, setting)
  const known = Object.entries(context).filter(([key]) => !without.some((name) => name === key))
  const place = {
    name: 'agent-test-baseline',
    retentionDays: 90,
    client,
    context: Object.fromEntries(known) as unknown as GitHubContext,
  } as const
  return await artifactBaseline(place, host).load()
}
