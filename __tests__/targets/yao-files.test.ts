import { describe, expect, test } from 'vitest'
import { aCase } from '../support/builders.ts'
import { problemsOf } from '../support/problems-of.ts'
import { collect } from '../support/run-request.ts'
import { tempFolders } from '../support/temp-folder.ts'
import { yaoTestbed } from '../support/yao-testbed.ts'

const { serve, open } = yaoTestbed()
const folder = tempFolders()

const app = (files: Record<string, string>) =>
  folder({
    'app.yao': '{}',
    'connectors/m.conn.yao': '{ "type": "openai", "options": { "host": "$ENV.HOST", "model": "m-1" } }',
    'assistants/a/package.yao': '{ "name": "A", "connector": "m" }',
    'assistants/a/prompts.yml': '- role: system\n  content: Be kind\n',
    ...files,
  }).path

const env = { HOST: 'http://127.0.0.1:1' }

/** Problems of opening the assistant, or of one case when it opened. */
async function problems(
  files: Record<string, string>,
  { item = aCase(), world = {} }: { item?: ReturnType<typeof aCase>; world?: Record<string, string> } = {},
) {
  const opening = open({ name: 'a' }, { cwd: app(files), env: { ...env, ...world } })
  const opened = await opening.catch(() => undefined)
  return opened ? opened.target.check?.(item) : problemsOf(opening)
}

const PACKAGE = 'assistants/a/package.yao'
const PROMPTS = 'assistants/a/prompts.yml'

describe('what is wrong with an assistant is told with file and line', () => {
  test.each<[string, Record<string, string>, object[]]>([
    [
      'broken JSON',
      { [PACKAGE]: '{\n  "name": "A"\n  "connector": "m"\n}' },
      [{ file: PACKAGE, line: 3, message: 'not JSON: comma expected' }],
    ],
    [
      'a wrong type',
      { [PACKAGE]: '{\n  "name": "A",\n  "options": "hot"\n}' },
      [{ file: PACKAGE, line: 3, field: 'options', message: 'expected an object' }],
    ],
    [
      'no name',
      { [PACKAGE]: '{}' },
      [{ file: PACKAGE, line: 1, field: 'name', message: 'expected the name of the assistant' }],
    ],
    [
      'broken YAML',
      { [PROMPTS]: '- role: system\n  content: "open\n' },
      [{ file: PROMPTS, message: expect.stringContaining('not YAML') }],
    ],
    [
      'prompts that are no list',
      { [PROMPTS]: 'role: system\n' },
      [{ file: PROMPTS, line: 1, message: expect.stringContaining('a list of prompts') }],
    ],
    [
      'misspelt and missing roles',
      { [PROMPTS]: '- role: sytem\n  content: x\n- content: y\n- just text\n' },
      [
        { file: PROMPTS, line: 1, field: '[0]', message: 'unknown role "sytem"', hint: 'did you mean "system"?' },
        { file: PROMPTS, line: 3, field: '[1]', message: 'a prompt without a role' },
        { file: PROMPTS, line: 4, field: '[2]', message: 'expected role and content' },
      ],
    ],
    [
      'misspelt contents',
      { [PROMPTS]: '- role: system\n- role: user\n  contents: x\n- role: user\n  content:\n  contnet: x\n' },
      [
        {
          file: PROMPTS,
          line: 2,
          field: '[1]',
          message: 'a prompt without content, but with "contents"',
          hint: 'did you mean "content"?',
        },
      ],
    ],
    [
      'everything at once',
      {
        [PACKAGE]: '{ "name": 5 }',
        'assistants/a/prompts/x.yml': '- role: bot\n  content: x\n',
        'agent/prompts.yml': '{',
        'assistants/a/locales/en.yml': 'a: [',
      },
      [
        { file: PACKAGE, line: 1, field: 'name' },
        { file: 'assistants/a/prompts/x.yml', line: 1 },
        { file: 'agent/prompts.yml' },
        { file: 'assistants/a/locales/en.yml' },
      ],
    ],
    [
      'a line after an asset is still the line of the file',
      {
        'assistants/a/assets/long.md': 'a\nb\nc\nd\n',
        [PROMPTS]: '- role: system\n  content: @assets/long.md\n- role: bot\n  content: x\n',
      },
      [{ file: PROMPTS, line: 3 }],
    ],
    [
      'no prompts at all',
      { [PROMPTS]: '' },
      [{ file: PACKAGE, line: 1, message: expect.stringContaining('no prompts') }],
    ],
  ])('%s', async (_, files, expected) => {
    const found = await problems(files)
    expect(found).toMatchObject(expected)
    expect(found).toHaveLength(expected.length)
  })

  test.each<[string, string, object]>([
    [
      'unknown',
      'frendly',
      {
        field: 'metadata.__prompt_preset',
        message: 'unknown prompt preset "frendly"',
        hint: 'did you mean "friendly"?',
      },
    ],
    [
      'empty',
      'hollow',
      { message: 'prompt preset "hollow" is empty', hint: 'known presets: friendly, hollow, inline' },
    ],
  ])('an %s preset', async (_, preset, expected) => {
    const files = {
      'assistants/a/prompts/friendly.yml': '- role: system\n  content: x\n',
      'assistants/a/prompts/hollow.yml': '# nothing yet\n',
      [PACKAGE]:
        '{ "name": "A", "connector": "m", "prompt_presets": { "inline": [{ "role": "system", "content": "y" }] } }',
    }
    expect(await problems(files, { item: aCase({ metadata: { __prompt_preset: preset } }) })).toMatchObject([expected])
  })
})

describe('environment variables in prompts', () => {
  const files = { [PROMPTS]: '- role: system\n  content: |\n    Say $ENV.COMPANY and $ENV.REGION\n' }

  test('in CI only what is allowed by name may be sent', async () => {
    const found = await problems(files, {
      world: { CI: 'true', COMPANY: 'ACME', AGENT_TEST_ENV_ALLOW: 'REGION, OTHER' },
    })
    expect(found).toMatchObject([
      {
        file: PROMPTS,
        line: 1,
        message: 'the prompt would send the environment variable COMPANY to the model',
        hint: expect.stringContaining('AGENT_TEST_ENV_ALLOW'),
      },
    ])
  })

  test.each([
    ['in CI when allowed', { CI: '1', AGENT_TEST_ENV_ALLOW: 'COMPANY,REGION' }],
    ['outside of CI', {}],
    ['where CI says false', { CI: 'false' }],
  ])('are sent %s, an unset one stays empty with a warning', async (_, world) => {
    const model = await serve()
    const { target, host } = await open(
      { name: 'a' },
      { cwd: app(files), env: { HOST: model.host, COMPANY: 'ACME', ...world } },
    )
    expect(target.check?.(aCase())).toEqual([])
    await collect(target)
    expect(model.requests[0]?.body.messages?.[0]).toEqual({ role: 'system', content: 'Say ACME and \n' })
    expect(host.warnings).toEqual([expect.stringContaining('$ENV.REGION is not set')])
  })

  test('a value is not searched for variables again', async () => {
    const model = await serve()
    const world = { HOST: model.host, COMPANY: '$CTX.USER_ID', REGION: '$ENV.HOST' }
    const { target } = await open({ name: 'a' }, { cwd: app(files), env: world })
    await collect(target)
    expect(model.requests[0]?.body.messages?.[0]?.content).toBe('Say $CTX.USER_ID and $ENV.HOST\n')
  })
})

describe('what is not run', () => {
  test('is listed once, when the assistant is opened', async () => {
    const files = {
      'assistants/a/src/index.ts': 'export function Next(ctx) {\n  return { data: new Store("x").Get("y") }\n}',
      'assistants/a/src/index_test.ts': 'new FS("data")',
      [PACKAGE]: `{ "name": "A", "connector": "m", "uses": { "web": "disabled", "vision": "agent" }, "kb": { "collections": ["x"] },
        "mcp": { "servers": ["echo", { "server_id": "files" }, { "db": ["query"] }] }, "options": { "temprature": 1 } }`,
    }
    const { host, target } = await open({ name: 'a' }, { cwd: app(files), env })
    expect(target.check?.(aCase())).toEqual([])
    expect(host.warnings).toEqual([
      'assistants/a/package.yao:2: options.temprature is not sent to the model (did you mean "temperature"?)',
      'partial coverage of a: not run here: MCP servers (unknown MCP server "echo" (there are none in mcps); unknown MCP server "files" (there are none in mcps); unknown MCP server "db" (there are none in mcps)), uses (vision), kb, Store (assistants/a/src/index.ts:2)',
    ])
  })

  test('anchors, numbers and empty contents are plain YAML', async () => {
    const model = await serve()
    const prompts =
      '- &x\n  role: system\n  content: &c Twice\n- role: user\n  content: *c\n- role: system\n  content: 5\n- role: system\n'
    const { target } = await open({ name: 'a' }, { cwd: app({ [PROMPTS]: prompts }), env: { HOST: model.host } })
    await collect(target)
    expect(model.requests[0]?.body.messages?.slice(0, 4)).toEqual([
      { role: 'system', content: 'Twice' },
      { role: 'user', content: 'Twice' },
      { role: 'system', content: '5' },
      { role: 'system', content: '' },
    ])
  })

  test('a missing asset stays empty with a warning', async () => {
    const cwd = app({ [PROMPTS]: '- role: system\n  content: @assets/none.md\n' })
    const { host } = await open({ name: 'a' }, { cwd, env })
    expect(host.warnings).toEqual([
      'assistants/a/prompts.yml:2: @assets/none.md does not exist; its place stays empty, as in Yao',
    ])
  })
})
