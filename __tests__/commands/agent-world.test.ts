import { mkdirSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { createRedactor } from '../../src/lib/redact.ts'
import { suiteOf } from '../support/command-line.ts'
import { SUITE, seedApps } from '../support/seed-app.ts'

const { open, asked } = seedApps()
const passing = suiteOf({ id: 'T001', input: 'Hello', assert: { type: 'contains', value: 'Hello' } })
const PROMPT = 'assistants/keyword/prompts.yml'
const saying = (text: string) => ({ [PROMPT]: `- role: system\n  content: "${text}"\n` })
const system = (index = 0) => JSON.stringify(asked()[index]?.messages?.filter(({ role }) => role === 'system'))

describe('-a names the application', () => {
  test('for an agent that is named, from anywhere', async () => {
    const app = open()
    mkdirSync(app.at('elsewhere'))
    const { code, stdout } = await app.run(['-i', 'Hi there', '-n', 'keyword', '-a', '..'], { cwd: 'elsewhere' })
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Hi there\n' })
  })

  test.each([
    ['a suite', ['-i', SUITE]],
    ['a folder', ['-i', 'assistants/keyword/tests']],
    ['a ctx file', ['-i', SUITE, '--ctx', 'ctx.json']],
  ])('and %s that is not in the working directory is looked for there', async (_, args) => {
    const app = open({ [SUITE]: passing, 'ctx.json': '{ "locale": "de-de" }' })
    mkdirSync(app.at('elsewhere'))
    const { code, stderr } = await app.run([...args, '--app', '..', '-o', 'out.json'], { cwd: 'elsewhere' })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(system()).toContain(args.includes('--ctx') ? 'locale de-de' : 'locale en-us')
  })

  test('what is in the working directory goes first, and a word of a message is no folder', async () => {
    const app = open({ [SUITE]: passing, [`elsewhere/${SUITE}`]: suiteOf({ id: 'near', input: 'x' }) })
    await app.run(['-i', SUITE, '-n', 'keyword', '-a', '..', '-o', 'out.json'], { cwd: 'elsewhere' })
    expect(app.json('elsewhere/out.json').results).toMatchObject([{ id: 'near' }])
    expect((await app.run(['-i', 'agent', '-n', 'keyword', '-a', '..'], { cwd: 'elsewhere' })).stdout).toBe('agent\n')
  })

  test.each([
    ['nothing', 'no', '--app: there is no folder "no"'],
    ['a file', 'app.yao', '--app: there is no folder "app.yao"'],
    ['a folder with nothing of an application', 'connectors', '--app: "connectors" is no Yao application'],
  ])('%s is a mistake', async (_, app, problem) => {
    const { code, stderr } = await open().run(['-i', 'Hi', '-n', 'keyword', '-a', app])
    expect(code).toBe(1)
    expect(stderr).toContain(problem)
  })
})

describe('-e names a file of variables', () => {
  test('for connectors and prompts, over those that are set, as dotenv writes them', async () => {
    const app = open(saying('$ENV.GREETING and $ENV.PLACE, $ENV.KEPT'))
    writeFileSync(
      app.at('my.env'),
      '\uFEFF# of mine\r\nexport GREETING="Hello\r\nyou" # why\r\nPLACE=\'here # there\'\r\n',
    )
    const env = { GREETING: 'no', KEPT: 'kept' }
    expect((await app.run(['-i', 'Hi', '-n', 'keyword', '-e', 'my.env'], { env })).code).toBe(0)
    expect(system()).toContain('Hello\\nyou and here # there, kept')
  })

  test('whose keys are secrets from then on', async () => {
    const text = JSON.stringify({
      type: 'openai',
      options: { host: 'http://127.0.0.1:9', model: 'm', key: '$ENV.MODEL_KEY' },
    })
    const app = open({
      'connectors/other.conn.yao': text,
      'my.env': 'MODEL_KEY=quite-secret-0815\nPLACE=in-the-open\n',
    })
    const secrets = createRedactor()
    await app.run(['-i', 'Hi', '-n', 'keyword', '-e', 'my.env'], { secrets })
    expect(secrets.redact('quite-secret-0815 in-the-open')).toBe('[redacted] in-the-open')
  })

  test.each<[string, string, string]>([
    ['that is not there', 'no.env', 'no.env: file not found'],
    ['that is a folder', 'connectors', 'connectors: not a regular file'],
    ['that is not text', 'bytes.env', 'bytes.env: not UTF-8 text'],
    ['that is empty', 'empty.env', 'empty.env: there is no variable in this file (one is NAME=value)'],
    [
      'with a line that is no variable',
      'bad.env',
      'bad.env:3: "GARBAGE" is no variable (one is NAME=value; a comment starts with #)',
    ],
    [
      'that would lift what CI confines',
      'bad.env',
      'bad.env:1: CI: is a setting of agent-test, which a file cannot change',
    ],
    ['that would widen the workspace', 'bad.env', 'bad.env:5: GITHUB_WORKSPACE: is a setting of agent-test'],
    ['that would allow more variables', 'bad.env', 'bad.env:6: AGENT_TEST_PROMPT_ENV: is a setting of agent-test'],
  ])('a file %s is a mistake', async (_, file, problem) => {
    const app = open({
      'empty.env': '# nothing\n',
      'bad.env': 'CI=false\nA=1\nGARBAGE\nB=2\nexport GITHUB_WORKSPACE=/\nAGENT_TEST_PROMPT_ENV=HOME\n',
    })
    writeFileSync(app.at('bytes.env'), Buffer.from([0x41, 0x3d, 0xff]))
    const { code, stderr } = await app.run(['-i', 'Hi', '-n', 'keyword', '-e', file])
    expect(code).toBe(1)
    expect(stderr).toContain(problem)
    expect(asked()).toEqual([])
  })

  test('results are not written over it', async () => {
    const app = open({ 'my.env': 'A=1\n', [SUITE]: passing })
    const { code, stderr } = await app.run(['-i', SUITE, '-e', 'my.env', '-o', 'my.env'])
    expect(code).toBe(1)
    expect(stderr).toContain('the file of variables and would be overwritten')
  })
})

describe('--strict', () => {
  const typo = suiteOf({ id: 'T001', input: 'Hello', optoins: {} })

  test('makes an error of what is a warning otherwise, in a suite and in a message', async () => {
    const app = open({ [SUITE]: typo })
    const args = ['-i', SUITE, '-i', '{"role":"user","content":"x","nmae":"y"}', '-n', 'keyword', '-o', 'out.json']
    const mild = await app.run(args)
    expect(mild.code).toBe(0)
    expect(mild.host.warnings).toEqual([
      `warning: ${SUITE}:1: optoins: unknown field, ignored (did you mean "options"?)`,
      'warning: message/T001: input.nmae: unknown field, ignored (did you mean "name"?)',
    ])
    const strict = await app.run([...args, '--strict'])
    expect(strict.code).toBe(1)
    expect(strict.host.warnings).toEqual([
      `error: ${SUITE}:1: optoins: unknown field (did you mean "options"?)`,
      'error: message/T001: input.nmae: unknown field (did you mean "name"?)',
    ])
    expect(asked()).toHaveLength(2)
  })
})

describe('--allow-outside', () => {
  test('lets a suite attach what lies outside of the workspace, where CI is set', async () => {
    const app = open({ 'outside.txt': 'S' })
    const suite = suiteOf({
      id: 'T001',
      input: { content: [{ type: 'file', source: `file://${app.at('outside.txt')}` }] },
    })
    writeFileSync(app.at('assistants/keyword/s.jsonl'), suite)
    const world = { cwd: 'assistants/keyword', env: { CI: 'true' } }
    const refused = await app.run(['-i', 's.jsonl', '-o', 'out.json'], world)
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain('the file lies outside of the workspace')
    expect((await app.run(['-i', 's.jsonl', '-o', 'out.json', '--allow-outside'], world)).code).toBe(0)
    expect(asked()).toHaveLength(1)
  })
})

describe('warnings', () => {
  const files = {
    [SUITE]: suiteOf({ id: 'T001', input: 'Hello', options: { mode: 'task', serach: true } }),
    ...saying('$ENV.NOT_SET'),
  }
  const warned = [
    `${SUITE}:1: options.serach: unknown field, ignored (did you mean "search"?)`,
    `${SUITE}: options.mode: no effect, for the agent has no hooks (yao:keyword)`,
    `${PROMPT}:1: $ENV.NOT_SET is not set; its place in the prompt stays empty, as in Yao`,
  ]

  test('of the suite, of its options and of the agent reach the log and the reports, each once', async () => {
    const app = open(files)
    const { host } = await app.run(['-i', SUITE, '-o', 'out.json', '-o', 'out.md'])
    const told = host.warnings.map((text) => text.replace('warning: ', ''))
    expect(told.map((text) => text.replace(/prompts\.yml:\d+/, 'prompts.yml:1'))).toEqual(warned)
    expect(app.json('out.json')['metadata']).toMatchObject({ warnings: told })
    expect(app.read('out.md').match(/- Warning: /g)).toHaveLength(3)
  })

  test('are told beside mistakes, too', async () => {
    const { host } = await open(files).run(['-i', SUITE, '-r', 'no.such', '-o', 'out.md'])
    const [error, ...told] = host.warnings.toReversed()
    expect(error).toContain('error: --reporter')
    expect(told.toReversed()).toEqual(warned.map((text) => `warning: ${text}`))
  })

  test('a chat endpoint says which options mean nothing to it', async () => {
    const options = { connector: 'm', mode: 'chat', search: true, metadata: {}, skip: { history: true } }
    const app = open({
      's.jsonl': suiteOf({ id: 'T001', input: 'Hello', options }, { id: 'T002', input: 'x', options }),
    })
    const { host } = await app.run(['-i', 's.jsonl', '--target', 'http:http://127.0.0.1:9/v1', '--dry-run'])
    expect(host.warnings).toEqual([
      'warning: s.jsonl: options.metadata, options.mode, options.search: a chat endpoint knows nothing of it (http:127.0.0.1:9/v1#default)',
    ])
  })
})

describe('the reporter agent', () => {
  test('that could not answer is a mistake before the first call, not after the last', async () => {
    const app = open({
      [SUITE]: passing,
      'assistants/report/broken/package.yao': '{ "name": "b", "connector": "no.such" }',
      'assistants/report/broken/prompts.yml': '- role: system\n  content: x\n',
    })
    const { code, stderr } = await app.run(['-i', SUITE, '-r', 'report.broken', '-o', 'out.md'])
    expect(code).toBe(1)
    expect(stderr).toContain('unknown connector "no.such"')
    expect(asked()).toEqual([])
  })

  test('leaves the place of the built-in report alone', async () => {
    const app = open({ [SUITE]: passing })
    const outputs = ['-o', 'out.built-in.md', '-o', 'out.md']
    const { code, stderr } = await app.run(['-i', SUITE, '-r', 'report.html', ...outputs])
    expect(code).toBe(1)
    expect(stderr).toContain('--output: out.built-in.md is where the built-in report is kept beside out.md')
  })

  test('works for a direct message, and sees who asks', async () => {
    const app = open()
    const { stdout } = await app.run([
      '-i',
      'Hi there',
      '-n',
      'keyword',
      '-r',
      'report.html',
      '-o',
      'out.html',
      '-u',
      'ann',
    ])
    expect(stdout).toBe('Hi there\n')
    expect(system(1)).toContain('I am report.html for ann of test-team')
    expect(app.read('out.html')).toContain('<h1>')
  })
})

test('-v tells of the setting of a direct message on the log, and only the answer is printed', async () => {
  const { stdout, host } = await open().run(['-i', 'Hi there', '-n', 'keyword', '-v', '-u', 'ann'])
  expect(stdout).toBe('Hi there\n')
  expect(host.infos.join('\n')).toMatch(
    /Agent +yao:keyword\n +Identity +user ann \(given\), team test-team, locale en-us\n/,
  )
})
