import { describe, expect, test } from 'vitest'
import {
  collectProblems,
  describeProblem,
  type Problem,
  problemsError,
  TargetError,
  UserError,
} from '../../src/core/errors.ts'

test.each<[string, Problem, string]>([
  ['the message alone', { message: 'no suite' }, 'no suite'],
  ['a file', { file: 'a.jsonl', message: 'is empty' }, 'a.jsonl: is empty'],
  ['file and line', { file: 'a.jsonl', line: 3, message: 'not JSON' }, 'a.jsonl:3: not JSON'],
  [
    'everything',
    { file: 'a.jsonl', line: 3, field: 'assert[0].type', message: 'unknown', hint: 'did you mean "equals"?' },
    'a.jsonl:3: assert[0].type: unknown (did you mean "equals"?)',
  ],
  ['a field of no file', { field: 'runs', message: 'expected a number' }, 'runs: expected a number'],
  ['an empty field is none', { file: 'a', field: '', message: 'broken' }, 'a: broken'],
])('a problem is described by %s', (_, problem, text) => {
  expect(describeProblem(problem)).toBe(text)
})

describe('UserError', () => {
  test('without problems it is its own problem, hint included', () => {
    const error = new UserError('no model', { code: 'INVALID_TARGET', hint: 'set a key' })
    expect(error.problems).toEqual([{ message: 'no model', hint: 'set a key' }])
    expect([error.name, error.code, error.cause]).toEqual(['UserError', 'INVALID_TARGET', undefined])
  })

  test('of several problems it names each on a line', () => {
    const error = problemsError('INVALID_SUITE', [
      { file: 'a', line: 1, message: 'x' },
      { message: 'y', hint: 'z' },
    ])
    expect(error.message).toBe('a:1: x\ny (z)')
    expect(error.problems).toHaveLength(2)
  })

  test('keeps its cause', () => {
    const cause = new Error('ENOENT')
    expect(new UserError('cannot read', { code: 'INVALID_OPTIONS', cause }).cause).toBe(cause)
  })
})

describe('collectProblems', () => {
  test('gives the value and collects nothing when all is well', async () => {
    const problems: Problem[] = []
    expect(await collectProblems(problems, () => Promise.resolve(7))).toBe(7)
    expect(problems).toEqual([])
  })

  test('collects what several attempts have to say', async () => {
    const problems: Problem[] = []
    await collectProblems(problems, () => {
      throw problemsError('INVALID_SUITE', [{ message: 'a' }, { message: 'b' }])
    })
    expect(
      await collectProblems(problems, () => Promise.reject(new UserError('c', { code: 'INVALID_TARGET' }))),
    ).toBeUndefined()
    expect(problems.map((problem) => problem.message)).toEqual(['a', 'b', 'c'])
  })

  test('lets a bug through', async () => {
    const bug = new TypeError('undefined is not a function')
    await expect(
      collectProblems([], () => {
        throw bug
      }),
    ).rejects.toBe(bug)
  })
})

test.each([
  [{ code: 'RATE_LIMITED', retryable: true, retryAfterMs: 2_000 } as const, true, 2_000],
  [{ code: 'TIMEOUT' } as const, false, undefined],
])('a TargetError says whether another attempt makes sense: %j', (options, retryable, retryAfterMs) => {
  expect(new TargetError('no answer', options)).toMatchObject({
    name: 'TargetError',
    ...options,
    retryable,
    retryAfterMs,
  })
})
