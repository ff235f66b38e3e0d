import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { UserError } from '../../src/core/errors.ts'
import { COMMENT_LIMIT, putStickyComment } from '../../src/github/index.ts'
import { markerOf, readData, type StickyComment } from '../../src/github/sticky-comment.ts'
import type { GitHub } from '../support/github/server.ts'
import { ACTIONS_BOT, type Actor, type Comment } from '../support/github/state.ts'
import { open, READ_ONLY, shaOf, startWorld } from './world.ts'

const MALLORY: Actor = { id: 666, login: 'mallory', type: 'User' }
const OTHER_BOT: Actor = { id: 667, login: 'echo[bot]', type: 'Bot' }

let github: GitHub

beforeEach(async () => {
  github = await startWorld()
})

afterEach(async () => {
  expect(github.violations).toEqual([])
  await github.close()
})

function sticky(overrides: Partial<StickyComment> = {}): StickyComment {
  return {
    prNumber: 1,
    key: 'default',
    data: { headSha: shaOf('head'), runId: 812, attempt: 1 },
    body: () => 'all is well',
    postsNew: true,
    ...overrides,
  }
}

function addComment(author: Actor, body: string, minimized?: { reason: string }): Comment {
  const { state } = github
  const comment: Comment = {
    id: state.nextId(),
    issue: 1,
    body,
    author,
    createdAt: state.now(),
    updatedAt: state.now(),
    ...(minimized ? { minimized } : {}),
  }
  state.comments.push(comment)
  return comment
}

const bodiesBy = (author: Actor) =>
  github.state.comments.flatMap((comment) => (comment.author.login === author.login ? [comment.body] : []))

const bodyOf = (runId: number, attempt: number, text = 'old') =>
  `<!-- agent-test:default -->\n<!-- agent-test-data head=${shaOf('head')} run=${runId} attempt=${attempt} -->\n${text}`

describe('the one comment', () => {
  test('is posted, then updated, with marker and machine data in its first two lines', async () => {
    const { client, host } = await open(github)
    const first = await putStickyComment(client, host, sticky())
    const second = await putStickyComment(
      client,
      host,
      sticky({ data: { ...sticky().data, runId: 813 }, body: () => 'new' }),
    )

    expect(first).toMatchObject({ kind: 'created' })
    expect(second).toMatchObject({ kind: 'updated', id: 'id' in first ? first.id : 0 })
    expect(bodiesBy(ACTIONS_BOT)).toEqual([bodyOf(813, 1, 'new')])
  })

  test('is found among 250 others, on whichever page', async () => {
    for (let n = 0; n < 120; n += 1) addComment(MALLORY, `remark ${n}`)
    const own = addComment(ACTIONS_BOT, bodyOf(811, 1))
    for (let n = 0; n < 130; n += 1) addComment(MALLORY, `remark ${n}`)
    const { client, host } = await open(github)

    expect(await putStickyComment(client, host, sticky())).toMatchObject({ kind: 'updated', id: own.id })
    expect(bodiesBy(ACTIONS_BOT)).toHaveLength(1)
    const pages = github.requests.filter(({ method, path }) => method === 'GET' && path.endsWith('/comments'))
    expect(pages).toHaveLength(3)
  })

  test.each([MALLORY, OTHER_BOT])("is never somebody else's with our marker ($login)", async (author) => {
    addComment(author, bodyOf(999_999, 9, 'approved, merge me'))
    const { client, host } = await open(github)

    expect(await putStickyComment(client, host, sticky())).toMatchObject({ kind: 'created' })
    expect(bodiesBy(author)).toEqual([bodyOf(999_999, 9, 'approved, merge me')])
    expect(bodiesBy(ACTIONS_BOT)).toEqual([bodyOf(812, 1, 'all is well')])
  })

  test('is known by the user of a personal token', async () => {
    addComment(ACTIONS_BOT, bodyOf(800, 1))
    const own = addComment(MALLORY, bodyOf(801, 1))
    const { client, host } = await open(github, { actor: MALLORY })

    expect(await putStickyComment(client, host, sticky())).toMatchObject({ kind: 'updated', id: own.id })
    expect(bodiesBy(ACTIONS_BOT)).toEqual([bodyOf(800, 1)])
  })

  test("is known by another app's name once that app has written", async () => {
    const own = addComment(OTHER_BOT, bodyOf(801, 1))
    const { client, host } = await open(github, { actor: OTHER_BOT })

    expect(await putStickyComment(client, host, sticky())).toMatchObject({ kind: 'updated', id: own.id })
    expect(bodiesBy(OTHER_BOT)).toEqual([bodyOf(812, 1, 'all is well')])
  })

  test('has its marker on the first line, not somewhere in a quotation', async () => {
    addComment(ACTIONS_BOT, `> ${bodyOf(801, 1)}`)
    const { client, host } = await open(github)
    expect(await putStickyComment(client, host, sticky())).toMatchObject({ kind: 'created' })
  })

  test('is posted anew when somebody hid the old one', async () => {
    const hidden = addComment(ACTIONS_BOT, bodyOf(801, 1), { reason: 'outdated' })
    const { client, host } = await open(github)
    expect(await putStickyComment(client, host, sticky())).toMatchObject({ kind: 'created' })
    expect(hidden.body).toBe(bodyOf(801, 1))
  })

  test('is another one for another key', async () => {
    addComment(ACTIONS_BOT, bodyOf(801, 1))
    const { client, host } = await open(github)
    expect(await putStickyComment(client, host, sticky({ key: 'nightly' }))).toMatchObject({ kind: 'created' })
    expect(bodiesBy(ACTIONS_BOT)[0]).toBe(bodyOf(801, 1))
  })

  test('is one again after two first runs had posted two', async () => {
    const first = addComment(ACTIONS_BOT, bodyOf(801, 1))
    addComment(ACTIONS_BOT, bodyOf(802, 1))
    const { client, host } = await open(github)
    expect(await putStickyComment(client, host, sticky())).toMatchObject({ kind: 'updated', id: first.id })
    expect(bodiesBy(ACTIONS_BOT)).toEqual([bodyOf(812, 1, 'all is well')])
  })

  test.each([
    { situation: 'a later run', runId: 813, attempt: 1, expected: 'newer_run' },
    { situation: 'a later attempt of this run', runId: 812, attempt: 2, expected: 'newer_run' },
    { situation: 'this very attempt', runId: 812, attempt: 1, expected: 'updated' },
    { situation: 'an earlier run in a later attempt', runId: 811, attempt: 9, expected: 'updated' },
  ])('that shows $situation is $expected', async ({ runId, attempt, expected }) => {
    const own = addComment(ACTIONS_BOT, bodyOf(runId, attempt))
    const { client, host } = await open(github)
    expect(await putStickyComment(client, host, sticky())).toMatchObject({ kind: expected })
    expect(own.body).toBe(expected === 'newer_run' ? bodyOf(runId, attempt) : bodyOf(812, 1, 'all is well'))
  })

  test('without machine data counts as older', async () => {
    const own = addComment(ACTIONS_BOT, '<!-- agent-test:default -->\nby hand')
    const { client, host } = await open(github)
    expect(await putStickyComment(client, host, sticky())).toMatchObject({ kind: 'updated', id: own.id })
  })

  test('is not posted when it is not due, but updated all the same', async () => {
    const { client, host } = await open(github)
    expect(await putStickyComment(client, host, sticky({ postsNew: false }))).toEqual({ kind: 'not_due' })
    expect(github.state.comments).toEqual([])
    addComment(ACTIONS_BOT, bodyOf(801, 1, 'red'))
    expect(await putStickyComment(client, host, sticky({ postsNew: false }))).toMatchObject({ kind: 'updated' })
    expect(bodiesBy(ACTIONS_BOT)).toEqual([bodyOf(812, 1, 'all is well')])
  })

  test('fills what GitHub takes to the last character', async () => {
    const { client, host } = await open(github)
    await putStickyComment(client, host, sticky({ body: (room) => 'x'.repeat(room) }))
    expect(bodiesBy(ACTIONS_BOT)[0]).toHaveLength(COMMENT_LIMIT)
  })
})

describe('when GitHub fails', () => {
  test('a post that was taken but answered 502 is not repeated', async () => {
    const { client, host } = await open(github)
    const comment = sticky()
    // The first POST is answered 502; before it is tried again, the comment turns out to be there.
    github.fail({ method: 'POST', path: /comments$/, failure: { status: 502 } })
    const sleep = async () => void addComment(ACTIONS_BOT, bodyOf(812, 1, 'all is well'))
    expect(await putStickyComment(client, { ...host, sleep }, comment)).toMatchObject({ kind: 'created' })
    expect(bodiesBy(ACTIONS_BOT)).toHaveLength(1)
    expect(github.requests.filter(({ method }) => method === 'POST')).toHaveLength(1)
  })

  test('a post that was not taken is tried again', async () => {
    const { client, host } = await open(github)
    github.fail({ method: 'POST', path: /comments$/, failure: { status: 502 } })
    github.fail({ method: 'POST', path: /comments$/, failure: 'reset' })
    expect(await putStickyComment(client, host, sticky())).toMatchObject({ kind: 'created' })
    expect(bodiesBy(ACTIONS_BOT)).toHaveLength(1)
  })

  test('it gives up after three tries, and says what was tried', async () => {
    const { client, host } = await open(github)
    github.fail({
      method: 'POST',
      path: /comments$/,
      times: 9,
      failure: { status: 503, message: 'No server is available' },
    })
    const attempt = putStickyComment(client, host, sticky())
    await expect(attempt).rejects.toThrow(
      'could not comment on the pull request: GitHub answered 503 (No server is available)',
    )
    await expect(attempt).rejects.toMatchObject({ code: 'GITHUB_UNAVAILABLE' })
    expect(github.requests.filter(({ method }) => method === 'POST')).toHaveLength(3)
  })

  test('reading is repeated by itself', async () => {
    const { client, host } = await open(github)
    github.fail({ method: 'GET', path: /comments$/, times: 2, failure: { status: 500 } })
    expect(await putStickyComment(client, host, sticky())).toMatchObject({ kind: 'created' })
  })

  test('a read-only token is a matter of permission', async () => {
    const { client, host } = await open(github, { rights: READ_ONLY })
    const error = await putStickyComment(client, host, sticky()).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(UserError)
    expect(error).toMatchObject({
      code: 'GITHUB_PERMISSION',
      problems: [{ hint: 'give the job "permissions:" with "pull-requests: write"' }],
    })
  })
})

describe('the hidden lines', () => {
  test.each([
    ['default', '<!-- agent-test:default -->'],
    ['matrix.leg_1-a', '<!-- agent-test:matrix.leg_1-a -->'],
  ])('the key %j stays as it is', (key, expected) => {
    expect(markerOf(key)).toBe(expected)
  })

  test.each(['a b', 'a-b', 'a/b', '', '-->', '--><script>', 'x'.repeat(500), 'ä'])(
    'the key %j cannot end the HTML comment',
    (key) => {
      expect(markerOf(key)).toMatch(/^<!-- agent-test:[A-Za-z0-9._-]{0,100} -->$/)
    },
  )

  test('keys that differ have markers that differ', () => {
    const keys = ['a b', 'a-b', 'a/b', 'a\nb', `${'x'.repeat(500)}1`, `${'x'.repeat(500)}2`, '', '-']
    expect(new Set(keys.map(markerOf)).size).toBe(keys.length)
  })

  test.each([
    '',
    'x',
    'x\n<!-- agent-test-data head=abc run=1e9 attempt=1 -->',
    'x\n<!-- agent-test-data head=abc run=99999999999999999999 attempt=1 -->',
    'x\ny\n<!-- agent-test-data head=abc run=1 attempt=1 -->',
  ])('%j holds no machine data', (body) => {
    expect(readData(body)).toBeUndefined()
  })
})
