import { createHash } from 'node:crypto'
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createFork, onMain, onPull, openPull } from '../support/github/events.ts'
import type { Artifact } from '../support/github/state.ts'
import { type Story, SUITE, suiteOf, tell } from './story.ts'

let story: Story

beforeEach(async () => {
  story = await tell({ [SUITE]: suiteOf([{ id: 'greeting' }, { id: 'refund' }]) })
})

afterEach(async () => {
  const { violations } = story.github
  await story.end()
  expect(violations).toEqual([])
})

/** A run on main, something that happens to what it saved, then a pull request. */
async function afterwards(happens: (artifact: Artifact) => void, inputs: Record<string, string> = {}) {
  const { github, repository } = story
  await story.run(onMain(github, 'push'))
  for (const artifact of github.state.artifacts) happens(artifact)
  const pull = await openPull(github, repository, { branch: 'change', files: {} })
  return story.run(await onPull(github, repository, pull), { inputs })
}

/** Puts other bytes in the artifact's place, with the digest that belongs to them. */
function replace(artifact: Artifact, content: Uint8Array): void {
  artifact.content = Buffer.from(content)
  artifact.digest = `sha256:${createHash('sha256').update(content).digest('hex')}`
}

function expire(artifact: Artifact): void {
  artifact.expired = true
  artifact.expiresAt = '2026-01-01T00:00:00Z'
}

test('an expired baseline is its own state: not red, unless a baseline is required', async () => {
  const lenient = await afterwards(expire)
  expect([lenient.conclusion, lenient.agent.outputs['baseline-state']]).toEqual(['success', 'expired'])
  expect(lenient.agent.summary).toContain('expired')
  const strict = await afterwards(expire, { 'require-baseline': 'true' })
  expect([strict.conclusion, strict.agent.outputs['baseline-state']]).toEqual(['failure', 'expired'])
})

test('a baseline that cannot be trusted or read closes the gate, whatever is wrong with it', async () => {
  const { github, repository } = story
  await story.run(onMain(github, 'push'))
  const artifact = github.state.artifacts.find(({ name }) => name === 'agent-test-baseline')
  if (!artifact) throw new Error('nothing was saved')
  const saved = Buffer.from(artifact.content)
  const document = strFromU8(unzipSync(saved)['baseline.json'] ?? new Uint8Array())
  const archive = (text: string) => zipSync({ 'baseline.json': strToU8(text) })
  const spoilt: Record<string, () => void> = {
    'other bytes than were uploaded': () => void artifact.content.fill(0, 40, 60),
    'no zip': () => replace(artifact, strToU8('no zip at all')),
    'another document': () => replace(artifact, archive('{"a":1}')),
    'a newer version': () => replace(artifact, archive(document.replace(/"schemaVersion":\d+/, '"schemaVersion":99'))),
    'another commit': () =>
      replace(artifact, archive(document.replace(/"commit":"\w+"/, `"commit":"${'f'.repeat(40)}"`))),
    nothing: () => replace(artifact, saved),
  }
  const pull = await openPull(github, repository, { branch: 'change', files: {} })
  const outcomes: Record<string, unknown> = {}
  for (const [what, spoil] of Object.entries(spoilt)) {
    replace(artifact, saved)
    spoil()
    const { conclusion, agent } = await story.run(await onPull(github, repository, pull))
    outcomes[what] = [
      conclusion,
      agent.outputs['baseline-state'],
      agent.outputs['exit-reason'],
      agent.outputs['passed'],
    ]
  }
  const closed = ['failure', 'unreadable', 'error', '2']
  expect(outcomes).toEqual({
    'other bytes than were uploaded': closed,
    'no zip': closed,
    'another document': closed,
    'a newer version': closed,
    'another commit': closed,
    nothing: ['success', 'ok', 'passed', '2'],
  })
})

test('GitHub failing to list the runs is no "none yet": the gate stays closed, or open with a warning where asked', async () => {
  const outage = () => {
    story.github.fail({ path: /\/actions\/(workflows|runs|artifacts)/, times: 40, failure: { status: 500 } })
  }
  const strict = await afterwards(outage)
  expect([strict.conclusion, strict.agent.outputs['baseline-state']]).toEqual(['failure', 'unreadable'])
  const lenient = await afterwards(outage, { 'on-baseline-error': 'warn' })
  expect([lenient.conclusion, lenient.agent.outputs['baseline-state']]).toEqual(['success', 'unreadable'])
})

test('a baseline planted by a fork whose branch is called main is not taken', async () => {
  const { github, repository } = story
  const fork = await openPull(github, repository, { branch: 'main', files: {}, fork: createFork(github, 'mallory') })
  const { run } = await onPull(github, repository, fork)
  Object.assign(run, { status: 'completed', conclusion: 'success' })
  const planted = zipSync({
    'baseline.json': strToU8('{"schemaVersion":1,"createdAt":"2026-01-01T00:00:00Z","cases":[]}'),
  })
  const artifact: Artifact = {
    id: github.state.nextId(),
    name: 'agent-test-baseline',
    run,
    createdAt: github.state.now(),
    expiresAt: '2099-01-01T00:00:00Z',
    expired: false,
    mimeType: 'application/zip',
    content: Buffer.alloc(0),
    digest: null,
    finalized: true,
  }
  replace(artifact, planted)
  github.state.artifacts.push(artifact)
  const pull = await openPull(github, repository, { branch: 'change', files: {} })
  const { conclusion, agent } = await story.run(await onPull(github, repository, pull))
  expect([conclusion, agent.outputs['baseline-state']]).toEqual(['success', 'none'])
})

test('a second attempt of a run saves beside the first', async () => {
  const { github } = story
  const trigger = onMain(github, 'push')
  await story.run(trigger)
  Object.assign(trigger.run, { attempt: 2, status: 'in_progress' })
  const { conclusion } = await story.run(trigger)
  expect(conclusion).toBe('success')
  const saved = github.state.artifacts.filter(({ name }) => name.startsWith('agent-test-baseline'))
  expect(saved).toHaveLength(2)
})
