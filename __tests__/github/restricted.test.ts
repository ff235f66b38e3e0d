import { describe, expect, test } from 'vitest'
import type { Problem } from '../../src/core/errors.ts'
import { type GitHubContext, withheldFrom } from '../../src/github/index.ts'

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

const secret: Problem = { message: 'the environment variable KEY is empty', unset: 'KEY' }
const mistake: Problem = { message: 'unknown field' }

describe('the tests are skipped where GitHub withholds secrets and nothing else is wrong', () => {
  test.each([
    { situation: 'a fork', change: { isFork: true }, problems: [secret], expected: 'fork' },
    { situation: 'Dependabot', change: { isDependabot: true }, problems: [secret], expected: 'dependabot' },
    {
      situation: 'a push by Dependabot',
      change: { isDependabot: true, eventName: 'push' },
      problems: [secret],
      expected: 'dependabot',
    },
    { situation: 'several secrets', change: { isFork: true }, problems: [secret, secret], expected: 'fork' },
    { situation: 'a normal pull request', change: {}, problems: [secret], expected: undefined },
    { situation: 'a push', change: { eventName: 'push' }, problems: [secret], expected: undefined },
    {
      situation: 'a fork in a run that has the secrets of the base',
      change: { isFork: true, eventName: 'pull_request_target' },
      problems: [secret],
      expected: undefined,
    },
    {
      situation: 'a report on the run of a fork',
      change: { isFork: true, eventName: 'workflow_run' },
      problems: [secret],
      expected: undefined,
    },
    { situation: 'a fork with a mistake', change: { isFork: true }, problems: [mistake], expected: undefined },
    {
      situation: 'a fork without secrets and with a mistake',
      change: { isFork: true },
      problems: [secret, mistake],
      expected: undefined,
    },
    { situation: 'a fork whose failure names no problem', change: { isFork: true }, problems: [], expected: undefined },
  ])('$situation: $expected', ({ change, problems, expected }) => {
    expect(withheldFrom(problems, { ...context, ...change })).toBe(expected)
  })
})
