import { describe, expect, test } from 'vitest'
import { loadYaml } from './load.ts'

const HEAD = 'id: a\nprompt: x\n'

describe('expectations that no run can meet', () => {
  const rows: [string, string, string[]][] = [
    [
      'a tool',
      'behavior: {mustUseTools: [read], mustNotUseTools: [read]}',
      ['3: behavior: contradiction: "read" must be used and must not be used'],
    ],
    [
      'every set',
      'behavior: {mustUseAnyOf: [[bash], [read, write]], forbiddenTools: [bash, write]}',
      ['3: behavior: contradiction: every set of mustUseAnyOf holds a tool that must not be used'],
    ],
    [
      'delegation',
      'behavior: {shouldDelegate: true, mustNotUseTools: [task]}',
      ['3: behavior: contradiction: the agent should delegate, and "task" must not be used'],
    ],
    [
      'counts',
      'behavior: {minToolCalls: 3, maxToolCalls: 2}',
      ['3: behavior: contradiction: at least 3 and at most 2 tool calls'],
    ],
    [
      'more tools than calls',
      'behavior: {mustUseTools: [read, write], maxToolCalls: 1}',
      ['3: behavior: contradiction: 2 tools must be used in at most 1 calls'],
    ],
    [
      'messages',
      'expected: {minMessages: 3, maxMessages: 1}',
      ['1: behavior: contradiction: at least 3 and at most 1 messages'],
    ],
    [
      'a file',
      'behavior:\n  contentExpectations:\n    - {filePath: a, minLength: 5, maxLength: 4}',
      ['5: behavior.contentExpectations[0]: contradiction: no text is at least 5 and at most 4 characters long'],
    ],
    [
      'both states of a violation',
      'expectedViolations:\n  - {rule: delegation, shouldViolate: true}\n  - {rule: delegation, shouldViolate: false}',
      ['3: expectedViolations: contradiction: delegation must be violated and must not be violated'],
    ],
    [
      'a violation that needs the forbidden tool',
      'behavior: {mustNotUseTools: [bash]}\nexpectedViolations: [{rule: tool-usage, shouldViolate: true}]',
      ['4: expectedViolations: contradiction: tool-usage must be violated, and "bash" must not be used'],
    ],
    [
      'the right tool and the wrong one',
      'behavior: {mustUseTools: [read]}\nexpectedViolations: [{rule: tool-usage, shouldViolate: true}]',
      ['4: expectedViolations: contradiction: tool-usage must be violated, and "read" must be used instead'],
    ],
    [
      'a pass with a violation',
      'expected: {pass: true, violations: [{rule: delegation, shouldViolate: true}]}',
      ['1: expectedViolations: contradiction: "pass: true", and delegation must be violated'],
    ],
  ]
  test.each(rows)('%s: a warning', async (_, yaml, expected) => {
    const { warnings, problems, cases } = await loadYaml(HEAD + yaml)
    expect(problems).toEqual([])
    expect(cases).toHaveLength(1)
    expect(warnings.map((warning) => warning.replace('tests/test.yaml:', ''))).toEqual(expected)
  })

  test.each(rows)('%s: a problem under --strict', async (_, yaml, expected) => {
    const { problems, cases } = await loadYaml(HEAD + yaml, { strict: true })
    expect(cases).toEqual([])
    expect(problems.map((problem) => problem.replace('tests/test.yaml:', ''))).toEqual(expected)
  })

  test.each<[string, string]>([
    [
      'one type must be and another must not',
      'expectedViolations: [{rule: approval-gate, violationType: missing-approval, shouldViolate: true}, {rule: approval-gate, violationType: executed-after-denial, shouldViolate: false}]',
    ],
    [
      'a bad command where commands are needed',
      'behavior: {mustUseTools: [bash, read]}\nexpectedViolations: [{rule: tool-usage, shouldViolate: true}]',
    ],
    ['one set that is left', 'behavior: {mustUseAnyOf: [[bash], [read]], mustNotUseTools: [bash]}'],
    ['nothing at all', 'behavior: {mustUseTools: [], minToolCalls: 0, maxToolCalls: 0}'],
  ])('%s: no warning', async (_, yaml) => {
    const { warnings, problems } = await loadYaml(HEAD + yaml)
    expect({ warnings, problems }).toEqual({ warnings: [], problems: [] })
  })
})
