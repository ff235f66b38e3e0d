import { describe, expect, test } from 'vitest'
import { parseCommand } from '../support/runner/commands.ts'
import { interpolate, isMet, type JobStatus } from '../support/runner/expressions.ts'
import { parsePairs } from '../support/runner/file-commands.ts'
import { createMasks } from '../support/runner/masks.ts'
import { createStepLog, type StepLog } from '../support/runner/step-log.ts'

const KNOWN = new Set(['error', 'set-output', 'add-mask'])

describe('a line of output', () => {
  test.each([
    ['a command', '::error::broken', { name: 'error', properties: {}, data: 'broken' }],
    ['a command after blanks', '  \t::error::x', { name: 'error', properties: {}, data: 'x' }],
    ['a command in capitals', '::ERROR::x', { name: 'error', properties: {}, data: 'x' }],
    [
      'properties and escapes',
      '::error file=a%3Ab%2Cc.ts,line=3::one%0Atwo%25',
      { name: 'error', properties: { file: 'a:b,c.ts', line: '3' }, data: 'one\ntwo%' },
    ],
    ['the older form anywhere', 'said: ##[error]x', { name: 'error', properties: {}, data: 'x' }],
    [
      'the older form with properties',
      '##[set-output name=a%3B;x=y]v%5D',
      { name: 'set-output', properties: { name: 'a;', x: 'y' }, data: 'v]' },
    ],
    ['a command after a next-line character', '\u0085::error::x', { name: 'error', properties: {}, data: 'x' }],
    ['the newer form in the middle', 'said ::error::x', undefined],
    ['an unknown name', '::colour::red', undefined],
    ['an unknown name before an older command', '::x::##[error]y', { name: 'error', properties: {}, data: 'y' }],
    ['text', 'error: x', undefined],
  ])('%s', (_, line, command) => {
    expect(parseCommand(line, KNOWN)).toEqual(command)
  })
})

describe('the log of a step', () => {
  function logOf(...lines: string[]): StepLog {
    const log = createStepLog({ masks: createMasks(['sesame']), workspace: '/ws' })
    for (const line of lines) log.write(line)
    return log
  }

  test('annotations beyond ten of a kind are only logged', () => {
    const log = logOf(...Array.from({ length: 12 }, (_, index) => `::error::${index}`), '::warning::w', '::notice::n')
    expect(log.annotations.map((annotation) => annotation.message)).toEqual([...'0123456789', 'w', 'n'])
    expect(log.lines).toHaveLength(14)
  })

  test('a message is cut at 4,096 characters and masked', () => {
    const [annotation] = logOf(`::error::sesame${'x'.repeat(5000)}`).annotations
    expect(annotation?.message).toBe(`***${'x'.repeat(4093)}`)
  })

  test.each([
    ['file=/ws/a.ts,line=2,col=3,endColumn=5', { file: 'a.ts', line: 2, endLine: 2, col: 3, endColumn: 5 }],
    ['file=a.ts,line=2,endLine=4,col=3', { file: 'a.ts', line: 2, endLine: 4 }],
    ['file=a.ts,endLine=4', { file: 'a.ts', line: 4, endLine: 4 }],
    ['file=a.ts,line=4,endLine=2', { file: 'a.ts', line: 4 }],
    ['file=a.ts,col=2', { file: 'a.ts' }],
    ['title=A%3AB', { title: 'A:B' }],
  ])('the place %s', (properties, place) => {
    expect(logOf(`::notice ${properties}::m`).annotations).toEqual([{ level: 'notice', message: 'm', ...place }])
  })

  test('commands stand still between stop-commands and its token', () => {
    const log = logOf('::stop-commands::halt-123', '::error::no', '##[error]no', '::halt-123::', '::error::yes')
    expect(log.annotations.map((annotation) => annotation.message)).toEqual(['yes'])
    expect(log.lines).toContain('::error::no')
  })

  test.each([[''], ['error'], ['pause-logging']])('the stop token "%s" fails the step', (token) => {
    expect(logOf(`::stop-commands::${token}`).failed).toBe(true)
  })

  test.each([['::set-env name=A::b'], ['##[add-path]/evil'], ['agent says ##[set-env name=A]b']])(
    '%s fails the step',
    (line) => {
      expect(logOf(line).failed).toBe(true)
    },
  )

  test('a masked value is masked from then on, line by line', () => {
    expect(logOf('a secret', '::add-mask::secret%0Asecond', 'secret and second').lines).toEqual([
      'a secret',
      '*** and ***',
    ])
  })

  test('deprecated outputs still count', () => {
    const log = logOf('::set-output name=a::1', '##[save-state name=b]2')
    expect([log.outputs, log.state, log.annotations.length]).toEqual([{ a: '1' }, { b: '2' }, 2])
  })
})

describe('files of NAME=value', () => {
  test.each([
    ['a line each', 'a=1\nb=x=y\n', { a: '1', b: 'x=y' }],
    ['a block', 'a<<END\none\n\ntwo\nEND\nb=2', { a: 'one\n\ntwo', b: '2' }],
    ['an equals sign in the delimiter', 'a<<=x\nv\n=x', { a: 'v' }],
    ['a byte-order mark', '\uFEFFa=1', { a: '1' }],
    ['a carriage return, which is part of the value', 'a=1\r\nb<<END\nx\r\nEND\n', { a: '1\r', b: 'x\r' }],
    ['an empty block', 'a<<END\nEND', { a: '' }],
    ['a delimiter with an angle', 'a<<<END\n END\n<END', { a: ' END' }],
    ['nothing', '', {}],
  ])('%s', (_, text, pairs) => {
    expect(parsePairs(text)).toEqual(pairs)
  })

  test.each([
    ['no operator', 'word', "Invalid format 'word'"],
    ['no name', '=x', 'Name must not be empty'],
    ['no end', 'a<<END\nx', "Matching delimiter not found 'END'"],
  ])('%s', (_, text, message) => {
    expect(() => parsePairs(text)).toThrow(message)
  })
})

describe('expressions', () => {
  const contexts = { github: { token: 't', event: { number: 7 } }, steps: { a: { outputs: { x: 'y' } } }, env: {} }

  test.each([
    ['${{ github.token }}', 't'],
    ['pr-${{ github.event.number }}-${{ steps.a.outputs.x }}', 'pr-7-y'],
    ["${{ format('{0}}}', 'a}}') }}", 'a}}}'.slice(0, 4)],
    ["${{ github.event_name == 'push' && 'yes' || 'no' }}", 'no'],
    ['${{ github.nothing }}', ''],
    ['${{ toJSON(github.event) }}', '{\n  "number": 7\n}'],
    ['no expression', 'no expression'],
  ])('%s is %s', (text, value) => {
    expect(interpolate(text, contexts)).toBe(value)
  })

  test.each<[string, JobStatus, boolean]>([
    ['always()', 'failure', true],
    ['success()', 'failure', false],
    ["steps.a.outputs.x == 'y'", 'success', true],
    ["steps.a.outputs.x == 'y'", 'failure', false],
    ["${{ failure() && steps.a.outputs.x == 'y' }}", 'failure', true],
    ['!cancelled()', 'failure', true],
    ['cancelled()', 'cancelled', true],
  ])('the condition %s after %s is %s', (condition, status, met) => {
    expect(isMet(condition, contexts, status)).toBe(met)
  })

  test('an unknown context is an error', () => {
    expect(() => interpolate('${{ gihtub.token }}', contexts)).toThrow()
  })
})
