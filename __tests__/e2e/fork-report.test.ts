import { createHash } from 'node:crypto'
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createFork, onMain, onPull, onRunEnd, openPull, pushToPull, type Trigger } from '../support/github/events.ts'
import type { Artifact, Pull, Repository } from '../support/github/state.ts'
import { elementsOf, githubHtml, parseHtml, referencesIn } from '../support/markdown.ts'
import { type Answers, answering, type Story, SUITE, suiteOf, tell } from './story.ts'

let story: Story
let fork: Repository

beforeEach(async () => {
  story = await tell({ [SUITE]: suiteOf([{ id: 'greeting' }, { id: 'refund' }]) })
  fork = createFork(story.github, 'mallory')
})

afterEach(async () => {
  const { violations } = story.github
  await story.end()
  expect(violations).toEqual([])
})

/** Several jobs one after the other, on a machine that has more to do. */
const SLOW = 120_000

const READS = { contents: 'read', actions: 'read' }
type Options = Parameters<Story['run']>[1]

/** A pull request of a fork, tested by its own run, which may write nothing. */
async function tested(answers: Answers = {}, options: Options = {}) {
  const { github, repository } = story
  const pull = await openPull(github, repository, { branch: 'patch', files: answering(answers), fork })
  const trigger = await onPull(github, repository, pull)
  const job = await story.run(trigger, { permissions: READS, ...options })
  return { pull, trigger, job }
}

/** The second workflow: no checkout, no suites, our rights. */
async function report({ run }: Trigger, options: Options = {}) {
  const { inputs = {}, ...rest } = options
  const mode = { mode: 'report', input: '', target: '', runs: '' }
  return await story.run(onRunEnd(story.github, run), { ...rest, inputs: { ...mode, ...inputs } })
}

function results(): Artifact {
  const found = story.github.state.artifacts.findLast(({ name }) => name.startsWith('agent-test-results'))
  if (!found) throw new Error('nothing was stored')
  return found
}

/** What a hostile run would have stored. */
function forge(change: (document: Record<string, unknown>) => unknown): void {
  const artifact = results()
  const files = unzipSync(artifact.content)
  const document = JSON.parse(strFromU8(files['results.json'] ?? new Uint8Array())) as Record<string, unknown>
  forgeZip(zipSync({ 'results.json': strToU8(JSON.stringify(change(document))) }))
}

function forgeZip(zip: Uint8Array): void {
  const digest = `sha256:${createHash('sha256').update(zip).digest('hex')}`
  Object.assign(results(), { content: Buffer.from(zip), digest })
}

const commentsOn = (pull: Pull) => story.github.state.comments.filter(({ issue }) => issue === pull.number)
const checksOn = (sha: string) => story.github.state.checkRuns.filter(({ headSha }) => headSha === sha)

test('what a fork’s run found is posted by a second one, and says where it comes from', async () => {
  const { pull, trigger, job } = await tested()
  expect(job.conclusion).toBe('success')
  expect(story.github.state.comments).toEqual([])
  const reported = await report(trigger)
  expect(reported.conclusion).toBe('success')
  expect(reported.agent.outputs).toMatchObject({ total: '2', passed: '2', 'gate-status': 'open' })
  expect(commentsOn(pull)).toHaveLength(1)
  expect(commentsOn(pull)[0]?.body).toContain('own code')
  expect(checksOn(pull.head.sha)).toHaveLength(1)
  expect(reported.agent.summary).toContain('own code')
})

test('its job is red where the gate is closed', async () => {
  const { pull, trigger } = await tested({ refund: 'no' })
  const reported = await report(trigger)
  expect(reported.conclusion).toBe('failure')
  expect(reported.agent.outputs).toMatchObject({ failed: '1', 'exit-reason': 'failed' })
  expect(checksOn(pull.head.sha)).toMatchObject([{ conclusion: 'failure' }])
  expect(commentsOn(pull)[0]?.body).toContain('refund')
})

test('it compares anew with the baseline of the base branch, and saves none', { timeout: SLOW }, async () => {
  const { github } = story
  for (const _night of [1, 2]) await story.run(onMain(github, 'schedule'), { inputs: { runs: '5' } })
  const { trigger } = await tested({ refund: 'no' }, { inputs: { runs: '5', 'max-runs': '5', baseline: 'none.json' } })
  const reported = await report(trigger)
  expect(reported.agent.outputs).toMatchObject({
    'baseline-state': 'ok',
    regressions: '1',
    'exit-reason': 'regression',
  })
  const saved = github.state.artifacts.filter(({ name }) => name.startsWith('agent-test-baseline'))
  expect(saved.map(({ run }) => run.event)).toEqual(['schedule', 'schedule'])
})

test('it judges by its own gate: the fork’s is its author’s word', async () => {
  const { trigger, job } = await tested({ refund: 'no' }, { inputs: { 'min-pass-rate': '0', 'fail-on': 'error' } })
  expect(job.conclusion).toBe('success')
  expect((await report(trigger)).conclusion).toBe('failure')
})

test('shards of a fork are merged first', { timeout: SLOW }, async () => {
  const { github, repository } = story
  const pull = await openPull(github, repository, { branch: 'patch', files: {}, fork })
  const trigger = await onPull(github, repository, pull)
  for (const index of ['1', '2']) {
    Object.assign(trigger.run, { status: 'in_progress' })
    await story.run(trigger, { permissions: READS, inputs: { shard: `${index}/2` }, matrix: { shard: index } })
  }
  expect((await report(trigger)).agent.outputs).toMatchObject({ total: '2', passed: '2' })
})

test('legs of a matrix are sections of one comment, each with its check run', { timeout: SLOW }, async () => {
  const { github, repository } = story
  const pull = await openPull(github, repository, { branch: 'patch', files: {}, fork })
  const trigger = await onPull(github, repository, pull)
  for (const model of ['gpt', 'claude']) {
    Object.assign(trigger.run, { status: 'in_progress' })
    await story.run(trigger, { permissions: READS, matrix: { model }, inputs: { section: model } })
  }
  await report(trigger)
  expect(commentsOn(pull)).toHaveLength(1)
  expect(commentsOn(pull)[0]?.body).toMatch(/gpt[\s\S]*claude|claude[\s\S]*gpt/)
  expect(
    checksOn(pull.head.sha)
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual(['Agent tests (claude)', 'Agent tests (gpt)'])
})

describe('the pull request is found by its commit', () => {
  test('whatever number the results claim', async () => {
    const { github, repository } = story
    const other = await openPull(github, repository, { branch: 'other', files: { 'note.txt': 'x' } })
    const { pull, trigger } = await tested()
    forge((document) => ({ ...document, workflow: { ...(document['workflow'] as object), prNumber: other.number } }))
    await report(trigger)
    expect([commentsOn(pull).length, commentsOn(other).length]).toEqual([1, 0])
  })

  test('of several of one commit it is the one that was tested', async () => {
    const { github } = story
    const { pull, trigger } = await tested()
    github.state.pulls.push({ ...pull, number: pull.number + 1, title: 'The same again' })
    await report(trigger)
    expect(story.github.state.comments.map(({ issue }) => issue)).toEqual([pull.number])
  })

  test('a commit that was pushed since takes no comment, and keeps its check run', async () => {
    const { github, repository } = story
    const { pull, trigger } = await tested({ refund: 'no' })
    await pushToPull(github, repository, pull, answering({}))
    await report(trigger)
    expect(commentsOn(pull)).toEqual([])
    expect(checksOn(trigger.run.headSha)).toHaveLength(1)
  })

  test('a pull request that was closed takes no comment', async () => {
    const { pull, trigger } = await tested()
    pull.state = 'closed'
    expect((await report(trigger)).conclusion).toBe('success')
    expect(commentsOn(pull)).toEqual([])
  })

  test('somebody else’s pull request of a branch of the same name takes none', async () => {
    const { github } = story
    const { pull, trigger } = await tested()
    const stranger = { ...pull, number: 77, head: { ...pull.head, repository: createFork(github, 'trudy') } }
    github.state.pulls.splice(0, github.state.pulls.length, stranger)
    await report(trigger)
    expect(github.state.comments).toEqual([])
  })
})

describe('hostile results are refused, and the pull request told so', () => {
  test.each([
    ['not JSON', () => forgeZip(zipSync({ 'results.json': strToU8('{') })), 'not JSON'],
    ['a path out of the folder', () => forgeZip(zipSync({ '../../results.json': strToU8('{}') })), 'instead of just'],
    [
      'a second file',
      () => forgeZip(zipSync({ 'results.json': strToU8('{}'), 'x.sh': strToU8('x') })),
      'instead of just',
    ],
    ['no archive', () => forgeZip(strToU8('MZ')), 'no zip'],
    ['another shape', () => forge((document) => ({ ...document, cases: 'all passed' })), 'cases'],
    ['passes that did not', () => forge(withFalsePass), 'passed with a check that did not'],
  ])('%s', async (_situation, spoil, reason) => {
    const { pull, trigger } = await tested()
    spoil()
    const reported = await report(trigger)
    expect(reported.conclusion).toBe('failure')
    expect(reported.agent.outputs['gate-message']).toContain(reason)
    expect(commentsOn(pull)[0]?.body.length).toBeGreaterThan(0)
    expect(checksOn(pull.head.sha)).toMatchObject([{ conclusion: 'failure' }])
  })

  test('what they say is shown as text, nowhere more', { timeout: SLOW }, async () => {
    const { pull, trigger } = await tested({ refund: 'no' })
    forge(withEvilWords)
    const { agent } = await report(trigger)
    const [check] = checksOn(pull.head.sha)
    for (const markdown of [commentsOn(pull)[0]?.body, check?.summary, agent.summary]) {
      const tree = parseHtml(githubHtml(markdown ?? ''))
      const tags = new Set(elementsOf(tree).map(({ tagName }) => tagName))
      expect(['img', 'script', 'b'].filter((tag) => tags.has(tag))).toEqual([])
      expect(referencesIn(tree)).toEqual([])
      expect(markdown).toContain('evil')
    }
    expect(agent.commands.filter((name) => name !== 'add-mask')).toEqual(['error'])
    expect(agent.annotations.filter(({ message }) => message.startsWith('planted'))).toEqual([])
  })
})

const EVIL =
  '::error::planted evil <img src=x> @octocat #1 https://evil.example\n##[add-path]/evil `|` </details> \u202e\ud800'

/** Everywhere where a run may say something of its own. */
function withEvilWords(document: Record<string, unknown>): unknown {
  const cases = (document['cases'] as { runs: object[] }[]).map((item, index) => ({
    ...item,
    key: `${EVIL}${index}`,
    id: EVIL,
    suite: EVIL,
    location: { file: EVIL, line: 1 },
    target: EVIL,
    requestedModel: EVIL,
    input: EVIL,
    summary: EVIL,
    runs: item.runs.map((run) => ({ ...run, answeredModel: EVIL, logs: [{ level: 'warn', text: EVIL }] })),
  }))
  return { ...document, version: EVIL, inputs: [EVIL], targets: [EVIL], connector: EVIL, warnings: [EVIL], cases }
}

function withFalsePass(document: Record<string, unknown>): unknown {
  const check = { name: 'c', passed: false, weight: 1, message: 'no' }
  const cases = (document['cases'] as { runs: object[] }[]).map((item) => ({
    ...item,
    runs: item.runs.map((run) => ({ ...run, status: 'passed', checks: [check] })),
  }))
  return { ...document, cases }
}

test('a run that stored nothing is told of where its results are missed', async () => {
  const { pull, trigger } = await tested()
  story.github.state.artifacts.splice(0)
  const reported = await report(trigger)
  expect(reported.conclusion).toBe('failure')
  expect(commentsOn(pull)[0]?.body).toContain('stored no results')
})

test('results that pass are not green when the run itself broke off: a leg may have stored nothing', async () => {
  const { pull, trigger } = await tested()
  Object.assign(trigger.run, { conclusion: 'failure' })
  const reported = await report(trigger)
  expect(reported.conclusion).toBe('failure')
  expect(reported.agent.outputs).toMatchObject({ 'gate-status': 'closed', 'exit-reason': 'error' })
  expect(commentsOn(pull)[0]?.body).toContain('ended as failure')
})

test('a run that was skipped has nothing to report', async () => {
  const { pull, trigger } = await tested()
  story.github.state.artifacts.splice(0)
  Object.assign(trigger.run, { conclusion: 'skipped' })
  const reported = await report(trigger)
  expect([reported.conclusion, commentsOn(pull)]).toEqual(['success', []])
})

test('no run but one that another started reports', async () => {
  const job = await story.run(onMain(story.github, 'push'), { inputs: { mode: 'report' } })
  expect(job.conclusion).toBe('failure')
  expect(job.agent.outputs['gate-message']).toContain('none started this one')
})
