import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { consoleReporter, messageReporter } from '../../src/reporters/index.ts'
import {
  aBaseline,
  aCase,
  aCaseReport,
  erroredOutcome,
  failedOutcome,
  mixed,
  passedOutcome,
  passes,
  someRuns,
} from '../support/builders.ts'
import { fakeHost } from '../support/fake-host.ts'
import { hostileText } from '../support/markdown.ts'
import { type Played, play } from '../support/reporting.ts'

const greeting = aCase()
const refund = aCase({
  id: 'refund-03',
  input: 'I want my money back for order 1007, and I want it now, not next week',
})
const slow = aCase({ id: 'slow-04' })
const draft = aCase({ id: 'draft-07', skip: 'marked as skipped' })
const wrongTool = failedOutcome('expected output to contain "refund_order"')
const timedOut = erroredOutcome('TIMEOUT', 'no answer within 5m')

interface ShowOptions {
  readonly verbose?: boolean
  readonly colour?: boolean
  readonly exitCodes?: 'seed' | 'detailed'
}

async function show(
  played: readonly Played[],
  { verbose = false, colour = false, exitCodes = 'seed' }: ShowOptions = {},
  options: Parameters<typeof play>[2] = {},
) {
  const host = fakeHost()
  const config = { verbose, 'exit-codes': exitCodes }
  await play(consoleReporter({ host, colour, config, plan: { parallel: 4, timeoutMs: 300_000 } }), played, options)
  expect(host.warnings).toEqual([])
  return { text: host.printed.join(''), progress: host.infos }
}

test('a single run per case: a line each, reasons below, the verdict last', async () => {
  const { text, progress } = await show([
    { item: greeting, outcomes: [passedOutcome] },
    { item: refund, outcomes: [wrongTool], parts: { durationMs: 2_140 } },
    { item: slow, outcomes: [timedOut] },
    { item: draft, outcomes: [] },
  ])
  expect(progress).toEqual([])
  expect(text).toMatchInlineSnapshot(`
    "Agent test
      Agent     yao:support-bot
      Input     tests/support.jsonl: 4 cases, 1 skipped
      Runs      1 run a case, 4 at a time, each within 5m

      - SKIPPED draft-07   marked as skipped
      ✓ PASSED  greet-01   Say hello (800ms)
      ✗ FAILED  refund-03  I want my money back for order 1007, and I want it now, not… (2.1s)
          expected output to contain "refund_order"
      ! TIMEOUT slow-04    Say hello (800ms)
          no answer within 5m

    Summary
      Cases     1 of 3 passed every run, 1 failed, 1 timed out, 1 skipped
      Runs      1 of 3 passed (33.3%), 1 error
      Time      3m 12s

    Not compared: no baseline was asked for.

    Reasons
      tests/support.jsonl/refund-03 passed 0/1 (0%), below the required 100%
      1 of 3 runs errored: no answer within 5m

    Failed
    the gate exits 1 because tests/support.jsonl/refund-03 passed 0/1 (0%), below the required 100% (and 1 more reason)
    "
  `)
})

test('several runs: progress apart, one line a case, changes against the baseline', async () => {
  const earlier = [
    aCaseReport({ ...greeting, runs: someRuns(mixed(2, 1)) }),
    aCaseReport({ ...refund, runs: someRuns(mixed(29, 1)) }),
    aCaseReport({ id: 'gone-09' }),
  ]
  const { text, progress } = await show(
    [
      { item: greeting, outcomes: passes(3) },
      { item: refund, outcomes: [wrongTool, timedOut, wrongTool] },
      { item: draft, outcomes: [] },
    ],
    { exitCodes: 'detailed' },
    {
      connector: 'openai.gpt-4o',
      report: {
        connector: 'openai.gpt-4o',
        loaded: { kind: 'ok', baseline: aBaseline(earlier), source: 'file baseline.json' },
      },
    },
  )
  expect(progress).toMatchInlineSnapshot(`
    [
      "[1/6] ✓ PASSED  greet-01   run 1 (800ms)",
      "[2/6] ✗ FAILED  refund-03  run 1 (800ms) expected output to contain "refund_order"",
      "[3/6] ✓ PASSED  greet-01   run 2 (800ms)",
      "[4/6] ! TIMEOUT refund-03  run 2 (800ms) no answer within 5m",
      "[5/6] ✓ PASSED  greet-01   run 3 (800ms)",
      "[6/6] ✗ FAILED  refund-03  run 3 (800ms) expected output to contain "refund_order"",
    ]
  `)
  expect(text).toMatchInlineSnapshot(`
    "Agent test
      Agent     yao:support-bot
      Connector openai.gpt-4o
      Input     tests/support.jsonl: 3 cases, 1 skipped
      Runs      3 runs a case, 4 at a time, each within 5m

      - SKIPPED draft-07   marked as skipped
      ✓ PASSED  greet-01   3/3 passed (100%)     Stable           avg 800ms (800ms to 800ms)
      ✗ FAILED  refund-03  0/3 passed (0%)       Highly Unstable  avg 800ms (800ms to 800ms)
          runs 1 and 3: expected output to contain "refund_order"
          run 2: no answer within 5m

    Summary
      Cases     1 of 2 passed every run, 1 failed, 1 skipped
      Runs      3 of 6 passed (50%), 1 error
      Stability 1 stable, 1 highly unstable
      Time      3m 12s

    Compared with file baseline.json at abc1234: 7 sessions until 2026-02-28, 21 runs a case.
      ✗ regressed  refund-03  48/50 → 0/2 (-96 pp), by chance in 0.5% of pull requests
      - removed    gone-09    21/21 in the baseline

    Reasons
      tests/support.jsonl/refund-03 regressed: 48/50 runs passed on the base branch, 0/2 here; had nothing changed, one of the 2 cases in question would drop this far in 0.5% of pull requests (limit 4%); the base commit was not run again, so what changed around the agent is not ruled out
      1 of 6 runs errored: no answer within 5m

    Notes
      With 35 runs on the base branch and 3 here, one case that always passed and drops by 72 points is noticed in four of five pull requests, and a drop of less than 50 points would usually be missed; a drop of 63 points in all 2 cases is noticed in four of five.

    Failed, 1 regression
    the gate exits 2 because tests/support.jsonl/refund-03 regressed: 48/50 runs passed on the base branch, 0/2 here; had nothing changed, one of the 2 cases in question would drop this far in 0.5% of pull requests (limit 4%); the base commit was not run again, so what changed around the agent is not ruled out (and 1 more reason)
    "
  `)
})

test('everything passed', async () => {
  const spending = { tokens: 1_280, costUsd: 0.0042, unpricedRuns: 0, unmeteredRuns: 0 }
  const { text } = await show([{ item: greeting, outcomes: [passedOutcome] }], {}, { report: { spending } })
  expect(text).toMatchInlineSnapshot(`
    "Agent test
      Agent     yao:support-bot
      Input     tests/support.jsonl: 1 case
      Runs      1 run a case, 4 at a time, each within 5m

      ✓ PASSED  greet-01  Say hello (800ms)

    Summary
      Cases     1 of 1 passed every run
      Runs      1 of 1 passed (100%)
      Time      3m 12s
      Tokens    1,280
      Cost      $0.0042

    Not compared: no baseline was asked for.

    Passed
    the gate exits 0 because 1 of 1 case passed every run
    "
  `)
})

test('verbose shows what the agent said', async () => {
  const { text } = await show(
    [{ item: greeting, outcomes: [passedOutcome], parts: { output: { said: 'Hello\nthere' } } }],
    { verbose: true },
  )
  expect(text).toContain('      Output: {\n                "said": "Hello\\nthere"\n              }\n')
})

test('cases that an interruption cut short are shown at the end', async () => {
  const { text } = await show(
    [
      { item: greeting, outcomes: passes(1) },
      { item: refund, outcomes: [] },
    ],
    { exitCodes: 'detailed' },
    { runsPerCase: 3, report: { interrupted: true, plannedRuns: 6 } },
  )
  expect(text).toContain('  ✓ PASSED  greet-01   1/1 passed (100%)')
  expect(text).toContain('1 of 1 passed every run, 1 not run')
  expect(text.endsWith('Stopped\nthe gate exits 130 because interrupted after 1 of 6 runs\n')).toBe(true)
})

test('colours only where they are wanted', async () => {
  const played = [{ item: refund, outcomes: [wrongTool] }]
  expect((await show(played)).text).not.toContain('\u001b')
  expect((await show(played, { colour: true })).text).toContain('\u001b[31m✗ FAILED \u001b[39m')
})

test('a long test lists only what did not pass, and tells how far it is', async () => {
  const played = Array.from({ length: 2_000 }, (_, index) => ({
    item: aCase({ id: `case-${index}` }),
    outcomes: [index === 999 ? wrongTool : passedOutcome],
  }))
  const { text, progress } = await show(played)
  expect(text.split('\n').filter((line) => /PASSED|FAILED/.test(line))).toEqual([
    '  ✗ FAILED  case-999   Say hello (800ms)',
  ])
  expect(progress).toHaveLength(20)
  expect(progress[10]).toBe('[1100/2000] 1099 passed')
})

test('many reasons and changes are counted, not all listed', async () => {
  const played = Array.from({ length: 100 }, (_, index) => ({
    item: aCase({ id: `c${index}` }),
    outcomes: mixed(0, 2),
  }))
  const earlier = played.map(({ item }) => aCaseReport({ ...item, runs: someRuns(passes(2)) }))
  const { text } = await show(
    played,
    {},
    { report: { loaded: { kind: 'ok', baseline: aBaseline(earlier), source: 'file b.json' } } },
  )
  expect(text).toContain('  … and 70 more changes\n')
  expect(text).toContain('  … and 71 more reasons\n')
  expect(text).toContain(' (and 100 more reasons)\n')
})

test('nothing that an agent or a suite says reaches the terminal as a control character', async () => {
  await fc.assert(
    fc.asyncProperty(hostileText, fc.boolean(), async (hostile, isRepeated) => {
      const item = aCase({ id: hostile, suite: hostile, input: hostile })
      const outcomes = isRepeated ? [failedOutcome(hostile), passedOutcome] : [failedOutcome(hostile)]
      const { text, progress } = await show(
        [{ item, outcomes, parts: { output: hostile } }],
        { verbose: true },
        { targets: [hostile] },
      )
      expect(`${text}${progress.join('')}`).not.toMatch(/(?!\n|\t)\p{Cc}|[\u202a-\u202e]|\p{Surrogate}/u)
    }),
    { numRuns: 200 },
  )
})

describe('a direct message', () => {
  test.each([
    ['a text', 'Hello', 'Hello\n'],
    ['a text that ends its line', 'Hello\n', 'Hello\n'],
    ['an object', { a: [1] }, '{\n  "a": [\n    1\n  ]\n}\n'],
    ['null', null, ''],
    ['a number', 0, '0\n'],
    ['a text that would clear the screen', 'a\u001b[2Jb', 'ab\n'],
  ])('prints nothing but the output: %s', async (_title, output, wanted) => {
    const host = fakeHost()
    await play(messageReporter({ host }), [{ item: greeting, outcomes: [passedOutcome], parts: { output } }])
    expect(host.printed.join('')).toBe(wanted)
    expect([host.infos, host.warnings]).toEqual([[], []])
  })

  test('is kept byte by byte where no terminal reads it', async () => {
    const host = fakeHost()
    const output = 'a\u001b[31mb\r\nc'
    await play(messageReporter({ host, isTerminal: false }), [
      { item: greeting, outcomes: [passedOutcome], parts: { output } },
    ])
    expect(host.printed.join('')).toBe(`${output}\n`)
  })

  test('that was interrupted says so on the log', async () => {
    const host = fakeHost()
    const verdict = {
      passed: false,
      conclusion: 'cancelled',
      exitReason: 'interrupted',
      reasons: [{ kind: 'interrupted', done: 0, planned: 1 }],
      notes: [],
    } as const
    await play(messageReporter({ host }), [{ item: greeting, outcomes: [] }], { report: { verdict } })
    expect(host.printed).toEqual([])
    expect(host.warnings).toEqual(['error: interrupted after 0 of 1 runs'])
  })

  test('that could not be answered says why on the log', async () => {
    const host = fakeHost()
    await play(messageReporter({ host }), [{ item: greeting, outcomes: [timedOut], parts: { output: null } }])
    expect(host.printed).toEqual([])
    expect(host.warnings).toEqual(['error: TIMEOUT: no answer within 5m'])
  })

  const hook = failedOutcome('Create of a: Error: no \u001b[31mstock\nat Create (src/index.ts:3)')
  const below = (key: string) =>
    ({ kind: 'below_min_pass_rate', key, actual: { passed: 0, judged: 1 }, required: 100, mode: 'observed' }) as const

  test.each<[string, readonly Played[], string[]]>([
    [
      'one',
      [{ item: greeting, outcomes: [hook], parts: { output: 'so far' } }],
      ['failed: Create of a: Error: no stock at Create (src/index.ts:3)'],
    ],
    [
      'one of two, which is named',
      [
        { item: slow, outcomes: [passedOutcome], parts: { output: 'so far' } },
        { item: greeting, outcomes: [hook], parts: { output: null } },
      ],
      [
        'failed: Create of a: Error: no stock at Create (src/index.ts:3)',
        `error: ${greeting.key} passed 0/1 (0%), below the required 100%`,
      ],
    ],
  ])('that the agent could not take says why on the log: %s', async (_title, played, warnings) => {
    const host = fakeHost()
    const reasons = [below(greeting.key)]
    const verdict = { passed: false, conclusion: 'failure', exitReason: 'failed', reasons, notes: [] } as const
    await play(messageReporter({ host }), played, { report: { verdict } })
    expect(host.printed).toEqual(['so far\n'])
    expect(host.warnings).toEqual(warnings)
  })

  test.each([
    ['with -v', { settings: { parallel: 1, timeoutMs: 1_000 } }, ['first\n[warn] second']],
    ['not without', {}, []],
  ])('shows what scripts wrote %s', async (_title, options, wanted) => {
    const host = fakeHost()
    const logs = [
      { level: 'info', text: 'first' },
      { level: 'warn', text: 'sec\u001b[2Jond' },
    ] as const
    await play(messageReporter({ host, ...options }), [
      { item: greeting, outcomes: [passedOutcome], parts: { output: 'x', logs } },
    ])
    expect(host.infos.slice(1)).toEqual(wanted)
    expect(host.printed).toEqual(['x\n'])
  })
})
