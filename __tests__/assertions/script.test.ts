import { describe, expect, test } from 'vitest'
import { calledFunctions, judgeAssertions, normaliseAssertions } from '../../src/assertions/index.ts'
import type { Json } from '../../src/core/json.ts'
import type { CallOutcome } from '../../src/core/means.ts'
import { subjectOf } from './subject.ts'

const NAME = 'scripts.tests.check.Fn'

async function judge(settings: Record<string, Json>, outcome: CallOutcome) {
  const calls: unknown[] = []
  const { assertions } = normaliseAssertions({ type: 'script', script: NAME, ...settings }, undefined)
  const [check] = await judgeAssertions(subjectOf('the output'), assertions, {
    async call(...args) {
      calls.push(args)
      return outcome
    },
  })
  return { check, calls }
}
const returned = (value: Json): CallOutcome => ({ kind: 'returned', value })

describe('the verdict', () => {
  test.each<[string, Json, boolean, string]>([
    ['true', true, true, ''],
    ['false', false, false, `expected ${NAME} to accept the output, got "the output"`],
    ['a pass', { pass: true, message: 'fine' }, true, ''],
    ['a fail with its message', { pass: false, message: 'too short' }, false, `${NAME}: too short`],
    ['a fail without', { pass: false }, false, `expected ${NAME} to accept the output, got "the output"`],
    [
      'a message that is no text',
      { pass: false, message: 7 },
      false,
      `expected ${NAME} to accept the output, got "the output"`,
    ],
  ])('%s', async (_, value, passed, message) => {
    expect((await judge({}, returned(value))).check).toMatchObject({ name: 'script', passed, message })
    const negated = (await judge({ negate: true }, returned(value))).check
    expect(negated?.passed).toBe(!passed)
  })

  test.each<[string, CallOutcome, string]>([
    [
      'no boolean pass',
      returned({ pass: 'true' }),
      `${NAME}: expected true, false or {"pass", "message"}, got {"pass":"true"}`,
    ],
    ['nothing', returned(null), `${NAME}: expected true, false or {"pass", "message"}, got null`],
    ['a text', returned('true'), `${NAME}: expected true, false or {"pass", "message"}, got string`],
    ['a number', returned(1), `${NAME}: expected true, false or {"pass", "message"}, got number`],
    ['a list', returned([true]), `${NAME}: expected true, false or {"pass", "message"}, got array`],
    ['a throw', { kind: 'failed', message: 'Error: boom (at check.ts:3)' }, `${NAME}: Error: boom (at check.ts:3)`],
  ])('%s decides nothing: negate does not make it pass', async (_, outcome, message) => {
    for (const settings of [{}, { negate: true }]) {
      expect((await judge(settings, outcome)).check).toMatchObject({ passed: false, message })
    }
  })
})

test('the function gets output, raw input and value', async () => {
  const { calls } = await judge({ value: { least: 3 } }, returned(true))
  expect(calls).toEqual([[NAME, ['the output', subjectOf('').case.input, { least: 3 }]]])
  expect((await judge({}, returned(true))).calls).toEqual([[NAME, ['the output', subjectOf('').case.input, null]]])
})

test('the functions that assertions call are known before', () => {
  const { assertions } = normaliseAssertions(
    [
      { type: 'equals', value: 1 },
      { type: 'script', script: NAME },
    ],
    undefined,
  )
  expect(calledFunctions(assertions)).toEqual([{ name: NAME, index: 1 }])
})

test.each<[Json, string]>([
  [{ type: 'script' }, 'expected the name of a function, such as "scripts.tests.check.Valid", got nothing'],
  [{ type: 'script', script: 7 }, 'expected the name of a function, such as "scripts.tests.check.Valid", got 7'],
])('%j is refused', (assert, message) => {
  expect(normaliseAssertions(assert, undefined).problems).toEqual([{ field: 'assert.script', message }])
})
