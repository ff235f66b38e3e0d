import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { agentTest, suiteOf } from '../support/command-line.ts'
import { honest, judgeOf, judging, polite, run } from './judging.ts'

const { folder, serve, application } = judging()

describe('judges are checked before anything is called', () => {
  test.each<[string, object, Record<string, string>, RegExp]>([
    [
      'an unknown agent',
      { use: 'agents:lab.jugde' },
      {},
      /suite\.jsonl:1: assert\.use: no assistant "lab\.jugde" in assistants \(did you mean "lab\.judge"\?\)/,
    ],
    [
      'an id that leaves the folder',
      { use: 'agents:../../bot' },
      {},
      /suite\.jsonl:1: assert\.use: no assistant "\.\.\/\.\.\/bot"/,
    ],
    [
      'an unknown connector of the options',
      { options: { connector: 'stong' } },
      {},
      /suite\.jsonl:1: assert\.options\.connector: unknown connector "stong" \(did you mean "strong"\?\)/,
    ],
    [
      'an unknown connector of its own',
      {},
      { 'assistants/lab/judge/package.yao': '{\n "name": "Judge",\n "connector": "nope"\n}' },
      /assistants\/lab\/judge\/package\.yao:3: connector: unknown connector "nope"/,
    ],
    [
      'a broken package',
      {},
      { 'assistants/lab/judge/package.yao': '{ "name": }' },
      /assistants\/lab\/judge\/package\.yao:1: not JSON/,
    ],
    ['a preset that it does not have', { options: { metadata: { __prompt_preset: 'strict' } } }, {}, /strict/],
  ])('%s', async (_, settings, files, message) => {
    const model = await serve(honest)
    const { path } = application(model, [polite('a', 'please', settings)], files)
    const { code, stderr } = await run(path)
    expect([code, model.requests.length]).toEqual([4, 0])
    expect(stderr).toMatch(message)
  })

  test('all of them at once, each at its place', async () => {
    const model = await serve(honest)
    const assert = [judgeOf('x'), { ...judgeOf('y'), use: 'agents:a' }, { ...judgeOf('z'), use: 'agents:b' }]
    const { path } = application(model, [polite('ok', 'please'), { id: 'b', input: 'x', assert }])
    const { stderr } = await run(path)
    expect(stderr).toContain('suite.jsonl:2: assert[1].use: no assistant "a"')
    expect(stderr).toContain('suite.jsonl:2: assert[2].use: no assistant "b"')
  })

  test('a case that is skipped, or not chosen, asks nobody', async () => {
    const model = await serve(honest)
    const unknown = { use: 'agents:nobody' }
    const skipped = { ...polite('skipped', 'x', unknown), skip: true }
    const records = [polite('kind', 'please'), skipped, polite('other', 'x', unknown)]
    const { path } = application(model, records)
    expect((await run(path, ['--run', '^(kind|skipped)$'])).code).toBe(0)
  })
})

describe('where judges are found', () => {
  const ECHO = `
let text = ''
for await (const chunk of process.stdin) text += chunk
process.stdout.write(JSON.parse(text).input)
`
  const target = ['--target', `command:"${process.execPath}" echo.mjs`]

  test('in the application that the suite lies in, for any target', async () => {
    const model = await serve(honest)
    const { path } = application(model, [polite('a', 'please')], { 'echo.mjs': ECHO })
    const { code } = await run(path, target)
    expect(code).toBe(0)
    expect(model.requests.map(({ body }) => body.model)).toEqual(['judge-1'])
  })

  test('in the application of the tested agent, wherever the suite lies', async () => {
    const model = await serve(honest)
    const { path } = application(model, [])
    const { path: elsewhere } = folder({ 'suite.jsonl': suiteOf(polite('a', 'please')) })
    const args = ['-i', 'suite.jsonl', '--target', `yao:${join(path, 'assistants/bot')}`]
    const { code, stderr } = await agentTest(args, { cwd: elsewhere })
    expect([code, stderr]).toEqual([0, ''])
  })

  test('nowhere, where there is no application', async () => {
    const { path } = folder({ 'suite.jsonl': suiteOf(polite('a', 'please')), 'echo.mjs': ECHO })
    const { code, stderr } = await agentTest(['-i', 'suite.jsonl', ...target], { cwd: path })
    expect(code).toBe(1)
    expect(stderr).toContain('suite.jsonl:1: assert.use: no Yao application found for assistant "lab.judge"')
  })
})

describe('recorded judges', () => {
  test('answer as they did, without a provider', async () => {
    const model = await serve(honest)
    const records = [polite('kind', 'please wait'), polite('rude', 'go away')]
    const { path } = application(model, records)
    const live = await run(path, ['--record', 'tape.jsonl', '--runs', '2'])
    const calls = model.requests.length
    expect([live.code, calls]).toEqual([1, 8])
    const tape = (name: string) => JSON.stringify({ type: 'cassette', options: { file: '../tape.jsonl', model: name } })
    const recorded = application(model, records, {
      'tape.jsonl': readFileSync(join(path, 'tape.jsonl'), 'utf8'),
      'connectors/bot.conn.yao': tape('bot-1'),
      'connectors/judge.conn.yao': tape('judge-1'),
    })
    const again = await run(recorded.path, ['--runs', '2'])
    expect([again.code, model.requests.length]).toEqual([1, calls])
    const verdicts = ({ results }: typeof live) =>
      results().map(({ id, passed, failed, error = '' }) => ({ id, passed, failed, error }))
    expect(verdicts(again)).toEqual(verdicts(live))
  })

  test('are recorded again with -c, which stands in for their cassette', async () => {
    const model = await serve(honest)
    const { path } = application(model, [polite('a', 'please')], {
      'connectors/tape.conn.yao': JSON.stringify({
        type: 'cassette',
        options: { file: '../tape.jsonl', model: 'strong-1' },
      }),
      'assistants/bot/package.yao': '{ "name": "Bot", "connector": "tape" }',
      'assistants/lab/judge/package.yao': '{ "name": "Judge", "connector": "tape" }',
      'tape.jsonl': '',
    })
    const before = await run(path)
    expect(before.results()).toMatchObject([{ code: 'CASSETTE_MISS' }])
    expect((await run(path, ['-c', 'strong', '--record', 'tape.jsonl'])).code).toBe(0)
    expect(model.requests.map(({ body }) => body.model)).toEqual(['strong-1', 'strong-1'])
    const again = await run(path)
    expect([again.code, model.requests.length]).toEqual([0, 2])
  })

  test('results do not land on the tape that a judge reads', async () => {
    const model = await serve(honest)
    const { path } = application(model, [polite('a', 'please')], {
      'tape.jsonl': '',
      'connectors/judge.conn.yao': '{ "type": "cassette", "options": { "file": "../tape.jsonl", "model": "m" } }',
    })
    const { code, stderr } = await run(path, ['-o', 'tape.jsonl'])
    expect(code).toBe(4)
    expect(stderr).toContain('tape.jsonl')
  })
})
