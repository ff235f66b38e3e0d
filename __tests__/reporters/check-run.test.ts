import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Report } from '../../src/core/report.ts'
import { createDenials, type Denials, type GitHubContext, type PublishedCheckRun } from '../../src/github/index.ts'
import { checkRun } from '../../src/reporters/check-run.ts'
import { open, READ_ONLY, shaOf, startWorld } from '../github/world.ts'
import { aCaseReport, aReport, failedOutcome, mixed, passes, someRuns } from '../support/builders.ts'
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

function redCases(count: number, file = 'tests/support.jsonl') {
  return Array.from({ length: count }, (_, index) =>
    aCaseReport({ id: `case-${index + 1}`, location: { file, line: index + 1 }, runs: someRuns(mixed(1, 2)) }),
  )
}

interface Outcome {
  readonly host: FakeHost
  readonly denials: Denials
  readonly published: readonly PublishedCheckRun[]
  readonly fellBack: readonly Report[]
}

async function publish(
  report: Report,
  {
    maxAnnotations = 50,
    rights,
    context = {},
    pathOf = (file) => file,
    fails = [],
  }: {
    maxAnnotations?: number
    rights?: Parameters<GitHub['issueToken']>[0]
    context?: Partial<GitHubContext>
    pathOf?: (file: string) => string | undefined
    fails?: readonly Parameters<GitHub['fail']>[0][]
  } = {},
): Promise<Outcome> {
  const opened = await open(github, { context, ...(rights ? { rights } : {}) })
  for (const fault of fails) github.fail(fault)
  const denials = createDenials(opened.context)
  const [published, fellBack]: [PublishedCheckRun[], Report[]] = [[], []]
  const reporter = checkRun({
    ...opened,
    denials,
    name: 'Agent tests',
    heading: 'Agent tests',
    links: {},
    maxAnnotations,
    pathOf,
    fallback: { name: 'fallback', onEnd: (given) => void fellBack.push(given) },
    onPublished: (check) => published.push(check),
  })
  await reporter.onEnd?.(report)
  return { host: opened.host, denials, published, fellBack }
}

const writes = () =>
  github.requests.filter(({ method }) => method !== 'GET').map(({ method, status }) => `${method} ${status}`)

describe('the check run', () => {
  test('stands on the tested commit, completed, with the verdict as its title', async () => {
    const report = aReport({ cases: redCases(1) })
    const { published, fellBack, host } = await publish(report)
    expect(github.state.checkRuns).toEqual([
      expect.objectContaining({
        name: 'Agent tests',
        headSha: shaOf('head'),
        status: 'completed',
        conclusion: 'failure',
        startedAt: report.startedAt,
        completedAt: report.finishedAt,
        detailsUrl: 'https://github.com/acme/bot/actions/runs/900000',
        title: expect.stringMatching(/^Failed: \S*case-1 passed 1\/3 /),
        annotations: [
          expect.objectContaining({
            path: 'tests/support.jsonl',
            start_line: 1,
            end_line: 1,
            annotation_level: 'failure',
          }),
        ],
      }),
    ])
    expect(published).toEqual([
      { id: github.state.checkRuns[0]?.id, url: expect.stringContaining('https://github.com/') },
    ])
    expect(fellBack).toEqual([])
    expect(host.warnings).toEqual([])
  })

  test.each([
    {
      situation: 'a pass',
      report: () => aReport(),
      conclusion: 'success',
      title: /^Passed: .+/,
    },
    {
      situation: 'a failure',
      report: () => aReport({ cases: redCases(2) }),
      conclusion: 'failure',
      title: /^Failed: .*\(and 1 more reason\)$/,
    },
    {
      situation: 'an interruption, which proves nothing either way',
      report: () => aReport({ interrupted: true, plannedRuns: 9 }),
      conclusion: 'cancelled',
      title: /interrupted after 3 of 9 runs$/,
    },
  ])('says $conclusion after $situation', async ({ report, conclusion, title }) => {
    await publish(report())
    const [check] = github.state.checkRuns
    expect(check?.conclusion).toBe(conclusion)
    expect(check?.title).toMatch(title)
  })

  test('of a second attempt is a new one, so that no old annotation stays', async () => {
    await publish(aReport({ cases: redCases(2) }))
    await publish(aReport(), { context: { runAttempt: 2 } })
    expect(github.state.checkRuns.map(({ conclusion, annotations }) => [conclusion, annotations.length])).toEqual([
      ['failure', 2],
      ['success', 0],
    ])
  })

  test('of a report of any size is one that GitHub takes', async () => {
    const failure = failedOutcome(`expected ${'lorem ipsum '.repeat(2_000)}`)
    const cases = Array.from({ length: 300 }, (_, index) =>
      aCaseReport({
        id: `${'long-'.repeat(80)}${index}`,
        input: 'ä'.repeat(100_000),
        runs: someRuns(mixed(0, 3, failure)),
      }),
    )
    const { host } = await publish(aReport({ cases }), { maxAnnotations: 200 })
    expect(github.state.checkRuns[0]?.annotations).toHaveLength(200)
    // GitHub may count bytes.
    expect(Buffer.byteLength(github.state.checkRuns[0]?.summary ?? '')).toBeLessThanOrEqual(65_535)
    expect(github.state.checkRuns[0]?.summary).toContain('100 of 300 annotations are left out')
    expect(host.warnings).toEqual([])
  })
})

describe('annotations', () => {
  test.each([
    { cases: 50, requests: ['POST 201'] },
    { cases: 51, requests: ['POST 201', 'PATCH 200'] },
    { cases: 130, requests: ['POST 201', 'PATCH 200', 'PATCH 200'] },
  ])('$cases of them are sent fifty at a time', async ({ cases, requests }) => {
    await publish(aReport({ cases: redCases(cases) }), { maxAnnotations: 500 })
    expect(writes()).toEqual(requests)
    const lines = github.state.checkRuns[0]?.annotations.map(({ start_line }) => start_line)
    expect(new Set(lines).size).toBe(cases)
    expect(github.state.checkRuns[0]?.summary).not.toContain('left out')
  })

  test.each([
    { maxAnnotations: 50, shown: 50, note: '80 of 130 annotations are left out: `max-annotations` is 50.' },
    { maxAnnotations: 0, shown: 0, note: '130 of 130 annotations are left out: `max-annotations` is 0.' },
  ])('above $maxAnnotations are left out, which the summary says', async ({ maxAnnotations, shown, note }) => {
    await publish(aReport({ cases: redCases(130) }), { maxAnnotations })
    expect(github.state.checkRuns[0]?.annotations).toHaveLength(shown)
    expect(github.state.checkRuns[0]?.summary).toContain(note)
  })

  test('of suites outside of the checkout have no place, which the summary says', async () => {
    const cases = [...redCases(1), ...redCases(2, '../elsewhere/a.jsonl')]
    await publish(aReport({ cases }), { pathOf: (file) => (file.startsWith('..') ? undefined : `agents/${file}`) })
    const [check] = github.state.checkRuns
    expect(check?.annotations.map(({ path }) => path)).toEqual(['agents/tests/support.jsonl'])
    expect(check?.summary).toContain('2 annotations have no place here: their suites lie outside of the checkout.')
  })

  test('hold neither secrets nor control characters in their titles', async () => {
    const cases = [
      aCaseReport({
        id: 'a\u001b[31m\nb',
        runs: someRuns(mixed(0, 3, failedOutcome('key sk-aaaaaaaaaaaaaaaaaaaaaaaa'))),
      }),
    ]
    const opened = await open(github)
    opened.host.secrets.add('sk-aaaaaaaaaaaaaaaaaaaaaaaa')
    await checkRun({
      ...opened,
      denials: createDenials(opened.context),
      name: 'Agent tests',
      heading: 'Agent tests',
      links: {},
      maxAnnotations: 50,
      pathOf: (file) => file,
      fallback: { name: 'none' },
    }).onEnd?.(aReport({ cases }))
    const text = JSON.stringify(github.state.checkRuns)
    expect(text).not.toContain('sk-aaaa')
    expect(github.state.checkRuns[0]?.annotations[0]?.title).toMatch(/^a b: /)
  })
})

describe('what goes wrong', () => {
  test('a read-only token hands over to the fallback and is told once at the end', async () => {
    const report = aReport({ cases: redCases(1) })
    const { host, denials, fellBack, published } = await publish(report, { rights: READ_ONLY })
    expect(fellBack).toEqual([report])
    expect(published).toEqual([])
    expect(host.warnings).toEqual([])
    expect(denials.describe()).toContain('may not write check runs')
  })

  test('an outage hands over to the fallback, with a warning', async () => {
    const fails = [{ method: 'POST', path: /check-runs$/, times: 9, failure: { status: 500 } }]
    const { host, fellBack } = await publish(aReport({ cases: redCases(1) }), { fails })
    expect(fellBack).toHaveLength(1)
    expect(host.warnings).toEqual([
      'GitHub did not take the check runs: could not create the check run: GitHub answered 500 (Server Error)',
    ])
  })

  test('a create that was answered badly is tried again, and only one check run is left', async () => {
    const fails = [{ method: 'POST', path: /check-runs$/, failure: { status: 502 } }]
    await publish(aReport({ cases: redCases(1) }), { fails })
    expect(github.state.checkRuns).toHaveLength(1)
  })

  test('a create that was carried out though it was answered badly is not repeated', async () => {
    const report = aReport({ cases: redCases(1) })
    const opened = await open(github)
    github.fail({ method: 'POST', path: /check-runs$/, failure: 'reset' })
    // What the lost request left behind shows up while we wait.
    const sleep = async () => {
      const other = await open(github)
      await other.client.rest.checks.create({
        ...other.client.repository,
        name: 'Agent tests',
        head_sha: shaOf('head'),
        external_id: `900000.1 ${report.startedAt}`,
      })
    }
    const options = {
      denials: createDenials(opened.context),
      name: 'Agent tests',
      heading: 'h',
      links: {},
      maxAnnotations: 50,
    }
    const host = { ...opened.host, sleep }
    await checkRun({ ...opened, ...options, host, pathOf: (file) => file, fallback: { name: 'none' } }).onEnd?.(report)
    expect(github.state.checkRuns).toHaveLength(1)
  })

  test('annotations that GitHub does not take leave the check run and a warning', async () => {
    const fails = [{ method: 'PATCH', path: /check-runs/, times: 9, failure: { status: 500 } }]
    const { host, published, fellBack } = await publish(aReport({ cases: redCases(120) }), {
      fails,
      maxAnnotations: 200,
    })
    expect(published).toHaveLength(1)
    expect(fellBack).toEqual([])
    expect(host.warnings).toEqual([expect.stringMatching(/^70 annotations are missing from the check run: .*500/)])
  })

  test('an update that was answered badly is tried again without doubling its annotations', async () => {
    const fails = [{ method: 'PATCH', path: /check-runs/, failure: { status: 502 } }]
    await publish(aReport({ cases: redCases(60) }), { fails, maxAnnotations: 200 })
    expect(github.state.checkRuns[0]?.annotations).toHaveLength(60)
  })

  test('what is missing is told at the end, too', async () => {
    const fails = [{ method: 'PATCH', path: /check-runs/, times: 9, failure: { status: 500 } }]
    const { denials } = await publish(aReport({ cases: redCases(120) }), { fails, maxAnnotations: 200 })
    expect(denials.missing()).toEqual([expect.stringMatching(/^70 annotations of the check run \(.*500/)])
  })

  test('without a commit there is only the fallback', async () => {
    const opened = await open(github)
    const { headSha: _headSha, ...context } = opened.context
    const fellBack: Report[] = []
    await checkRun({
      ...opened,
      context,
      denials: createDenials(context),
      name: 'Agent tests',
      heading: 'h',
      links: {},
      maxAnnotations: 50,
      pathOf: (file) => file,
      fallback: { name: 'fallback', onEnd: (report) => void fellBack.push(report) },
    }).onEnd?.(aReport({ cases: [aCaseReport({ runs: someRuns(passes(3)) })] }))
    expect(fellBack).toHaveLength(1)
    expect(github.requests).toEqual([])
  })
})

describe('what a check run is called and comes to', () => {
  async function reporterOf(label?: string) {
    const opened = await open(github)
    return checkRun({
      ...opened,
      denials: createDenials(opened.context),
      name: 'Agent tests',
      ...(label === undefined ? {} : { label }),
      heading: 'h',
      links: {},
      maxAnnotations: 50,
      pathOf: (file) => file,
      fallback: { name: 'none' },
    })
  }

  test('the legs of a matrix have a check run each: GitHub shows the newest of a name', async () => {
    await (await reporterOf('gpt-4o, linux')).onEnd?.(aReport())
    await (await reporterOf('gpt-4o, windows')).onEnd?.(aReport({ cases: redCases(1) }))
    expect(github.state.checkRuns).toMatchObject([
      { name: 'Agent tests (gpt-4o, linux)', conclusion: 'success' },
      { name: 'Agent tests (gpt-4o, windows)', conclusion: 'failure' },
    ])
  })

  test.each(['success', 'neutral', 'failure', 'cancelled'] as const)(
    'the conclusion is the verdict: %s',
    async (conclusion) => {
      const report = aReport()
      await (await reporterOf()).onEnd?.({ ...report, verdict: { ...report.verdict, conclusion } })
      expect(github.state.checkRuns).toMatchObject([{ conclusion }])
    },
  )

  test.each([
    {
      refusal: { cause: 'mistakes', problems: [{ message: 'no assertion' }] },
      conclusion: 'failure',
      title: /^Not run: /,
    },
    { refusal: { cause: 'bug', problems: [{ message: 'oops' }] }, conclusion: 'failure', title: /^Broke off: / },
    {
      refusal: { cause: 'no_secrets', origin: 'dependabot', problems: [{ message: 'KEY is empty', unset: 'KEY' }] },
      conclusion: 'neutral',
      title: /^Skipped: GitHub gives a run that Dependabot started no secrets/,
    },
  ] as const)('a refusal for $refusal.cause is $conclusion', async ({ refusal, conclusion, title }) => {
    await (await reporterOf()).onRefusal?.(refusal)
    expect(github.state.checkRuns).toMatchObject([{ conclusion, title: expect.stringMatching(title) }])
  })
})
