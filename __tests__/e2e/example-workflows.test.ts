import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, inject, test } from 'vitest'
import { ROOT } from '../support/bundle.ts'
import { createFork, onPull, onRunEnd, openPull, type Trigger } from '../support/github/events.ts'
import { runJob } from '../support/runner/mini-runner.ts'
import { ids, type Story, SUITE, suiteOf, tell } from './story.ts'

/** Several jobs one after the other, on a machine that has more to do. */
const SLOW = 240_000

let story: Story

beforeEach(async () => {
  story = await tell({ [SUITE]: suiteOf(ids(10).map((id) => ({ id }))) })
})

afterEach(async () => {
  const { violations } = story.github
  await story.end()
  expect(violations).toEqual([])
})

interface ExampleJob {
  readonly file: string
  readonly job: string
  readonly matrix?: Readonly<Record<string, string>>
}

/** One job of a workflow in examples/, as it stands there but for the agent that it tests. */
async function run(trigger: Trigger, { file, job, matrix }: ExampleJob) {
  const text = await readFile(join(ROOT, 'examples/workflows', file), 'utf8')
  const tested = text
    .replace(/connector: recorded.*/, 'runs: 1')
    .replaceAll(`input: ${SUITE}`, `input: ${SUITE}\n          target: command:node agent.mjs`)
  Object.assign(trigger.run, { status: 'in_progress', conclusion: null })
  return await runJob({
    github: story.github,
    trigger,
    remote: story.repository.directory,
    // Spares the test the pauses that GitHub asks for between writes.
    workflow: `env: { AGENT_TEST_GITHUB_PACE: instant }\n${tested}`,
    job,
    secrets: { OPENAI_API_KEY: 'sk-test' },
    action: { manifest: join(ROOT, 'action.yml'), bundle: inject('bundles').directory },
    ...(matrix ? { matrix } : {}),
  })
}

test('shards.yml: eight shards and their merge', { timeout: SLOW }, async () => {
  const { github, repository } = story
  const pull = await openPull(github, repository, { branch: 'change', files: {} })
  const trigger = await onPull(github, repository, pull)
  for (let shard = 1; shard <= 8; shard += 1) {
    const { conclusion } = await run(trigger, { file: 'shards.yml', job: 'shard', matrix: { shard: `${shard}` } })
    expect(conclusion).toBe('success')
  }
  const merged = await run(trigger, { file: 'shards.yml', job: 'merge' })
  expect([merged.conclusion, merged.steps.at(-1)?.outputs['total']]).toEqual(['success', '10'])
  expect([github.state.comments.length, github.state.checkRuns.length]).toEqual([1, 1])
})

test('fork-run.yml and fork-report.yml: a fork is tested by the one and told by the other', {
  timeout: SLOW,
}, async () => {
  const { github, repository } = story
  const fork = createFork(github, 'mallory')
  const pull = await openPull(github, repository, { branch: 'patch', files: {}, fork })
  const trigger = await onPull(github, repository, pull)
  expect((await run(trigger, { file: 'fork-run.yml', job: 'agent-tests' })).conclusion).toBe('success')
  expect(github.state.comments).toEqual([])
  const reported = await run(onRunEnd(github, trigger.run), { file: 'fork-report.yml', job: 'report' })
  expect(reported.conclusion).toBe('success')
  expect(github.state.comments.map(({ issue }) => issue)).toEqual([pull.number])
  expect(github.state.checkRuns).toMatchObject([{ name: 'Agent tests of forks', headSha: pull.head.sha }])
})

test('fork-run.yml leaves our own pull requests to pull-request.yml', { timeout: SLOW }, async () => {
  const { github, repository } = story
  const pull = await openPull(github, repository, { branch: 'change', files: {} })
  const trigger = await onPull(github, repository, pull)
  expect((await run(trigger, { file: 'fork-run.yml', job: 'agent-tests' })).conclusion).toBe('skipped')
  const own = await run(trigger, { file: 'pull-request.yml', job: 'agent-tests' })
  expect([own.conclusion, github.state.comments.length]).toEqual(['success', 1])
})
