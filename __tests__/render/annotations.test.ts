import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FAIL_ON, type FailOn } from '../../src/core/gate.ts'
import { annotationsOf } from '../../src/render/index.ts'
import {
  aCaseReport,
  aGate,
  aReport,
  erroredOutcome,
  failedOutcome,
  loadedBaseline,
  mixed,
  passes,
  someRuns,
} from '../support/builders.ts'
import { hostileText } from '../support/markdown.ts'

const at = (line: number) => ({ location: { file: 'tests/support.jsonl', line } })
const wrongTool = failedOutcome('expected output to contain "refund_order"')
const passing = aCaseReport({ id: 'fine', ...at(1) })
const regressed = aCaseReport({
  id: 'refund',
  ...at(2),
  runs: someRuns(mixed(0, 3, wrongTool), { output: 'Cancelled.' }),
})
const below = aCaseReport({ id: 'hotel', ...at(3), runs: someRuns(mixed(1, 2, wrongTool), { output: 'No.' }) })
const errored = aCaseReport({
  id: 'order',
  ...at(4),
  runs: someRuns([...passes(2), erroredOutcome('TIMEOUT', 'no answer within 5m')]),
})
const flaky = aCaseReport({
  id: 'tone',
  ...at(5),
  runs: someRuns(mixed(4, 1, failedOutcome('expected output to match /sorry/'))),
})
const before = (id: string, passed: number, failed = 0) => aCaseReport({ id, runs: someRuns(mixed(passed, failed)) })

const earlier = [before('refund', 29, 1), before('tone', 20), before('fine', 3)]
const reportOf = (failOn: readonly FailOn[]) =>
  aReport({
    cases: [passing, flaky, errored, below, regressed],
    loaded: loadedBaseline(earlier),
    gate: { ...aGate, failOn, minPassRate: 80 },
  })

test('one annotation for every case that deserves one, worst first', () => {
  expect(annotationsOf(reportOf(FAIL_ON))).toEqual([
    {
      file: 'tests/support.jsonl',
      line: 2,
      level: 'failure',
      title: 'refund: regressed, 0/3 passed, 48/50 in the baseline',
      message: 'runs 1 to 3: expected output to contain "refund_order"',
      details: 'Input:\nSay hello\n\nOutput of run 1:\nCancelled.',
    },
    {
      file: 'tests/support.jsonl',
      line: 3,
      level: 'failure',
      title: 'hotel: below the required pass rate, 1/3 passed',
      message: 'runs 2 and 3: expected output to contain "refund_order"',
      details: 'Input:\nSay hello\n\nOutput of run 2:\nNo.',
    },
    {
      file: 'tests/support.jsonl',
      line: 4,
      level: 'failure',
      title: 'order: errored, 2/3 passed, 1 errored',
      message: 'run 3: no answer within 5m',
      details: 'Input:\nSay hello\n\nOutput of run 3:\nHello there',
    },
    {
      file: 'tests/support.jsonl',
      line: 5,
      level: 'warning',
      title: 'tone: worth a look, 4/5 passed, 50/50 in the baseline',
      message: 'run 5: expected output to match /sorry/',
      details: 'Input:\nSay hello\n\nOutput of run 5:\nHello there',
    },
  ])
})

test.each<readonly [string, readonly FailOn[], readonly string[]]>([
  ['errors are tolerated', ['regression', 'threshold'], ['failure', 'failure', 'warning', 'warning']],
  ['only errors count', ['error'], ['warning', 'failure', 'warning', 'warning']],
  ['nothing counts', [], ['warning', 'warning', 'warning', 'warning']],
])('annotations are red only where the verdict is: %s', (_title, failOn, levels) => {
  expect(annotationsOf(reportOf(failOn)).map(({ level }) => level)).toEqual(levels)
})

test('a case that only fell behind has a message all the same', () => {
  const fell = aReport({
    cases: [aCaseReport({ id: 'tone', runs: someRuns(mixed(2, 0)) })],
    changes: [
      {
        kind: 'dropped',
        key: 'tests/support.jsonl/tone',
        before: { passed: 3, judged: 3 },
        after: { passed: 2, judged: 2 },
      },
    ],
    baseline: { kind: 'off' },
  })
  expect(annotationsOf(fell)[0]).toMatchObject({ level: 'warning', message: 'passed less often than in the baseline' })
})

test('hostile texts keep to the sizes GitHub takes and hold no control characters', () => {
  fc.assert(
    fc.property(hostileText, fc.nat(20_000), (text, length) => {
      const long = text.repeat(Math.ceil(length / Math.max(1, text.length)))
      const item = aCaseReport({
        id: `c${long}`,
        suite: `s${long}`,
        input: long,
        runs: someRuns(mixed(0, 3, failedOutcome(long)), { output: long }),
      })
      const [annotation] = annotationsOf(aReport({ cases: [item] }))
      expect(annotation?.title.length).toBeLessThanOrEqual(255)
      expect(annotation?.message.length).toBeLessThanOrEqual(4_096)
      expect(annotation?.details?.length).toBeLessThanOrEqual(65_536)
      const { title = '', message = '', details = '' } = annotation ?? {}
      expect(`${title}${message}${details}`).not.toMatch(/(?![\n\t])\p{Cc}|[\u202a-\u202e]|\p{Surrogate}/u)
    }),
    { numRuns: 100 },
  )
})

test('a green report has no annotation', () => {
  expect(annotationsOf(aReport())).toEqual([])
})
