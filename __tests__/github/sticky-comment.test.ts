import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { UserError } from '../../src/core/errors.ts'
import { readSections } from '../../src/github/comment-sections.ts'
import { COMMENT_LIMIT, putStickyComment } from '../../src/github/index.ts'
import { markerOf, readData, type StickyComment } from '../../src/github/sticky-comment.ts'
import { fakeHost } from '../support/fake-host.ts'
import type { GitHub } from '../support/github/server.ts'
import { ACTIONS_BOT, type Actor, type Comment } from '../support/github/state.ts'
import { open, quickHost, READ_ONLY, shaOf, startWorld } from './world.ts'

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

/** Bodies one after the other, cut in equal shares where they are too long. */
const compose: StickyComment['compose'] = (sections, { chars, marks }) => {
  const share = Math.floor(chars / sections.length) - 1_000
  const texts = sections.map((section) => {
    const body = section.body.slice(0, share)
    const { before, after } = marks(section, body)
    return `**${section.title}** ${section.alert} ${section.line}\n${before}\n\n${body}\n${after}`
  })
  return texts.join('\n')
}

interface Report extends Partial<StickyComment['origin']> {
  readonly leg?: string
  readonly body?: string
  readonly title?: string
  readonly key?: string
  readonly postsNew?: boolean
}

function sticky({
  leg = 'agent',
  body = 'all is well',
  key = 'default',
  postsNew = true,
  ...rest
}: Report = {}): StickyComment {
  const { headSha = shaOf('head'), runId = 812, attempt = 1, title = leg } = rest
  const section = { title, alert: 'TIP' as const, line: `line of ${leg}`, body }
  return { prNumber: 1, key, leg, origin: { headSha, runId, attempt }, section, compose, postsNew }
}

async function put(report: Report = {}, options: Parameters<typeof open>[1] = {}) {
  const { client, host } = await open(github, options)
  return await putStickyComment(client, host, sticky(report))
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

const commentsBy = (author: Actor) => github.state.comments.filter((comment) => comment.author.login === author.login)

/** What readers see of every comment of ours, section by section. */
const shownBy = (author: Actor = ACTIONS_BOT) =>
  commentsBy(author).map(({ body }) => Object.fromEntries(readSections(body).map((found) => [found.title, found.body])))

/** As versions before sections wrote it. */
const oldFormat = (runId: number, attempt: number, text = 'old') =>
  `<!-- agent-test:default -->\n<!-- agent-test-data head=${shaOf('head')} run=${runId} attempt=${attempt} -->\n${text}`

describe('the one comment', () => {
  test('is posted, then updated, with marker and machine data in its first two lines', async () => {
    const first = await put()
    const second = await put({ runId: 813, body: 'new' })
    expect(first).toMatchObject({ kind: 'created', isShared: false })
    expect(second).toMatchObject({ kind: 'updated', id: 'id' in first ? first.id : 0, isShared: false })
    expect(commentsBy(ACTIONS_BOT)[0]?.body.split('\n').slice(0, 2)).toEqual([
      '<!-- agent-test:default -->',
      `<!-- agent-test-data head=${shaOf('head')} run=813 attempt=1 -->`,
    ])
    expect(shownBy()).toEqual([{ agent: 'new' }])
  })

  test('is found among 250 others, on whichever page', async () => {
    for (let n = 0; n < 120; n += 1) addComment(MALLORY, `remark ${n}`)
    await put({ runId: 811 })
    for (let n = 0; n < 130; n += 1) addComment(MALLORY, `remark ${n}`)
    const earlier = github.requests.length
    expect(await put()).toMatchObject({ kind: 'updated' })
    expect(commentsBy(ACTIONS_BOT)).toHaveLength(1)
    const pages = github.requests
      .slice(earlier)
      .filter(({ method, path }) => method === 'GET' && path.endsWith('/comments'))
    expect(pages).toHaveLength(3)
  })

  test.each([MALLORY, OTHER_BOT])("is never somebody else's with our marker ($login)", async (author) => {
    const theirs = addComment(author, oldFormat(999_999, 9, 'approved, merge me'))
    expect(await put()).toMatchObject({ kind: 'created' })
    expect(theirs.body).toBe(oldFormat(999_999, 9, 'approved, merge me'))
    expect(shownBy()).toEqual([{ agent: 'all is well' }])
  })

  test('is known by the user of a personal token', async () => {
    await put({ body: 'of the bot' })
    const own = addComment(MALLORY, oldFormat(801, 1))
    expect(await put({}, { actor: MALLORY })).toMatchObject({ kind: 'updated', id: own.id })
    expect(shownBy()).toEqual([{ agent: 'of the bot' }])
  })

  test("is known by another app's name once that app has written", async () => {
    const own = addComment(OTHER_BOT, oldFormat(801, 1))
    expect(await put({}, { actor: OTHER_BOT })).toMatchObject({ kind: 'updated', id: own.id })
    expect(shownBy(OTHER_BOT)).toEqual([{ agent: 'all is well' }])
  })

  test('has its marker on the first line, not somewhere in a quotation', async () => {
    addComment(ACTIONS_BOT, `> ${oldFormat(801, 1)}`)
    expect(await put()).toMatchObject({ kind: 'created' })
  })

  test('is posted anew when somebody hid the old one', async () => {
    const hidden = addComment(ACTIONS_BOT, oldFormat(801, 1), { reason: 'outdated' })
    expect(await put()).toMatchObject({ kind: 'created' })
    expect(hidden.body).toBe(oldFormat(801, 1))
  })

  test('is another one for another key', async () => {
    await put({ body: 'of the day' })
    expect(await put({ key: 'nightly', body: 'of the night' })).toMatchObject({ kind: 'created' })
    expect(shownBy()).toEqual([{ agent: 'of the day' }, { agent: 'of the night' }])
  })

  test('is one again after two first runs had posted two, and both sections stay', async () => {
    await put({ leg: 'one' })
    const [first] = commentsBy(ACTIONS_BOT)
    addComment(ACTIONS_BOT, (first?.body ?? '').replace('all is well', 'all is well'))
    await put({ leg: 'two' })
    expect(shownBy()).toEqual([{ one: 'all is well', two: 'all is well' }])
    expect(commentsBy(ACTIONS_BOT)[0]?.id).toBe(first?.id)
  })

  test('is not posted when it is not due, but updated all the same', async () => {
    expect(await put({ postsNew: false })).toEqual({ kind: 'not_due' })
    expect(github.state.comments).toEqual([])
    await put({ runId: 801, body: 'red' })
    expect(await put({ postsNew: false })).toMatchObject({ kind: 'updated' })
    expect(shownBy()).toEqual([{ agent: 'all is well' }])
  })

  test('fills what GitHub takes to the last character', async () => {
    const { client, host } = await open(github)
    const filling: StickyComment['compose'] = (sections, { chars, marks }) => {
      const text = sections.map((section) => `${marks(section, '').before}\n`).join('')
      return `${text}${'x'.repeat(chars - text.length)}`
    }
    await putStickyComment(client, host, { ...sticky({ body: '' }), compose: filling })
    expect(commentsBy(ACTIONS_BOT)[0]?.body).toHaveLength(COMMENT_LIMIT)
  })
})

describe('an older run never covers a newer one', () => {
  test.each([
    { situation: 'a later run', runId: 813, attempt: 1, expected: 'newer_run' },
    { situation: 'a later attempt of this run', runId: 812, attempt: 2, expected: 'newer_run' },
    { situation: 'this very attempt', runId: 812, attempt: 1, expected: 'updated' },
    { situation: 'an earlier run in a later attempt', runId: 811, attempt: 9, expected: 'updated' },
  ])('in a comment of the old format that shows $situation: $expected', async ({ runId, attempt, expected }) => {
    const own = addComment(ACTIONS_BOT, oldFormat(runId, attempt))
    expect(await put()).toMatchObject({ kind: expected })
    expect(own.body === oldFormat(runId, attempt)).toBe(expected === 'newer_run')
  })

  const OLD = shaOf('main-1')
  test.each([
    { situation: 'the same job, a later run', there: { runId: 813 }, ours: {}, kind: 'newer_run' },
    { situation: 'the same job, a later attempt', there: { attempt: 2 }, ours: {}, kind: 'newer_run' },
    { situation: 'the same job, an earlier attempt', there: { attempt: 1 }, ours: { attempt: 2 }, kind: 'updated' },
    {
      situation: 'another job, a later run of the same commit',
      there: { leg: 'other', runId: 813 },
      ours: {},
      kind: 'updated',
    },
    {
      situation: 'another job, a later run of a later commit',
      there: { leg: 'other', runId: 813 },
      ours: { headSha: OLD },
      kind: 'newer_run',
    },
    {
      situation: 'another job, an earlier run of an earlier commit',
      there: { leg: 'other', runId: 811, headSha: OLD },
      ours: {},
      kind: 'updated',
    },
  ])('$situation: $kind', async ({ there, ours, kind }) => {
    await put({ body: 'there', ...there })
    expect(await put({ body: 'ours', ...ours })).toMatchObject({ kind })
    const bodies = Object.values(shownBy()[0] ?? {})
    expect(bodies.includes('ours')).toBe(kind === 'updated')
    if (kind === 'newer_run') expect(bodies).toEqual(['there'])
  })
})

describe('several jobs share the comment', () => {
  test('each has its section, and an update changes no other', async () => {
    await put({ leg: 'small', body: 'small 1' })
    await put({ leg: 'large', body: 'large 1' })
    await put({ leg: 'small', body: 'small 2', attempt: 2 })
    expect(shownBy()).toEqual([{ large: 'large 1', small: 'small 2' }])
  })

  test('eight that end in the same moment all stay visible, in one comment', async () => {
    const legs = Array.from({ length: 8 }, (_, index) => `leg-${index}`)
    const host = () => fakeHost({ env: { AGENT_TEST_GITHUB_PACE: 'instant' } })
    const outcomes = await Promise.all(legs.map((leg) => put({ leg, body: `body of ${leg}` }, { host: host() })))
    expect(shownBy()).toEqual([Object.fromEntries(legs.map((leg) => [leg, `body of ${leg}`]))])
    const [comment] = commentsBy(ACTIONS_BOT)
    expect(outcomes.map((outcome) => 'id' in outcome && outcome.id)).toEqual(legs.map(() => comment?.id))
  })

  test('what another job covers, because it had read before we wrote, is written again', async () => {
    await put({ leg: 'slow', body: 'slow 1' })
    const stale = commentsBy(ACTIONS_BOT)[0]?.body ?? ''
    let covered = 0
    const host = {
      ...quickHost(),
      async sleep() {
        const [comment] = commentsBy(ACTIONS_BOT)
        if (comment && covered < 2) comment.body = stale
        covered += 1
      },
    }
    expect(await put({ leg: 'quick', body: 'quick 1' }, { host })).toMatchObject({ kind: 'updated', isShared: false })
    expect(shownBy()).toEqual([{ quick: 'quick 1', slow: 'slow 1' }])
    expect(covered).toBe(3)
  })

  test('it gives up where others write all the time, and says so', async () => {
    await put({ leg: 'slow' })
    const stale = commentsBy(ACTIONS_BOT)[0]?.body ?? ''
    const sleep = async () => {
      for (const comment of commentsBy(ACTIONS_BOT)) comment.body = stale
    }
    const attempt = put({ leg: 'quick' }, { host: { ...quickHost(), sleep } })
    await expect(attempt).rejects.toThrow('other jobs wrote to the comment of the pull request all the time')
  })

  test('two that take themselves for the same one are found out', async () => {
    await put({ body: 'one' })
    expect(await put({ body: 'two' })).toMatchObject({ kind: 'updated', isShared: true })
    expect(await put({ body: 'again', attempt: 2 })).toMatchObject({ isShared: false })
  })

  test('a section of the commit before is one line, and is forgotten with the next commit', async () => {
    await put({ leg: 'small', body: 'small 1', headSha: shaOf('main-1') })
    await put({ leg: 'large', body: 'large 1', headSha: shaOf('main-1') })
    await put({ leg: 'small', body: 'small 2', runId: 813 })
    const [large] = readSections(commentsBy(ACTIONS_BOT)[0]?.body ?? '')
    expect(large).toMatchObject({ title: 'large', alert: 'NOTE', body: '' })
    expect(large?.line).toBe(`Not reported yet for this commit. For \`${shaOf('main-1').slice(0, 7)}\`: line of large`)
    await put({ leg: 'third', body: 'third 2', runId: 813 })
    expect(shownBy()).toEqual([{ large: '', small: 'small 2', third: 'third 2' }])
    await put({ leg: 'small', body: 'small 3', runId: 814, headSha: shaOf('main-2') })
    expect(shownBy()).toEqual([{ small: 'small 3', third: '' }])
  })

  test('long sections share the room, and none is lost', async () => {
    const legs = ['one', 'two', 'three']
    for (const leg of legs) await put({ leg, body: leg.repeat(30_000) })
    expect(commentsBy(ACTIONS_BOT)[0]?.body.length).toBeLessThanOrEqual(COMMENT_LIMIT)
    expect(Object.keys(shownBy()[0] ?? {}).sort()).toEqual(legs.toSorted())
  })

  test.each([
    ['by hand', (body: string) => body.replace('of the leg', 'of Mallory')],
    ['by an editor that changes line breaks', (body: string) => body.replaceAll('\n', '\r\n')],
  ])('a section that was changed %s is dropped or read, and never believed', async (_, change) => {
    await put({ leg: 'leg', body: 'line 1 of the leg\nline 2' })
    const [comment] = commentsBy(ACTIONS_BOT)
    if (comment) comment.body = change(comment.body)
    await put({ leg: 'other', body: 'other' })
    expect(JSON.stringify(shownBy())).not.toContain('Mallory')
    expect(Object.keys(shownBy()[0] ?? {})).toContain('other')
  })
})

describe('hostile text in a section', () => {
  async function forgery(): Promise<string> {
    await put({ leg: 'victim', body: 'forged: passed', runId: 900 })
    const lines = commentsBy(ACTIONS_BOT)[0]?.body.split('\n') ?? []
    github.state.comments.length = 0
    return lines.join('\n')
  }

  test('cannot forge the section of another job, though it is a whole comment of ours', async () => {
    const body = `before\n${await forgery()}\nafter`
    await put({ leg: 'victim', body: 'red' })
    await put({ leg: 'hostile', body, title: `hostile\n${body}` })
    await put({ leg: 'third', body: 'third' })
    const found = readSections(commentsBy(ACTIONS_BOT)[0]?.body ?? '')
    expect(found.map((section) => section.origin.runId)).toEqual([812, 812, 812])
    expect(found.find(({ title }) => title === 'victim')?.body).toBe('red')
  })

  test('is not believed either when the section around it is spoilt', async () => {
    const body = `before\n${await forgery()}\nafter`
    await put({ leg: 'victim', body: 'red' })
    await put({ leg: 'hostile', body })
    const [comment] = commentsBy(ACTIONS_BOT)
    if (comment) comment.body = comment.body.replace('before', 'BEFORE')
    await put({ leg: 'third', body: 'third' })
    expect(
      readSections(comment?.body ?? '')
        .map(({ title }) => title)
        .sort(),
    ).toEqual(['third', 'victim'])
    expect(shownBy()[0]?.['victim']).toBe('red')
  })
})

describe('when GitHub fails', () => {
  test('a post that was taken but answered 502 is not repeated', async () => {
    github.fail({ method: 'POST', path: /comments$/, failure: { status: 502 }, carriedOut: true })
    expect(await put()).toMatchObject({ kind: 'created' })
    expect(commentsBy(ACTIONS_BOT)).toHaveLength(1)
    expect(github.requests.filter(({ method }) => method === 'POST')).toHaveLength(1)
  })

  test('a post that was not taken is tried again', async () => {
    github.fail({ method: 'POST', path: /comments$/, failure: { status: 502 } })
    github.fail({ method: 'POST', path: /comments$/, failure: 'reset' })
    expect(await put()).toMatchObject({ kind: 'created' })
    expect(commentsBy(ACTIONS_BOT)).toHaveLength(1)
  })

  test('it gives up after three tries, and says what was tried', async () => {
    github.fail({
      method: 'POST',
      path: /comments$/,
      times: 9,
      failure: { status: 503, message: 'No server is available' },
    })
    const attempt = put()
    await expect(attempt).rejects.toThrow(
      'could not comment on the pull request: GitHub answered 503 (No server is available)',
    )
    await expect(attempt).rejects.toMatchObject({ code: 'GITHUB_UNAVAILABLE' })
    expect(github.requests.filter(({ method }) => method === 'POST')).toHaveLength(3)
  })

  test.each([
    { situation: 'a 502', failure: { status: 502 } },
    { situation: 'a connection that breaks', failure: 'reset' as const },
    {
      situation: 'a secondary limit',
      failure: { status: 403, message: 'You have exceeded a secondary rate limit.', headers: { 'retry-after': '1' } },
    },
  ])('an update after $situation is made anew, with what others wrote in between', async ({ failure }) => {
    await put({ leg: 'other', body: 'other 1' })
    github.fail({ method: 'PATCH', path: /comments\/\d+$/, failure })
    let slept = 0
    const host = {
      ...quickHost(),
      async sleep() {
        slept += 1
        if (slept === 1) await put({ leg: 'other', body: 'other 2', attempt: 2 })
      },
    }
    expect(await put({ leg: 'ours', body: 'ours' }, { host })).toMatchObject({ kind: 'updated' })
    expect(shownBy()).toEqual([{ other: 'other 2', ours: 'ours' }])
  })

  test.each([
    { situation: 'outage', failure: { status: 500 }, tries: 3 },
    { situation: 'expired token', failure: { status: 401, message: 'Bad credentials' }, tries: 1 },
  ])('an update is given up after $tries tries: $situation', async ({ failure, tries }) => {
    await put({ leg: 'other' })
    github.fail({ method: 'PATCH', path: /comments/, times: 9, failure })
    await expect(put()).rejects.toThrow('could not comment on the pull request')
    expect(github.requests.filter(({ method }) => method === 'PATCH')).toHaveLength(tries)
  })

  test('a comment that somebody deletes in between is posted anew', async () => {
    await put()
    let slept = 0
    const host = {
      ...quickHost(),
      async sleep() {
        slept += 1
        if (slept === 1) github.state.comments.splice(0)
      },
    }
    expect(await put({ attempt: 2, body: 'new' }, { host })).toMatchObject({ kind: 'created' })
    expect(shownBy()).toEqual([{ agent: 'new' }])
  })

  test('reading is repeated by itself', async () => {
    github.fail({ method: 'GET', path: /comments$/, times: 2, failure: { status: 500 } })
    expect(await put()).toMatchObject({ kind: 'created' })
  })

  test('a read-only token is a matter of permission', async () => {
    const error = await put({}, { rights: READ_ONLY }).catch((thrown: unknown) => thrown)
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

  test.each([
    '<!-- agent-test-section e30= -->',
    '<!-- agent-test-section  -->',
    '<!-- agent-test-section AAAA -->',
    '<!-- agent-test-section !!!! -->',
    `<!-- agent-test-section ${Buffer.from('{"leg":"x"}').toString('base64')} -->`,
    '<!-- agent-test-section '.repeat(5_000),
  ])('%j is no section', (body) => {
    expect(readSections(body)).toEqual([])
  })
})

test('more sections than a comment can hold are refused with the cure, and what is there stays', async () => {
  const { client, host } = await open(github)
  const hiding: StickyComment['compose'] = (sections, { chars, marks }) =>
    sections
      .map((section) => `${marks(section, '').before}\n`)
      .join('')
      .slice(0, chars < COMMENT_LIMIT && sections.length > 2 ? 500 : chars)
  for (const leg of ['one', 'two'])
    await putStickyComment(client, host, { ...sticky({ leg, body: '' }), compose: hiding })
  const [before] = commentsBy(ACTIONS_BOT).map(({ body }) => body)
  const attempt = putStickyComment(client, host, { ...sticky({ leg: 'zzz', body: '' }), compose: hiding })
  await expect(attempt).rejects.toMatchObject({
    message: 'the comment of the pull request has no room for section 3',
    problems: [{ hint: 'give some of the jobs another comment-key' }],
  })
  expect(commentsBy(ACTIONS_BOT)[0]?.body).toBe(before)
})
