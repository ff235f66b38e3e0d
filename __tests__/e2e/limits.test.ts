import { afterEach, expect, test } from 'vitest'
import { onPull, openPull } from '../support/github/events.ts'
import type { Comment } from '../support/github/state.ts'
import { elementsOf, githubHtml, isElement, parseHtml, textContent } from '../support/markdown.ts'
import { answering, everyone, ids, type Story, SUITE, suiteOf, tell } from './story.ts'

let story: Story

afterEach(async () => {
  const { violations } = story.github
  await story.end()
  expect(violations).toEqual([])
})

/** A pull request in which every one of `count` cases is answered with `answer`. */
async function allAnswer(count: number, answer: string, inputs: Record<string, string> = {}) {
  const cases = ids(count)
  story = await tell({
    [SUITE]: suiteOf(cases.map((id) => ({ id, expected: 'never said' }))),
    ...answering(everyone(cases, answer)),
  })
  const { github, repository } = story
  const pull = await openPull(github, repository, { branch: 'change', files: { 'README.md': 'Hello.\n' } })
  const job = await story.run(await onPull(github, repository, pull), { inputs: { 'max-runs': '1', ...inputs } })
  return { job, check: github.state.checkRuns[0], comment: github.state.comments[0] }
}

test('sixty failing cases: fifty annotations in the check run, and a line that says how many are missing', async () => {
  const { job, check } = await allAnswer(60, 'no')
  expect(job.conclusion).toBe('failure')
  expect(job.agent.outputs).toMatchObject({ failed: '60', total: '60' })
  expect(check?.annotations).toHaveLength(50)
  expect(check?.summary).toContain('10 of 60 annotations are left out')
})

test('with a higher maximum the rest follows in a second request, each line once', async () => {
  const { check } = await allAnswer(60, 'no', { 'max-annotations': '200' })
  const lines = check?.annotations.map((annotation) => annotation.start_line) ?? []
  expect(lines.toSorted((left, right) => left - right)).toEqual(Array.from({ length: 60 }, (_, index) => index + 1))
  const batches = story.github.requests.filter(({ path, method }) => path.includes('/check-runs') && method !== 'GET')
  expect(batches.map((request) => request.method)).toEqual(['POST', 'PATCH'])
})

test('a report too long for a comment is shortened: the verdict stays, everything opened is closed, and it says what is missing', async () => {
  const long = `${'word '.repeat(40)}\n\`\`\`\n<details>\n`.repeat(20)
  const { comment, check, job } = await allAnswer(60, long)
  const body = bodyOf(comment)
  expect([body.length > 20_000, body.length <= 65_536]).toEqual([true, true])
  expect(body).toContain('[!WARNING]')
  expect(body).toContain('Left out')
  // Whatever was left open would swallow the last line.
  const tree = parseHtml(githubHtml(body))
  const last = tree.childNodes.filter(isElement).at(-1)
  expect([last?.tagName, last && textContent(last)]).toEqual(['p', expect.stringContaining('updated for')])
  expect(elementsOf(tree).filter(({ tagName }) => tagName === 'details').length).toBeGreaterThan(5)
  expect(check?.summary?.length).toBeLessThanOrEqual(65_535)
  expect(job.agent.summary.length).toBeGreaterThan(0)
  expect(Buffer.byteLength(job.agent.summary)).toBeLessThan(1_048_576)
})

function bodyOf(comment: Comment | undefined): string {
  return comment?.body ?? ''
}
