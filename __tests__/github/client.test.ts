import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { UserError } from '../../src/core/errors.ts'
import { describeFailure, openGitHub } from '../../src/github/index.ts'
import { fakeHost } from '../support/fake-host.ts'
import type { GitHub } from '../support/github/server.ts'
import { ALL_RIGHTS, open, pullContext, quickHost, startWorld } from './world.ts'

let github: GitHub

beforeEach(async () => {
  github = await startWorld()
})

afterEach(async () => {
  expect(github.violations).toEqual([])
  await github.close()
})

const READING = { action: 'read the repository', needs: 'contents: read' }

async function readRepository(host = quickHost()): Promise<unknown> {
  const { client } = await open(github, { host })
  return await client.ask(READING, () => client.rest.repos.get(client.repository))
}

const secondsFromNow = (seconds: number) => `${Math.ceil(Date.now() / 1_000) + seconds}`

describe('opening', () => {
  test.each([undefined, '', '  '])('without a token (%j) is an error with a cure', async (token) => {
    const attempt = openGitHub(pullContext(github), token, quickHost())
    await expect(attempt).rejects.toMatchObject({ code: 'GITHUB_PERMISSION' })
    await expect(attempt).rejects.toThrow('there is no token for GitHub')
  })

  test('makes the token a secret', async () => {
    const host = quickHost()
    const token = github.issueToken(ALL_RIGHTS)
    await openGitHub(pullContext(github), token, host)
    expect(host.secrets.redact(`Bearer ${token}`)).not.toContain(token)
  })

  test('sends nothing', async () => {
    await open(github)
    expect(github.requests).toEqual([])
  })
})

describe('the author', () => {
  test('of a personal token is its user', async () => {
    const { client } = await open(github, { actor: { id: 5, login: 'carol', type: 'User' } })
    expect(await client.author()).toEqual({ login: 'carol', isCertain: true })
  })

  test("of a workflow's token is its bot, without a request that GitHub would refuse", async () => {
    const { client } = await open(github)
    expect(await client.author()).toEqual({ login: 'github-actions[bot]', isCertain: false })
    expect(github.requests).toEqual([])
  })

  test('of an app is certain as soon as an answer names the app', async () => {
    const { client } = await open(github)
    client.sawApp('acme-checks')
    expect(await client.author()).toEqual({ login: 'acme-checks[bot]', isCertain: true })
  })
})

describe('an answer that is no success', () => {
  test.each([
    {
      situation: 'a bad token',
      failure: { status: 401, message: 'Bad credentials' },
      code: 'GITHUB_PERMISSION',
      text: 'could not read the repository: GitHub answered 401 (Bad credentials); github-token is not valid or has expired',
    },
    {
      situation: 'a right that is missing',
      failure: { status: 403, message: 'Resource not accessible by integration' },
      code: 'GITHUB_PERMISSION',
      text: 'could not read the repository: GitHub answered 403 (Resource not accessible by integration); give the job "permissions:" with "contents: read"',
    },
    {
      situation: 'a locked conversation',
      failure: { status: 403, message: 'Unable to create comment because issue is locked.' },
      code: 'GITHUB_UNAVAILABLE',
      text: 'could not read the repository: GitHub answered 403 (Unable to create comment because issue is locked.)',
    },
    {
      situation: 'something that is not there',
      failure: { status: 404, message: 'Not Found' },
      code: 'GITHUB_UNAVAILABLE',
      text: 'could not read the repository: GitHub answered 404 (Not Found)',
    },
    {
      situation: 'a used-up rate limit that ends in an hour',
      failure: {
        status: 403,
        message: 'API rate limit exceeded for installation.',
        headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': secondsFromNow(3_600) },
      },
      code: 'GITHUB_UNAVAILABLE',
      text: 'could not read the repository: GitHub answered 403 (API rate limit exceeded for installation.); the rate limit of the token is used up; run the job again later',
    },
  ])('$situation', async ({ failure, code, text }) => {
    github.fail({ path: /./, failure })
    const error = await readRepository().catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(UserError)
    if (!(error instanceof UserError)) return
    expect({ code: error.code, text: describeFailure(error) }).toEqual({ code, text })
    expect(github.requests).toHaveLength(1)
  })

  test('a 5xx is tried four times in all', async () => {
    github.fail({ path: /./, times: 9, failure: { status: 502, message: 'Bad Gateway' } })
    await expect(readRepository()).rejects.toMatchObject({ code: 'GITHUB_UNAVAILABLE' })
    expect(github.requests).toHaveLength(4)
  })

  test('a connection that breaks is named as such', async () => {
    github.fail({ path: /./, times: 9, failure: 'reset' })
    await expect(readRepository()).rejects.toThrow(/^could not read the repository: GitHub was not reached \(/)
  })

  test('an answer that breaks off is asked for again, and never taken for an empty one', async () => {
    github.fail({ path: /./, failure: 'cut' })
    await expect(readRepository()).resolves.toMatchObject({ data: { id: github.state.repository.id } })
    expect(github.requests).toHaveLength(2)
    github.fail({ path: /./, times: 9, failure: 'cut' })
    await expect(readRepository()).rejects.toThrow(/^could not read the repository: GitHub was not reached \(/)
  })

  test("hostile words in GitHub's answer lose their teeth", async () => {
    github.fail({ path: /./, failure: { status: 403, message: 'no\n::error::\u001b[31mpwned\u001b[0m' } })
    await expect(readRepository()).rejects.toThrow('GitHub answered 403 (no ::error::pwned)')
  })

  test('what is no answer at all goes on unchanged', async () => {
    const { client } = await open(github)
    const bug = new RangeError('a bug')
    await expect(client.ask(READING, () => Promise.reject(bug))).rejects.toBe(bug)
  })
})

describe('a wait that GitHub asks for', () => {
  test.each([
    { situation: '403', status: 403 },
    { situation: '429', status: 429 },
  ])('after a secondary limit ($situation) is kept', async ({ status }) => {
    const message = 'You have exceeded a secondary rate limit. Please wait.'
    github.fail({ path: /./, failure: { status, message, headers: { 'retry-after': '1' } } })
    const start = Date.now()
    await expect(readRepository(fakeHost())).resolves.toMatchObject({ status: 200 })
    expect(Date.now() - start).toBeGreaterThanOrEqual(950)
    expect(github.requests.map(({ status: answered }) => answered)).toEqual([status, 200])
  })

  test('is not kept when it is longer than a minute', async () => {
    const message = 'You have exceeded a secondary rate limit.'
    github.fail({ path: /./, failure: { status: 403, message, headers: { 'retry-after': '61' } } })
    await expect(readRepository()).rejects.toMatchObject({ code: 'GITHUB_UNAVAILABLE' })
  })

  test('is kept twice at most', async () => {
    const message = 'You have exceeded a secondary rate limit.'
    github.fail({ path: /./, times: 9, failure: { status: 429, message, headers: { 'retry-after': '1' } } })
    await expect(readRepository()).rejects.toMatchObject({ code: 'GITHUB_UNAVAILABLE' })
    expect(github.requests).toHaveLength(3)
  })
})

test('writes are spaced as GitHub asks, unless the pace says otherwise', async () => {
  const comment = { issue_number: 1, body: 'x' }
  const timeOf = async (host: ReturnType<typeof quickHost>) => {
    const { client } = await open(github, { host })
    const start = Date.now()
    for (let n = 0; n < 2; n += 1) await client.rest.issues.createComment({ ...client.repository, ...comment })
    return Date.now() - start
  }
  expect(await timeOf(quickHost())).toBeLessThan(2_500)
  expect(await timeOf(fakeHost())).toBeGreaterThanOrEqual(2_900)
})
