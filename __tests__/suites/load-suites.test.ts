import { once } from 'node:events'
import { mkdirSync, symlinkSync, truncateSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { loadSuites } from '../../src/suites/index.ts'
import { fakeHost } from '../support/fake-host.ts'
import { casesOf, described, folderWith } from './folder.ts'

const CASE = '{"id":"a","input":"Hello"}'
const tree = {
  'top.jsonl': CASE,
  'tests/b.jsonl': CASE,
  'tests/a.jsonl': CASE,
  'tests/context.json': '{"locale":"en"}',
  'tests/output-20240101000000.jsonl': '{"type":"start"}',
  'tests/deep/c.jsonl': CASE,
  'tests/node_modules/pkg/n.jsonl': CASE,
  'mcps/mapping/echo/schemes/echo.jsonl': '{"input":{},"output":{}}',
  'odd [x]{y}/tests/o.jsonl': CASE,
  'cases.json': CASE,
  'notes.txt': 'hi',
  'empty/readme.md': '',
}

async function load(inputs: readonly string[], cwd = folderWith(tree)) {
  const host = fakeHost({ cwd })
  const loaded = await loadSuites({ inputs, host })
  return {
    names: loaded.suites.map(({ name }) => name),
    problems: described(loaded),
    warnings: loaded.warnings,
    loaded,
    cwd,
  }
}

describe('suites are found', () => {
  test.each<[string, string[], string[]]>([
    ['a file', ['tests/a.jsonl'], ['tests/a.jsonl']],
    ['a .json file', ['cases.json'], ['cases.json']],
    ['a path written with ./', ['./tests/../top.jsonl'], ['top.jsonl']],
    [
      'a folder, sorted, without results and packages',
      ['tests'],
      ['tests/a.jsonl', 'tests/b.jsonl', 'tests/deep/c.jsonl'],
    ],
    ['a folder with a slash at the end', ['tests/'], ['tests/a.jsonl', 'tests/b.jsonl', 'tests/deep/c.jsonl']],
    ['a folder whose name looks like a glob', ['odd [x]{y}'], ['odd [x]{y}/tests/o.jsonl']],
    [
      'the working directory',
      ['.'],
      ['odd [x]{y}/tests/o.jsonl', 'tests/a.jsonl', 'tests/b.jsonl', 'tests/deep/c.jsonl', 'top.jsonl'],
    ],
    ['a glob', ['tests/*.jsonl'], ['tests/a.jsonl', 'tests/b.jsonl']],
    ['a glob for everything takes suites only', ['tests/*'], ['tests/a.jsonl', 'tests/b.jsonl']],
    ['a glob that names .json', ['*.{json,jsonl}'], ['cases.json', 'top.jsonl']],
    [
      'several inputs in their order, each file once',
      ['top.jsonl', 'tests/b.jsonl', 'tests/*.jsonl'],
      ['top.jsonl', 'tests/b.jsonl', 'tests/a.jsonl'],
    ],
    ['a folder without a file', ['tests', '!tests/b.jsonl'], ['tests/a.jsonl', 'tests/deep/c.jsonl']],
    ['a folder without a folder in it', ['!tests/deep', 'tests'], ['tests/a.jsonl', 'tests/b.jsonl']],
    ['a folder without what a glob takes away', ['tests', '!**/{a,c}.jsonl'], ['tests/b.jsonl']],
  ])('%s', async (_, inputs, names) => {
    const { problems, warnings, ...found } = await load(inputs)
    expect({ problems, warnings, names: found.names }).toEqual({ problems: [], warnings: [], names })
  })

  test.each<[string, string]>([
    ['results', '{"type":"start","schemaVersion":1,"timestamp":"2026-01-01T00:00:00Z"}\n{"type":"result","id":"a"}\n'],
    ['a cassette', '{"schemaVersion":1,"model":"m","messages":[],"run":1,"answer":{"text":""}}\n'],
    ['a report', '{\n  "schemaVersion": 1,\n  "summary": {}\n}\n'],
  ])('without %s among them, whatever its name; by name it is read', async (_, text) => {
    const cwd = folderWith({ 'tests/a.jsonl': CASE, 'tests/b.jsonl': text, 'only/b.jsonl': text })
    for (const input of ['tests', 'tests/*.jsonl', 'tests/*']) {
      expect(await load([input], cwd)).toMatchObject({ names: ['tests/a.jsonl'], problems: [] })
    }
    expect((await load(['only'], cwd)).problems).toEqual([expect.stringContaining('no suite in the folder "only"')])
    expect((await load(['only/b.jsonl'], cwd)).problems).toContain('only/b.jsonl:1: id: required')
  })

  test('outside of the working directory, with .. in the name', async () => {
    const cwd = folderWith(tree)
    expect((await load(['../top.jsonl', '../tests/deep', '../*.jsonl'], join(cwd, 'tests'))).names).toEqual([
      '../top.jsonl',
      'deep/c.jsonl',
    ])
    expect((await load([join(cwd, 'top.jsonl')], cwd)).loaded.suites[0]).toMatchObject({
      name: 'top.jsonl',
      path: join(cwd, 'top.jsonl'),
    })
  })

  test('through links, each file once, however they lead around', async () => {
    const cwd = folderWith({ 'real/a.jsonl': CASE, 'suites/b.jsonl': CASE })
    symlinkSync(join(cwd, 'real'), join(cwd, 'suites/linked'))
    symlinkSync(cwd, join(cwd, 'suites/around'))
    expect((await load(['.'], cwd)).names).toEqual(['real/a.jsonl', 'suites/b.jsonl'])
    expect((await load(['suites/linked'], cwd)).names).toEqual(['suites/linked/a.jsonl'])
  })

  test('an exclude that takes nothing away is a warning', async () => {
    const { names, warnings } = await load(['top.jsonl', '!tests/slwo/**'])
    expect(names).toEqual(['top.jsonl'])
    expect(warnings).toEqual(['"!tests/slwo/**" takes no suite away'])
  })
})

describe('what cannot be found is a problem', () => {
  test.each<[string, string[], string]>([
    ['a missing file', ['tests/no.jsonl'], 'file "tests/no.jsonl" not found (looked from CWD)'],
    [
      'a missing folder',
      ['tests/no/'],
      '"tests/no/" looks like a path, but there is no such file or folder (a message needs more than one word to be told from a path)',
    ],
    [
      'a missing path with blanks',
      ['./my tests/'],
      '"./my tests/" looks like a path, but there is no such file or folder (a message needs more than one word to be told from a path)',
    ],
    [
      'a folder without suites',
      ['empty'],
      'no suite in the folder "empty" (looked for files that end in .jsonl, .yaml or .yml)',
    ],
    [
      'a glob without a match',
      ['tests/*.jsonl.bak/*'],
      'no file matches "tests/*.jsonl.bak/*" (suites end in .jsonl, .json, .yaml or .yml)',
    ],
    [
      'a glob that matches other files',
      ['empty/*'],
      'no file that matches "empty/*" is a suite (suites end in .jsonl, .json, .yaml or .yml)',
    ],
    [
      'a file that is no suite',
      ['notes.txt'],
      '"notes.txt" is not a suite (suites end in .jsonl, .json, .yaml or .yml)',
    ],
    ['an empty input', ['  '], 'an input is empty (give a suite, a folder, a glob or a message)'],
    ['a script id', ['scripts.expense.setup'], 'there is no script test assistants/expense/src/setup_test.ts'],
    [
      'generated cases',
      ['agents:lab.gen?count=3'],
      '"agents:lab.gen?count=3" asks for generated cases, and cases are only read from files (let the agent write them once with -i MESSAGE -n lab.gen, check them, and keep them as a JSONL suite)',
    ],
    [
      'cases that a script generates',
      ['scripts:lab.Gen'],
      '"scripts:lab.Gen" asks for generated cases, and cases are only read from files (keep what the function returns as a JSONL suite; script tests are named scripts.ASSISTANT.MODULE, with a dot)',
    ],
    [
      'nothing but excludes',
      ['!tests'],
      'nothing is left to run: "!tests" (a word that starts with ! takes suites away; a message needs more than one word)',
    ],
  ])('%s', async (_, inputs, problem) => {
    const { problems, cwd } = await load(inputs)
    expect(problems.map((text) => text.replace(cwd, 'CWD'))).toEqual([problem])
  })

  test('a suite that is no regular file, or too large', async () => {
    const cwd = folderWith({ 'big.jsonl': '' })
    truncateSync(join(cwd, 'big.jsonl'), 300 * 1024 * 1024)
    const server = createServer().listen(join(cwd, 'pipe.jsonl'))
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    expect((await load(['big.jsonl', 'pipe.jsonl'], cwd)).problems).toEqual([
      'big.jsonl: 300 MiB is more than 256 MiB (split the suite into several files)',
      'pipe.jsonl: not a regular file',
    ])
  })

  test('the mistakes of all inputs and files come together', async () => {
    const cwd = folderWith({ 'a.jsonl': '{"id":1,"input":"x"}\noops', 'b.jsonl': '', 'c.jsonl': CASE })
    mkdirSync(join(cwd, 'd.jsonl'))
    const { problems, names } = await load(['a.jsonl', 'b.jsonl', 'c.jsonl', 'no.jsonl', 'd.jsonl', 'what.now/'], cwd)
    expect(problems.map((text) => text.split(' ')[0])).toEqual([
      'file',
      'no',
      '"what.now/"',
      'a.jsonl:1:',
      'a.jsonl:2:',
      'b.jsonl:',
    ])
    expect(names).toEqual(['a.jsonl', 'b.jsonl', 'c.jsonl'])
  })
})

describe('direct messages', () => {
  test.each([
    ['Hello'],
    ['Extract keywords: AI and ML'],
    ['please read config.json'],
    ['scripts.are fun'],
    ['Really?'],
    ['{"a":[1]}'],
    ['https://example.com/a?b=c'],
    ['agents: how do they work?'],
    ['!important: answer'],
    ['see tests/*.jsonl for more'],
    ['\u4f60\u597d'],
  ])('%s', async (text) => {
    const { loaded, problems, cwd } = await load([text])
    expect(problems).toEqual([])
    expect(loaded.suites).toEqual([
      {
        name: 'message',
        path: cwd,
        warnings: [],
        cases: [
          {
            key: 'message/T001',
            id: 'T001',
            suite: 'message',
            location: { file: 'message', line: 1 },
            input: text,
            messages: [{ role: 'user', content: text }],
            assertions: [],
            options: {},
            metadata: {},
            fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/),
          },
        ],
      },
    ])
  })

  test('one word that is too long for a glob', async () => {
    const { loaded, problems } = await load(['?'.repeat(70_000)])
    expect(problems).toEqual([])
    expect(casesOf(loaded)).toHaveLength(1)
  })

  test('several are cases of one suite, beside files', async () => {
    const { loaded, names } = await load(['Hello there', 'top.jsonl', 'And you?'])
    expect(names).toEqual(['top.jsonl', 'message'])
    expect(casesOf(loaded).map(({ key }) => key)).toEqual(['top.jsonl/a', 'message/T001', 'message/T002'])
  })
})
