import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Change } from '../../src/core/comparison.ts'
import type { Report } from '../../src/core/report.ts'
import { createDenials, type Denials, type GitHubContext } from '../../src/github/index.ts'
import { isCommentDue, type JobSection, prComment } from '../../src/reporters/pr-comment.ts'
import { open, READ_ONLY, shaOf, startWorld } from '../github/world.ts'
import { aCaseReport, aReport, failedOutcome, loadedBaseline, mixed, passes, someRuns } from '../support/builders.ts'
import type { FakeHost } from '../support/fake-host.ts'
import type { GitHub } from '../support/github/server.ts'

let github: GitHub

beforeEach(async () => {
  github = await startWorld()
})

afterEach(async () => {
  expect(github.violations).toEqual([])
  await github.close()
})

const green = () => aReport()
const red = () => aReport({ cases: [aCaseReport({ runs: someRuns(mixed(1, 2)) })] })

interface Published {
  readonly host: FakeHost
  readonly denials: Denials
  readonly published: readonly { readonly id: number; readonly url: string }[]
}

const SECTION: JobSection = { leg: 'agent', title: 'agent' }

type Mode = Parameters<typeof prComment>[0]['mode']

async function publish(
  report: Report,
  {
    mode = 'always',
    context = {},
    rights,
    key = 'default',
    section = SECTION,
    fails = [],
  }: {
    mode?: Mode
    context?: Partial<GitHubContext>
    rights?: Parameters<GitHub['issueToken']>[0]
    key?: string
    section?: JobSection
    fails?: readonly Parameters<GitHub['fail']>[0][]
  } = {},
): Promise<Published> {
  const opened = await open(github, { context, ...(rights ? { rights } : {}) })
  for (const fault of fails) github.fail(fault)
  const denials = createDenials(opened.context)
  const published: { id: number; url: string }[] = []
  const reporter = prComment({
    ...opened,
    denials,
    mode,
    key,
    section,
    heading: 'Agent tests · support-bot',
    links: { runUrl: 'https://github.com/acme/bot/actions/runs/812', headSha: shaOf('head') },
    onPublished: (comment) => published.push(comment),
  })
  await reporter.onEnd?.(report)
  return { host: opened.host, denials, published }
}

const bodies = () => github.state.comments.map(({ body }) => body)

test('the comment holds marker, run, heading and verdict, and its address is told', async () => {
  const { published, host } = await publish(red())
  const [body = ''] = bodies()
  expect(body.split('\n').slice(0, 3)).toEqual([
    '<!-- agent-test:default -->',
    `<!-- agent-test-data head=${shaOf('head')} run=900000 attempt=1 -->`,
    '### Agent tests · support-bot',
  ])
  expect(body).toContain('greet-01')
  expect(published).toEqual([{ id: github.state.comments[0]?.id, url: expect.stringContaining('#issuecomment-') }])
  expect(host.warnings).toEqual([])
})

describe('a new comment', () => {
  const change = (kind: Change['kind']) => ({ kind, key: 'a' }) as Change
  const verdict = (passed: boolean): Report['verdict'] => ({
    passed,
    conclusion: passed ? 'success' : 'failure',
    exitReason: passed ? 'passed' : 'failed',
    reasons: [],
    notes: [],
  })
  test.each([
    { mode: 'always', passed: true, changes: [], due: true },
    { mode: 'always', passed: false, changes: [], due: true },
    { mode: 'changes', passed: true, changes: [], due: false },
    { mode: 'changes', passed: true, changes: ['unchanged'], due: false },
    { mode: 'changes', passed: true, changes: ['not_judged'], due: false },
    { mode: 'changes', passed: true, changes: ['unchanged', 'improved'], due: true },
    { mode: 'changes', passed: true, changes: ['dropped'], due: true },
    { mode: 'changes', passed: true, changes: ['regressed'], due: true },
    { mode: 'changes', passed: true, changes: ['new'], due: true },
    { mode: 'changes', passed: true, changes: ['removed'], due: true },
    { mode: 'changes', passed: false, changes: [], due: true },
    { mode: 'failures', passed: true, changes: ['improved', 'dropped'], due: false },
    { mode: 'failures', passed: false, changes: [], due: true },
    { mode: 'off', passed: false, changes: ['regressed'], due: false },
  ] as const)(
    'in mode $mode after a verdict passed=$passed with changes $changes: $due',
    ({ mode, passed, changes, due }) => {
      expect(isCommentDue(mode, { verdict: verdict(passed), changes: changes.map(change) })).toBe(due)
    },
  )
})

describe('a comment that is there', () => {
  test.each(['changes', 'failures'] as const)(
    'is brought up to date in mode %s when the cause is gone',
    async (mode) => {
      await publish(red(), { mode })
      expect(bodies()).toHaveLength(1)
      await publish(green(), { mode, context: { runId: 900_001 } })
      expect(bodies()).toHaveLength(1)
      expect(bodies()[0]).not.toContain('[!WARNING]')
      expect(bodies()[0]).toContain('run=900001')
    },
  )

  test('is left alone in mode off', async () => {
    await publish(red())
    const before = bodies()
    await publish(green(), { mode: 'off', context: { runId: 900_001 } })
    expect(bodies()).toEqual(before)
  })

  test('of a later run is left as it is, which is said', async () => {
    await publish(green(), { context: { runId: 900_005 } })
    const { host, published } = await publish(red(), { context: { runId: 900_004 } })
    expect(bodies()[0]).toContain('run=900005')
    expect(host.infos).toEqual(['The comment on pull request 1 shows a later run already and was left as it is.'])
    expect(published).toEqual([])
  })
})

test.each([{ mode: 'changes' as const }, { mode: 'failures' as const }])(
  'a green report without a comment stays without one in mode $mode',
  async ({ mode }) => {
    const { host } = await publish(green(), { mode })
    expect(bodies()).toEqual([])
    expect([...host.infos, ...host.warnings]).toEqual([])
  },
)

test('without a pull request nothing happens, silently', async () => {
  const opened = await open(github)
  const { prNumber: _prNumber, ...context } = opened.context
  const reporter = prComment({
    ...opened,
    context,
    denials: createDenials(context),
    mode: 'always',
    key: 'default',
    section: SECTION,
    heading: 'Agent tests',
    links: {},
  })
  await reporter.onEnd?.(red())
  expect(github.requests).toEqual([])
  expect([...opened.host.infos, ...opened.host.warnings]).toEqual([])
})

test('a report of any size is a comment that GitHub takes', async () => {
  const failure = failedOutcome(`expected "${'lorem ipsum '.repeat(300)}"`)
  const cases = Array.from({ length: 400 }, (_, index) =>
    aCaseReport({ id: `case-${index}`, input: 'x'.repeat(3_000), runs: someRuns(mixed(1, 2, failure)) }),
  )
  const { host } = await publish(
    aReport({ cases, loaded: loadedBaseline(cases.map((item) => ({ ...item, runs: someRuns(passes(3)) }))) }),
  )
  expect(bodies()).toHaveLength(1)
  expect(bodies()[0]?.length).toBeLessThanOrEqual(65_536)
  expect(bodies()[0]?.length).toBeGreaterThan(30_000)
  expect(host.warnings).toEqual([])
})

test('a secret that slipped into the report does not reach the comment', async () => {
  const { client, context, host } = await open(github)
  host.secrets.add('hunter2-hunter2')
  const cases = [aCaseReport({ runs: someRuns(mixed(0, 3, failedOutcome('got hunter2-hunter2'))) })]
  const links = {}
  await prComment({
    client,
    context,
    host,
    denials: createDenials(context),
    mode: 'always',
    key: 'k',
    section: SECTION,
    heading: 'h',
    links,
  }).onEnd?.(aReport({ cases }))
  expect(bodies()[0]).not.toContain('hunter2-hunter2')
  expect(bodies()[0]).toContain('got')
})

describe('several jobs in one comment', () => {
  const leg = (name: string): JobSection => ({ leg: name, title: name, label: name })

  test('one alone has its label in the heading', async () => {
    await publish(green(), { section: leg('gpt-4o, linux') })
    expect(bodies()[0]).toContain('### Agent tests · support-bot · gpt-4o, linux\n')
  })

  test('each has a section, the comment is as bad as the worst, and a green one hides nothing', async () => {
    await publish(red(), { section: leg('large') })
    await publish(green(), { section: leg('small') })
    const [body = '', ...others] = bodies()
    expect(others).toEqual([])
    expect(body).toContain('### Agent tests · support-bot\n')
    expect(body).toContain('[!WARNING]')
    expect(body).toContain('1 of 2 sections failed')
    expect(body.indexOf('large')).toBeLessThan(body.indexOf('small'))
    await publish(green(), { section: leg('large'), context: { runAttempt: 2 } })
    expect(bodies()).toHaveLength(1)
    expect(bodies()[0]).toContain('2 sections, none failed')
    expect(bodies()[0]).not.toContain('[!WARNING]')
  })

  test('twelve of any size are a comment that GitHub takes, with every verdict in it', async () => {
    const cases = Array.from({ length: 40 }, (_, index) =>
      aCaseReport({ id: `case-${index}`, runs: someRuns(mixed(1, 2, failedOutcome('lorem ipsum '.repeat(200)))) }),
    )
    const names = Array.from({ length: 12 }, (_, index) => `leg-${index}`)
    for (const name of names) await publish(aReport({ cases }), { section: leg(name) })
    expect(bodies()).toHaveLength(1)
    expect(bodies()[0]?.length).toBeLessThanOrEqual(65_536)
    for (const name of names) expect(bodies()[0]).toContain(`| ${name} | `)
    expect(bodies()[0]?.match(/<details/g)?.length ?? 0).toBe(bodies()[0]?.match(/<\/details>/g)?.length ?? 0)
  })

  test('two with one section are told to take one each', async () => {
    await publish(red(), { section: leg('large') })
    const { host } = await publish(green(), { section: leg('large') })
    expect(host.warnings).toEqual([
      'Another job or step of this workflow run writes the same section of the comment "default", and only the last report stays. Give every one its own "section".',
    ])
  })

  test('a refusal is a section like a report', async () => {
    await publish(green(), { section: leg('small') })
    const opened = await open(github)
    const reporter = prComment({
      ...opened,
      denials: createDenials(opened.context),
      mode: 'always',
      key: 'default',
      section: leg('large'),
      heading: 'Agent tests',
      links: {},
    })
    await reporter.onRefusal?.({ cause: 'mistakes', problems: [{ file: 'a.jsonl', line: 3, message: 'no assertion' }] })
    expect(bodies()[0]).toContain('1 of 2 sections failed')
    expect(bodies()[0]).toContain('no assertion')
    expect(bodies()[0]).toContain('**Not run:**')
  })
})

describe('what GitHub refuses', () => {
  test('a read-only token is told once at the end, and the verdict stands', async () => {
    const { host, denials } = await publish(red(), { rights: READ_ONLY, context: { isFork: true } })
    expect(host.warnings).toEqual([])
    expect(denials.describe()).toContain('may not write comments')
    expect(denials.missing()).toEqual(['comments (the token lacks pull-requests: write)'])
  })

  test('an outage is a warning', async () => {
    const fails = [{ path: /comments$/, times: 9, failure: { status: 503 } }]
    const { host, denials } = await publish(red(), { fails })
    expect(denials.missing()).toEqual([
      'comments (could not read the comments of the pull request: GitHub answered 503 (Server Error))',
    ])
    expect(host.warnings).toEqual([
      'GitHub did not take the comments: could not read the comments of the pull request: GitHub answered 503 (Server Error)',
    ])
  })
})
