import { afterEach, beforeEach, expect, test } from 'vitest'
import { addResults, pullRun } from '../blobs/kept.ts'
import { aBlob, storedCase } from '../blobs/results.ts'
import { addArtifact, addRun, shaOf, startWorld } from '../github/world.ts'
import { aBaseline, aCaseReport, passes, someRuns } from '../support/builders.ts'
import { onComment } from '../support/github/events.ts'
import type { GitHub } from '../support/github/server.ts'
import type { Pull } from '../support/github/state.ts'
import { elementsOf, githubHtml, parseHtml, referencesIn } from '../support/markdown.ts'
import { serveBot } from './bot-world.ts'

let github: GitHub
let pull: Pull

beforeEach(async () => {
  github = await startWorld()
  github.state.collaborators.set('dev', 'write')
  const [first] = github.state.pulls
  if (!first) throw new Error('the world has a pull request')
  pull = first
})

afterEach(async () => {
  expect(github.violations).toEqual([])
  await github.close()
})

async function ask(comment: string): Promise<string> {
  await serveBot(github, onComment(github, pull, comment))
  return github.state.comments.findLast(({ author }) => author.type === 'Bot')?.body ?? ''
}

/** Seven sessions of main in which both cases passed every run. */
function storeBaseline(): void {
  const cases = ['greet', 'refund'].map((id) => {
    const { fingerprint, target } = storedCase(id)
    return aCaseReport({ id, fingerprint, target, runs: someRuns(passes(3)) })
  })
  const run = addRun(github, 'main-6', { event: 'push' })
  const createdAt = new Date().toISOString()
  const baseline = aBaseline(cases, { createdAt, commit: shaOf('main-6'), runId: run.id })
  addArtifact(github, run, JSON.stringify(baseline))
}

function storeResults(letters: string): void {
  const run = pullRun(github, { status: 'completed', conclusion: 'failure' })
  const refund = storedCase('refund', letters)
  addResults(github, run, { blob: aBlob({ cases: [storedCase('greet'), refund], plannedRuns: 3 + letters.length }) })
}

test('a regression is explained with counts of both sides, the first failure and what is compared with', async () => {
  storeBaseline()
  storeResults('fff')
  const answer = await ask('/agent-test explain refund')
  expect(answer).toContain('### refund')
  expect(answer).toContain('[!CAUTION]')
  expect(answer).toContain('21/21')
  expect(answer).toContain('0/3')
  expect(answer).toContain('expected output to contain "Hello"')
  expect(answer).not.toContain('greet')
})

test('a case that is well is said to be', async () => {
  storeBaseline()
  storeResults('fff')
  const answer = await ask('/agent-test explain `tests/support.jsonl/greet`')
  expect(answer).toContain('### greet')
  expect(answer).not.toContain('[!CAUTION]')
  expect(answer).not.toContain('refund')
})

test('an unknown case is answered with the one that may be meant', async () => {
  storeResults('ppp')
  expect(await ask('/agent-test explain refnud')).toContain('did you mean "refund"?')
  expect(github.state.reactions.at(-1)?.content).toBe('confused')
})

test('without results that is the answer', async () => {
  pullRun(github, { status: 'completed' })
  expect(await ask('/agent-test explain refund')).toContain('has stored no results for')
})

test('what the results say is hostile', async () => {
  const run = pullRun(github, { status: 'completed' })
  const hostile = '<img src=x onerror=alert(1)> @octocat #1 -->'
  const runs = storedCase('x', 'fff').runs.map((item) => ({
    ...item,
    status: 'failed' as const,
    checks: [{ name: 'contains', passed: false, weight: 1, message: hostile }],
    output: hostile,
  }))
  addResults(github, run, { blob: aBlob({ cases: [storedCase('x', 'fff', { runs })], plannedRuns: 3 }) })
  const answer = await ask('/agent-test explain x')
  expect(answer).toContain('onerror')
  const document = parseHtml(githubHtml(answer))
  expect(elementsOf(document).map(({ tagName }) => tagName)).not.toContain('img')
  expect(referencesIn(document)).toEqual([])
})

test('results that cannot be read are an answer, too', async () => {
  const run = pullRun(github, { status: 'completed' })
  addResults(github, run, { text: '{"schemaVersion":1' })
  expect(await ask('/agent-test explain refund')).toContain('That could not be done: ')
  expect(github.state.reactions.at(-1)?.content).toBe('-1')
})

test('accept writes the key of a case that the results know, and knows no other', async () => {
  storeResults('fff')
  expect(await ask('/agent-test accept refund we no longer refund')).toContain('- case: "tests/support.jsonl/refund"')
  expect(await ask('/agent-test accept refnud we no longer refund')).toContain('did you mean "refund"?')
})

test('rerun of a case that the results do not know is not understood', async () => {
  storeResults('fff')
  expect(await ask('/agent-test rerun refund nothing')).toContain('have no case `nothing`')
  expect(github.state.dispatches).toEqual([])
  await ask('/agent-test rerun tests/support.jsonl/refund')
  expect(github.state.dispatches).toMatchObject([{ inputs: { cases: '^(?:refund)$' } }])
})
