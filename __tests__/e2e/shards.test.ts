import { strFromU8, unzipSync } from 'fflate'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { onMain, onPull, openPull, type Trigger } from '../support/github/events.ts'
import { ids, type Story, SUITE, suiteOf, tell } from './story.ts'

/** Answers well unless the variable BAD or DOWN names the case; says on the log which run it made. */
const AGENT = `
import { readFileSync } from 'node:fs'

const { id, run } = JSON.parse(readFileSync(0, 'utf8'))
const named = (name) => (process.env[name] ?? '').split(',').includes(id)
console.error('made ' + id + ' ' + run)
if (named('DOWN')) {
  console.error('the model is out of reach')
  process.exit(1)
}
process.stdout.write(named('BAD') ? 'no' : 'ok')
`
const CASES = ids(7)

let story: Story

beforeEach(async () => {
  story = await tell({ [SUITE]: suiteOf(CASES.map((id) => ({ id }))), 'agent.mjs': AGENT })
})

afterEach(async () => {
  const { violations } = story.github
  await story.end()
  expect(violations).toEqual([])
})

/** Several jobs one after the other, on a machine that has more to do. */
const SLOW = 120_000

type Options = Parameters<Story['run']>[1]

/** One more job of a run. */
async function job(trigger: Trigger, options: Options = {}) {
  Object.assign(trigger.run, { status: 'in_progress', conclusion: null })
  return await story.run(trigger, options)
}

async function shard(trigger: Trigger, index: number, count: number, options: Options = {}) {
  const { inputs = {}, ...rest } = options
  return await job(trigger, {
    ...rest,
    inputs: { shard: `${index}/${count}`, ...inputs },
    matrix: { shard: `${index}` },
  })
}

async function shards(trigger: Trigger, count: number, options: Options = {}) {
  const jobs = []
  for (let index = 1; index <= count; index += 1) jobs.push(await shard(trigger, index, count, options))
  return jobs
}

/** Without suites: it judges and runs nothing. */
const MERGE = { inputs: { mode: 'merge', input: '', target: '' } }

async function pullRequest(branch = 'change') {
  const { github, repository } = story
  const pull = await openPull(github, repository, { branch, files: {} })
  return await onPull(github, repository, pull)
}

function stored(name: string): unknown {
  const artifact = story.github.state.artifacts.find((one) => one.name === name)
  const files = unzipSync(artifact?.content ?? new Uint8Array())
  return JSON.parse(strFromU8(Object.values(files)[0] ?? new Uint8Array()))
}

test('three shards and a merge are one comment, one check run and one verdict', { timeout: SLOW }, async () => {
  const { github } = story
  const trigger = await pullRequest()
  const jobs = await shards(trigger, 3, { env: { BAD: 'case-02' } })
  expect(jobs.map(({ conclusion }) => conclusion)).toEqual(['success', 'success', 'success'])
  expect(jobs[0]?.agent.summary).toMatch(/Shard 1\/3: \d cases, \d runs, .*The merge job judges/)
  expect([github.state.comments.length, github.state.checkRuns.length]).toEqual([0, 0])
  const merged = await job(trigger, MERGE)
  expect(merged.conclusion).toBe('failure')
  expect(merged.agent.outputs).toMatchObject({ total: '7', passed: '6', failed: '1', 'gate-status': 'closed' })
  expect([github.state.comments.length, github.state.checkRuns.length]).toEqual([1, 1])
  expect(github.state.comments[0]?.body).toContain('case-02')
  expect(github.state.checkRuns[0]).toMatchObject({ headSha: trigger.run.headSha, conclusion: 'failure' })
  expect(merged.agent.summary).toContain('case-02')
})

test('on the default branch the merge saves the baseline, and cuts follow it', { timeout: SLOW }, async () => {
  const { github } = story
  const trigger = onMain(github, 'push')
  await shards(trigger, 2)
  await job(trigger, MERGE)
  const names = github.state.artifacts.map(({ name }) => name.replace(/-[0-9a-f]{12}$/, ''))
  expect(names.sort()).toEqual([
    'agent-test-baseline',
    'agent-test-results',
    'agent-test-results.cut-of-2',
    'agent-test-results.shard-1-of-2',
    'agent-test-results.shard-2-of-2',
  ])
  expect(stored('agent-test-baseline')).toMatchObject({ cases: CASES.map((id) => ({ key: `${SUITE}/${id}` })) })
})

test('a shard that stored nothing is named, and nothing is judged without it', { timeout: SLOW }, async () => {
  const { github } = story
  const trigger = await pullRequest()
  await shard(trigger, 1, 3)
  await shard(trigger, 3, 3)
  const merged = await job(trigger, MERGE)
  expect(merged.conclusion).toBe('failure')
  expect(merged.agent.outputs).toMatchObject({ 'exit-reason': 'configuration', 'gate-status': 'closed' })
  expect(merged.agent.outputs['gate-message']).toContain('shard 2/3 of 3 did not store any results')
  expect(github.state.comments[0]?.body).toContain('2/3')
  const late = await shard(trigger, 2, 3)
  expect(late.conclusion).toBe('success')
})

test('a merge without any shard says what it looked for', async () => {
  const merged = await job(await pullRequest(), MERGE)
  expect(merged.agent.outputs['gate-message']).toMatch(/no shard .* artifact-name agent-test-baseline/)
})

test('a shard that cannot store its results is red: nobody would judge it', async () => {
  const trigger = await pullRequest()
  await shard(trigger, 1, 2)
  const again = await shard(trigger, 1, 2)
  expect(again.conclusion).toBe('failure')
  expect(again.agent.outputs['gate-message']).toContain('could not be saved')
})

test('a shard that is run again on another day has the cases it had', { timeout: SLOW }, async () => {
  const { github } = story
  const trigger = await pullRequest()
  const [first] = await shards(trigger, 2)
  const onTheNextDay = onMain(github, 'push')
  await story.run(onTheNextDay)
  Object.assign(trigger.run, { attempt: 2 })
  const [second] = await shards(trigger, 2)
  expect(second?.agent.outputs['total']).toBe(first?.agent.outputs['total'])
  const merged = await job(trigger, MERGE)
  expect([merged.conclusion, merged.agent.outputs['total']]).toEqual(['success', '7'])
})

describe('a run that is repeated', () => {
  const made = (log: string) => [...log.matchAll(/made (case-\d+ \d+)/g)].map(([, run]) => run)

  test('as a whole makes only what errored or was not made: until green does not help', { timeout: SLOW }, async () => {
    const trigger = await pullRequest()
    const env = { BAD: 'case-01', DOWN: 'case-02' }
    const first = await job(trigger, { env, inputs: { runs: '2' } })
    expect(first.agent.outputs).toMatchObject({ failed: '1', errors: '1', 'gate-status': 'closed' })
    Object.assign(trigger.run, { attempt: 2 })
    const second = await job(trigger, { inputs: { runs: '2' } })
    expect(second.agent.outputs).toMatchObject({ passed: '6', failed: '1', errors: '0', 'gate-status': 'closed' })
    const [before, now] = [stored('agent-test-results'), stored('agent-test-results.attempt-2')]
    const runsOf = (document: unknown) =>
      (document as { cases: { id: string; runs: { status: string; startedAt: number }[] }[] }).cases
    // The evidence of the first attempt stands, to the millisecond.
    expect(runsOf(now)[0]).toEqual(runsOf(before)[0])
    expect(runsOf(now)[1]?.runs.map(({ status }) => status)).toEqual(['passed', 'passed'])
    expect(runsOf(now)[2]).toEqual(runsOf(before)[2])
  })

  test('by its merge alone makes up for what errored in the shards', { timeout: SLOW }, async () => {
    const trigger = await pullRequest()
    await shards(trigger, 2, { env: { DOWN: 'case-03' } })
    const merging = { inputs: { mode: 'merge' } }
    const first = await job(trigger, merging)
    expect(first.agent.outputs).toMatchObject({ errors: '1', 'exit-reason': 'error' })
    Object.assign(trigger.run, { attempt: 2 })
    const second = await job(trigger, merging)
    expect([second.conclusion, second.agent.outputs['total'], second.agent.outputs['passed']]).toEqual([
      'success',
      '7',
      '7',
    ])
    Object.assign(trigger.run, { attempt: 3 })
    const third = await job(trigger, { inputs: { mode: 'merge' }, env: { DOWN: CASES.join(',') } })
    expect([third.conclusion, made(third.log)]).toEqual(['success', []])
  })

  test('in another run of the same commit counts what the first one found', { timeout: SLOW }, async () => {
    const { github, repository } = story
    const pull = await openPull(github, repository, { branch: 'change', files: {} })
    const first = await job(await onPull(github, repository, pull), { env: { BAD: 'case-01' } })
    expect(first.conclusion).toBe('failure')
    const second = await job(await onPull(github, repository, pull, 'reopened'))
    expect([second.conclusion, second.agent.outputs['failed']]).toEqual(['failure', '1'])
  })

  test('on the default branch, a later run is made anew', async () => {
    const { github } = story
    await job(onMain(github, 'push'), { env: { BAD: 'case-01' } })
    const nightly = await job(onMain(github, 'schedule'))
    expect(nightly.agent.outputs['failed']).toBe('0')
  })
})
