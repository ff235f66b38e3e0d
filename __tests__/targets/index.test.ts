import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { describeProblem, UserError } from '../../src/core/errors.ts'
import { createTarget, parseTarget, targets } from '../../src/targets/index.ts'
import { fakeHost } from '../support/fake-host.ts'

const known = `known types: ${targets.types.join(', ')}`

test.each<[string, string, object]>([
  ['TYPE:VALUE', 'command:node agent.mjs', { type: 'command', run: 'node agent.mjs' }],
  ['colons in the value stay', 'command:agent --at 10:30', { type: 'command', run: 'agent --at 10:30' }],
  ['a value of several lines', 'command:agent\n--fast', { type: 'command', run: 'agent\n--fast' }],
  ['blanks before the type', '  replay:out.jsonl', { type: 'replay', file: 'out.jsonl' }],
  [
    'a JSON object',
    ' {"type":"command","run":["node","a b.mjs"],"format":"events"}',
    { type: 'command', run: ['node', 'a b.mjs'], format: 'events' },
  ],
  ['a JSON object over several lines', '{\n"type": "replay",\n"file": "x"}', { type: 'replay', file: 'x' }],
])('%s', (_, text, config) => {
  expect(parseTarget(text)).toEqual({ config })
})

test.each<[string, string, string[]]>([
  ['nothing', '', [`target: expected TYPE:VALUE or a JSON object, got "" (${known})`]],
  ['no type', 'node agent.mjs', [`target: expected TYPE:VALUE or a JSON object, got "node agent.mjs" (${known})`]],
  ['a list', '["command"]', [`target: expected TYPE:VALUE or a JSON object, got "[\\"command\\"]" (${known})`]],
  ['no value', 'command: ', ['target: nothing after "command:" (write --target command:VALUE)']],
  ['a misspelt type', 'comand:node x', ['target: unknown target type "comand" (did you mean "command"?)']],
  ['an unknown type', 'kubernetes:pod', [`target: unknown target type "kubernetes" (${known})`]],
  ['a type that every object has', 'constructor:x', [`target: unknown target type "constructor" (${known})`]],
  [
    'a misspelt type in JSON',
    '{"type":"replai","file":"x"}',
    ['target.type: unknown target type "replai" (did you mean "replay"?)'],
  ],
  ['no type in JSON', '{"run":"x"}', [`target.type: expected the type of the target as a string (${known})`]],
  [
    'a type that is no string',
    '{"type":["command"]}',
    [`target.type: expected the type of the target as a string (${known})`],
  ],
  [
    'a misspelt setting',
    '{"type":"command","run":"x","formt":"events"}',
    ['target.formt: unknown setting (did you mean "format"?)'],
  ],
  [
    'every wrong setting at once',
    '{"type":"command","run":7,"format":"yaml","shell":true}',
    [
      'target.run: expected a command or a list of words',
      'target.format: expected "text" or "events"',
      'target.shell: unknown setting',
    ],
  ],
  ['a missing setting', '{"type":"replay"}', ['target.file: expected the path of a .jsonl results file']],
  [
    'a prototype is a setting like any other',
    '{"type":"replay","file":"x","__proto__":{}}',
    ['target.__proto__: unknown setting'],
  ],
])('%s is refused', (_, text, problems) => {
  const parsed = parseTarget(text)
  expect('problems' in parsed ? parsed.problems.map(describeProblem) : parsed).toEqual(problems)
})

test.each([
  ['a missing quote', '{"type: "command"}'],
  ['single quotes', "{'type': 'command'}"],
  ['text after the object', '{"type":"command"} x'],
])('JSON with %s is explained', (_, text) => {
  const parsed = parseTarget(text)
  expect(parsed).toMatchObject({
    problems: [
      {
        field: 'target',
        message: expect.stringMatching(/^not a JSON object: .+ JSON/),
        hint: 'in a shell, put single quotes around it',
      },
    ],
  })
})

test.each<[string, { type: string; [setting: string]: unknown }, string[]]>([
  [
    'an unknown type',
    { type: 'comand', run: 'x' },
    ['target.type: unknown target type "comand" (did you mean "command"?)'],
  ],
  [
    'wrong settings',
    { type: 'replay', file: 1, fil: 2 },
    ['target.file: expected the path of a .jsonl results file', 'target.fil: unknown setting (did you mean "file"?)'],
  ],
])('%s cannot be opened, with every problem', async (_, config, problems) => {
  const error: unknown = await createTarget(config, { host: fakeHost() }).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(UserError)
  expect(error).toMatchObject({ code: 'INVALID_TARGET', message: problems.join('\n') })
  expect((error as UserError).problems.map(describeProblem)).toEqual(problems)
})

test('what was parsed can be opened', async () => {
  const parsed = parseTarget(`command:'${process.execPath}' --version`)
  if ('problems' in parsed) throw new Error('expected settings')
  const target = await createTarget(parsed.config, { host: fakeHost({ cwd: tmpdir() }) })
  expect(target.label).toBe(`command:${process.execPath} --version`)
})
