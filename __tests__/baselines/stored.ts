import { artifactBaseline } from '../../src/baselines/index.ts'
import type { LoadedBaseline } from '../../src/core/baseline.ts'
import type { GitHubContext } from '../../src/github/index.ts'
import { addArtifact, addRun, open, shaOf } from '../github/world.ts'
import type { GitHub } from '../support/github/server.ts'
import type { WorkflowRun } from '../support/github/state.ts'

/** A baseline document of `commit`. */
export function textOf(commit: string, extra: object = {}): string {
  const document = { schemaVersion: 1, createdAt: '2026-01-01T00:00:00Z', commit, branch: 'main', cases: [] }
  return JSON.stringify({ ...document, ...extra })
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
