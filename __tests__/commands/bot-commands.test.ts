import { describe, expect, test } from 'vitest'
import { type BotCommand, parseCommands } from '../../src/commands/bot/parse-commands.ts'

describe('commands are the first lines of a comment', () => {
  test.each<[string, readonly BotCommand[]]>([
    ['/agent-test', [{ kind: 'help' }]],
    ['/agent-test help', [{ kind: 'help' }]],
    ['/agent-test HELP\r\n\r\nthank you', [{ kind: 'help' }]],
    ['/agent-test rerun', [{ kind: 'rerun', cases: [] }]],
    ['/agent-test rerun a b, c,d a', [{ kind: 'rerun', cases: ['a', 'b', 'c', 'd'] }]],
    ['/agent-test rerun `a, b` "c d"', [{ kind: 'rerun', cases: ['a, b', 'c d'] }]],
    [
      '/agent-test accept tests/a.jsonl/refund-03 we no longer refund',
      [{ kind: 'accept', name: 'tests/a.jsonl/refund-03', reason: 'we no longer refund' }],
    ],
    ['/agent-test accept `my case` "said" so: `x', [{ kind: 'accept', name: 'my case', reason: '"said" so: `x' }]],
    ['/agent-test\texplain\trefund', [{ kind: 'explain', name: 'refund' }]],
    ['/agent-test baseline refresh', [{ kind: 'refresh_baseline' }]],
    [
      '/agent-test explain a\n/agent-test rerun\nand a remark\n/agent-test help',
      [
        { kind: 'explain', name: 'a' },
        { kind: 'rerun', cases: [] },
      ],
    ],
  ])('%j', (comment, expected) => {
    expect(parseCommands(comment)).toEqual(expected)
  })

  test.each([
    '',
    'please /agent-test rerun',
    ' /agent-test rerun',
    '\n/agent-test rerun',
    '> /agent-test rerun',
    '```\n/agent-test rerun\n```',
    '/agent-testing rerun',
    '/agent-test-rerun',
    '/AGENT-TEST rerun',
    '\u200B/agent-test rerun',
    '<!-- -->/agent-test rerun',
  ])('%j gives none', (comment) => {
    expect(parseCommands(comment)).toEqual([])
  })

  test('no more than five are read', () => {
    expect(parseCommands('/agent-test help\n'.repeat(50))).toHaveLength(5)
  })
})

describe('a command that is not understood says why', () => {
  test.each([
    ['/agent-test delete everything', 'there is no command delete'],
    ['/agent-test accept refund', 'accept needs a case and a reason'],
    ['/agent-test accept', 'accept needs a case and a reason'],
    ['/agent-test explain', 'explain needs one case'],
    ['/agent-test explain a b', 'explain needs one case'],
    ['/agent-test baseline', 'baseline needs the word refresh'],
    ['/agent-test baseline refresh now', 'baseline needs the word refresh'],
    ['/agent-test explain `a', 'a quotation mark is not closed'],
    ['/agent-test explain "a"b', 'a quotation mark is not closed'],
    ['/agent-test accept "a because', 'a quotation mark is not closed'],
    ['/agent-test `unclosed', 'a quotation mark is not closed'],
    [`/agent-test accept a ${'x'.repeat(501)}`, 'the reason is too long'],
    [`/agent-test explain ${'x'.repeat(301)}`, 'explain needs one case'],
    [`/agent-test explain ${'x'.repeat(100_000)}`, 'the line is too long'],
    [`/agent-test rerun ${Array.from({ length: 51 }, (_, n) => n).join(' ')}`, 'rerun takes 50 cases at most'],
    ['/agent-test \u202Eplleh\u0007', 'there is no command plleh'],
  ])('%s', (comment, problem) => {
    expect(parseCommands(comment)).toEqual([{ kind: 'mistaken', problem }])
  })
})

test('control and direction-changing characters are gone from names and reasons', () => {
  expect(parseCommands('/agent-test accept a\u0000b \u202Ewhy\u001b[31m not')).toEqual([
    { kind: 'accept', name: 'ab', reason: 'why not' },
  ])
})

test('a hostile line takes no time', () => {
  const start = performance.now()
  for (const piece of ['`', '"', ' ', '\t', '` ', '"`', 'a" ']) parseCommands(`/agent-test ${piece.repeat(30_000)}`)
  for (const piece of ['`', '"', '` ', '"`', 'a" ']) parseCommands(`/agent-test ${piece.repeat(1_900 / piece.length)}`)
  expect(performance.now() - start).toBeLessThan(500)
})
