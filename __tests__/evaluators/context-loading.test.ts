import { describe, expect, test } from 'vitest'
import { taskKindOf } from '../../src/evaluators/task-kind.ts'
import { call, evaluationOf, type Line, verdictOf } from './story.ts'

const CODE = '.opencode/context/core/standards/code.md'

describe('the kind of a task', () => {
  test.each([
    ['Implement a sum helper in calc.ts', 'code'],
    ['Implement the latest layout', 'code'],
    ['Create a file at evals/test_tmp/smoke-test.txt', 'code'],
    ['Create a new file called test.js', 'code'],
    ['Write tests for calc.ts', 'tests'],
    ['Add unit-tests', 'tests'],
    ['Testing the parser', 'tests'],
    ['Update the documentation page', 'docs'],
    ['Update README.md', 'docs'],
    ['Create a README.md file at evals/test_tmp/README.md', 'docs'],
    ['Audit the login flow', 'review'],
    ['Please analyse it', 'review'],
    ['Checking the docs', 'docs'],
    ['Build the new screen', 'code'],
    ['Modifies the class', 'code'],
    ['Handle it', 'unknown'],
    ['Additional addresses', 'unknown'],
    ['', 'unknown'],
  ])('%s: %s', (prompt, kind) => {
    expect(taskKindOf(prompt)).toBe(kind)
  })
})

describe('rules', () => {
  test.each<[string, Line[], string]>([
    ['nothing executed', ['user: Implement it', 'read a.ts'], 'n/a'],
    ['only commands', ['user: Install it', 'bash npm ci'], 'n/a'],
    ['the right file', ['user: Implement it', `read ${CODE}`, 'write a.ts'], '100'],
    ['by its newer name', ['user: Implement it', 'read x/code-quality.md', 'write a.ts'], '0 no-context-loaded~'],
    ['in its folder', ['user: Implement it', 'read standards/code-quality.md', 'write a.ts'], '100'],
    ['of another kind', ['user: Implement it', 'read standards/docs.md', 'write a.ts'], '0 wrong-context-file'],
    [
      'one that only ends like it',
      ['user: Implement it', 'read standards/barcode.md', 'write a.ts'],
      '0 wrong-context-file',
    ],
    ['none', ['user: Implement it', 'write a.ts'], '0 no-context-loaded~'],
    ['too late', ['user: Implement it', 'write a.ts', `read ${CODE}`], '0 context-loaded-after-execution~'],
    ['a command may come before', ['user: Implement it', 'bash ls', `read ${CODE}`, 'write a.ts'], '100'],
    ['searching it counts', ['user: Handle it', `grep ${CODE}`, 'write a.ts'], '100'],
    [
      'a command that prints it does not',
      ['user: Implement it', `bash cat ${CODE}`, 'write a.ts'],
      '0 no-context-loaded~',
    ],
    [
      'a read that failed loaded nothing',
      ['user: Implement it', call('read', CODE, { status: 'failed' }), 'write a.ts'],
      '0 no-context-loaded~',
    ],
    [
      'nor one that was refused',
      ['user: Implement it', call('read', CODE, { status: 'denied' }), 'write a.ts'],
      '0 no-context-loaded~',
    ],
    ['any file for an unknown task', ['user: Handle it', 'read README.md', 'write a.ts'], '100'],
    ['a file that is none', ['user: Handle it', 'read notes.md', 'write a.ts'], '0 no-context-loaded~'],
    ['delegation has its own', ['user: Implement it', `read ${CODE}`, 'task coder'], '0 wrong-context-file'],
    [
      'and is content with it',
      ['user: Implement it', 'read .opencode/context/core/workflows/delegation.md', 'task coder'],
      '100',
    ],
    ['a write that was refused is none', ['user: Implement it', call('write', 'a.ts', { status: 'denied' })], 'n/a'],
    ['Windows paths', ['user: Implement it', 'read .opencode\\context\\core\\standards\\code.md', 'write a.ts'], '100'],
    [
      'what the subagent is told is no prompt',
      [
        { type: 'user_message', text: 'Write tests', session: { id: 'b', depth: 1 } },
        'user: Handle it',
        'read README.md',
        'write a',
      ],
      '100',
    ],
  ])('%s', async (_, lines, expected) => {
    expect(await verdictOf('context-loading', lines)).toBe(expected)
  })
})

describe('options', () => {
  test.each<[object, Line[], string]>([
    [{ expectedContextFiles: ['security.md'] }, ['user: Implement it', 'read x/security.md', 'write a'], '100'],
    [
      { expectedContextFiles: ['security.md'] },
      ['user: Implement it', `read ${CODE}`, 'write a'],
      '0 wrong-context-file',
    ],
    [{ expectedContextFiles: ['context/core/'] }, ['user: What are the rules?', `read ${CODE}`], '100'],
    [{ expectedContextFiles: ['code.md'] }, ['user: What are the rules?'], '0 no-context-loaded~'],
    [{ expectedContextFiles: ['a.md', 'code.md'] }, ['user: What are the rules?', `read ${CODE}`], '100'],
    [
      { requiredContexts: { code: 'rules/mine.md' } },
      ['user: Implement it', 'read docs/rules/mine.md', 'write a'],
      '100',
    ],
    [
      { requiredContexts: { code: ['x.md', 'y.md'] } },
      ['user: Implement it', `read ${CODE}`, 'write a'],
      '0 wrong-context-file',
    ],
    [{ contextPatterns: ['CLAUDE.md'] }, ['user: Handle it', 'read CLAUDE.md', 'write a'], '100'],
    [{ severities: { 'no-context-loaded': 'error' } }, ['user: Handle it', 'write a'], '0 no-context-loaded'],
  ])('%j', async (settings, lines, expected) => {
    expect(await verdictOf('context-loading', lines, settings)).toBe(expected)
  })
})

test.each([
  [
    ['user: Implement it', 'write a.ts'],
    'no context file was read before write a.ts; expected one of code.md, code-quality.md',
  ],
  [
    ['user: Implement it', 'read standards/docs.md', 'write a.ts'],
    'standards/docs.md was read, but a task of kind "code" needs one of code.md, code-quality.md',
  ],
  [['write a.ts', 'read README.md'], 'write a.ts ran before the first context file, README.md, was read'],
])('%j says why', async (lines, message) => {
  expect(await evaluationOf('context-loading', lines)).toMatchObject({ violations: [{ message }] })
})
