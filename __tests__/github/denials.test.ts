import { describe, expect, test } from 'vitest'
import { UserError } from '../../src/core/errors.ts'
import { createDenials, type GitHubContext, tellFailure } from '../../src/github/index.ts'
import { fakeHost } from '../support/fake-host.ts'

const context: GitHubContext = {
  owner: 'acme',
  repo: 'bot',
  serverUrl: 'https://github.com',
  apiUrl: 'https://api.github.com',
  eventName: 'pull_request',
  runId: 812,
  runAttempt: 1,
  isFork: false,
  isDependabot: false,
}

const refusal = (status: number, code: UserError['code'] = 'GITHUB_PERMISSION') =>
  new UserError('refused', { code, hint: 'do this', cause: Object.assign(new Error('no'), { status }) })

const CURE =
  'Give the job "permissions:" with "contents: read", "actions: read", "checks: write", "pull-requests: write".'

describe('refusals of a read-only token become one sentence', () => {
  test.each([
    { situation: 'of this repository: the permissions block', change: {}, expected: CURE },
    {
      situation: 'of a fork: the second workflow, because no permissions block helps',
      change: { isFork: true },
      expected: 'GitHub gives a pull request from a fork a read-only token',
    },
    {
      situation: 'of Dependabot: the same',
      change: { isDependabot: true },
      expected: 'GitHub gives a run that Dependabot started a read-only token',
    },
    {
      situation: 'of a fork whose workflow runs with the rights of the base: the permissions block',
      change: { isFork: true, eventName: 'pull_request_target' },
      expected: CURE,
    },
    {
      situation: 'of a run that a comment started, which has the rights of the base too: the permissions block',
      change: { isFork: true, eventName: 'issue_comment' },
      expected: CURE,
    },
  ])('$situation', ({ change, expected }) => {
    const denials = createDenials({ ...context, ...change })
    denials.add('check runs', 'checks: write')
    denials.add('comments', 'pull-requests: write')
    denials.add('comments', 'pull-requests: write')
    expect(denials.describe()).toContain(expected)
    expect(denials.describe()).toContain('may not write check runs and comments')
  })

  test('and no sentence when nothing was refused', () => {
    expect(createDenials(context).describe()).toBeUndefined()
  })
})

describe('a failure of a destination', () => {
  test.each([
    { situation: 'a read-only token is collected', error: refusal(403), denied: true, warned: 0 },
    { situation: 'a write that GitHub hides is collected', error: refusal(404), denied: true, warned: 0 },
    { situation: 'a bad token is its own warning', error: refusal(401), denied: false, warned: 1 },
    { situation: 'an outage is its own warning', error: refusal(503, 'GITHUB_UNAVAILABLE'), denied: false, warned: 1 },
  ])('$situation', ({ error, denied, warned }) => {
    const host = fakeHost()
    const denials = createDenials(context)
    tellFailure(error, { what: 'comments', needs: 'pull-requests: write', denials, host })
    expect(denials.describe() !== undefined).toBe(denied)
    expect(host.warnings).toEqual(warned === 0 ? [] : ['GitHub did not take the comments: refused; do this'])
  })

  test('that is a bug goes on', () => {
    const denials = createDenials(context)
    const bug = new TypeError('undefined is not a function')
    const tell = () => tellFailure(bug, { what: 'comments', needs: 'x: write', denials, host: fakeHost() })
    expect(tell).toThrow(bug)
  })
})
