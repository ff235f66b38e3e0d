import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { agentTest, suiteOf } from '../support/command-line.ts'
import { tempFolders } from '../support/temp-folder.ts'

const folder = tempFolders()

/** Answers with what the case's metadata says; a list is dealt by run. `!text` is an error of the program. */
const AGENT = `
let text = ''
for await (const chunk of process.stdin) text += chunk
const { run, input, metadata, user, team, messages } = JSON.parse(text)
const says = metadata.says ?? 'you said ' + (typeof input === 'string' ? input : messages.at(-1).content)
const answer = Array.isArray(says) ? says[(run - 1) % says.length] : says
if (answer === 'HANG') setInterval(() => {}, 1000)
else if (String(answer).startsWith('!')) { console.error(answer.slice(1)); process.exitCode = 3 }
else process.stdout.write(answer === 'WHO' ? user + '@' + team : String(answer))
`
const TARGET = ['--target', `command:"${process.execPath}" agent.mjs`]

function aCase(id: string, says: unknown, rest: object = {}): object {
  return { id, input: 'q', metadata: { says }, assert: { type: 'equals', value: 'good' }, ...rest }
}

function workspace(records: readonly object[], files: Record<string, string> = {}) {
  return folder({ 'agent.mjs': AGENT, 'suite.jsonl': suiteOf(...records), ...files })
}

async function run(records: readonly object[], args: readonly string[], files: Record<string, string> = {}) {
  const { path } = workspace(records, files)
  const result = await agentTest(['-i', 'suite.jsonl', ...TARGET, ...args], { cwd: path })
  const read = (name: string) => readFileSync(join(path, name), 'utf8')
  const json = (name: string) => JSON.parse(read(name)) as Record<string, never>
  const lines = (name: string) =>
    read(name)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
  return { ...result, path, read, json, lines }
}

describe('exit code and reason', () => {
  test.each<[string, object[], string[], readonly [number, number], string]>([
    ['all passed', [aCase('a', 'good'), aCase('b', 'good')], [], [0, 0], 'passed'],
    ['one failed', [aCase('a', 'good'), aCase('b', 'bad')], [], [1, 1], 'failed'],
    ['one errored', [aCase('a', 'good'), aCase('b', '!boom')], [], [1, 3], 'error'],
    ['errors tolerated', [aCase('a', 'good'), aCase('b', '!boom')], ['--max-error-rate', '50'], [0, 0], 'passed'],
    [
      'errors not gated, but nothing could be judged',
      [aCase('a', '!boom')],
      ['--fail-on', 'threshold'],
      [1, 3],
      'error',
    ],
    [
      'below 100 but above the asked rate',
      [aCase('a', ['good', 'bad', 'good', 'good', 'good'])],
      ['--runs', '5', '--min-pass-rate', '80'],
      [0, 0],
      'passed',
    ],
    [
      'one of five failed at the default rate',
      [aCase('a', ['good', 'bad', 'good', 'good', 'good'])],
      ['--runs', '5'],
      [1, 1],
      'failed',
    ],
    ['everything skipped', [aCase('a', 'good', { skip: true })], [], [1, 1], 'failed'],
    ['everything skipped and that is fine', [aCase('a', 'good', { skip: true })], ['--allow-empty'], [0, 0], 'passed'],
    ['a time limit', [aCase('a', 'HANG', { timeout: '300ms' })], [], [1, 3], 'error'],
  ])('%s', async (_, records, args, [code, detailed], reason) => {
    const plain = await run(records, [...args, '-o', 'out.jsonl'])
    expect(plain.code).toBe(code)
    expect(plain.lines('out.jsonl').at(-1)).toMatchObject({ type: 'summary', exit_reason: reason })
    expect((await run(records, [...args, '--exit-codes', 'detailed'])).code).toBe(detailed)
  })
})

describe('flags together', () => {
  test('runs and parallel: every run of every case, stability per case', async () => {
    const records = [aCase('a', ['good', 'bad']), aCase('b', 'good'), aCase('c', 'good')]
    const { json, code } = await run(records, ['--runs', '4', '--parallel', '3', '-o', 'out.json'])
    expect(code).toBe(1)
    expect(json('out.json')).toMatchObject({
      summary: { total: 3, runs_per_case: 4, total_runs: 12, stable_cases: 2, unstable_cases: 1 },
      results: [
        { id: 'a', pass_rate: 50, stability_class: 'unstable' },
        { id: 'b', pass_rate: 100, stability_class: 'stable' },
        { id: 'c', pass_rate: 100 },
      ],
    })
  })

  test('fail-fast and parallel: stops early, keeps what was done, and is not green', async () => {
    const records = Array.from({ length: 30 }, (_, index) => aCase(`c${index}`, index === 1 ? 'bad' : 'good'))
    const { lines, code } = await run(records, ['--parallel', '2', '--fail-fast', '-o', 'out.jsonl'])
    const results = lines('out.jsonl').filter(({ type }) => type === 'result')
    expect(code).toBe(1)
    expect(results.length).toBeGreaterThanOrEqual(1)
    expect(results.length).toBeLessThan(30)
  })

  test('fail-fast on an error that is tolerated is still not green: the rest is not proven', async () => {
    const { code, stdout } = await run(
      [aCase('a', '!x'), aCase('b', 'good')],
      ['--fail-fast', '--max-error-rate', '100', '--fail-on', 'threshold'],
    )
    expect(code).toBe(1)
    expect(stdout).toMatch(/every run errored|stopped after 1 of 2 runs/)
  })

  test('run filters by id, RE2, and other cases are not missed in the comparison', async () => {
    const records = [aCase('refund-1', 'good'), aCase('refund-2', 'bad'), aCase('order', 'bad')]
    const { lines, code } = await run(records, ['--run', '(?i)^REFUND-1$', '-o', 'out.jsonl'])
    expect(code).toBe(0)
    expect(lines('out.jsonl').filter(({ type }) => type === 'result')).toMatchObject([{ id: 'refund-1' }])
  })

  test.each([
    ['flags', ['-u', 'ann', '-t', 'ops'], 'ann@ops'],
    ['the case', [], 'case-user@case-team'],
    ['the ctx file over the case', ['--ctx', 'ctx.json'], 'ctx-user@ctx-team'],
    ['a flag over the ctx file', ['--ctx', 'ctx.json', '-u', 'ann'], 'ann@ctx-team'],
  ])('identity comes from %s', async (_, args, expected) => {
    const record = { id: 'a', input: 'q', user: 'case-user', team: 'case-team', metadata: { says: 'WHO' }, expected }
    const ctx = JSON.stringify({ authorized: { user_id: 'ctx-user', team_id: 'ctx-team' } })
    expect((await run([record], args, { 'ctx.json': ctx })).code).toBe(0)
  })

  test('the time limit given outranks the case, the case outranks the default', async () => {
    const slow = aCase('a', 'HANG', { timeout: '10m' })
    const { lines } = await run([slow], ['--timeout', '300ms', '-o', 'out.jsonl'])
    expect(lines('out.jsonl')[1]).toMatchObject({ status: 'timeout', code: 'TIMEOUT' })
  })
})

describe('outputs', () => {
  test('lie beside the suite by default, named by the time', async () => {
    const { path } = await run([aCase('a', 'good')], [])
    expect(readdirSync(path).filter((name) => /^output-\d{14}\.jsonl$/.test(name))).toHaveLength(1)
  })

  test('go to several files at once, and a second run over the folder does not take them for suites', async () => {
    const { path, code } = await run([aCase('a', 'good')], ['-o', 'out.json', '-o', 'out.md'])
    expect(code).toBe(0)
    expect(readFileSync(join(path, 'out.md'), 'utf8')).toContain('# Agent Test Report')
  })

  test('a direct message prints the answer and nothing else', async () => {
    const { path } = workspace([])
    const { code, stdout } = await agentTest(['-i', 'hello there', ...TARGET], { cwd: path })
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'you said hello there\n' })
    expect(readdirSync(path).some((name) => name.startsWith('output-'))).toBe(false)
  })

  test('a direct message saves to -o as well', async () => {
    const { path } = workspace([])
    const { code } = await agentTest(['-i', 'hello there', '-o', 'answer.json', ...TARGET], { cwd: path })
    expect(code).toBe(0)
    expect(JSON.parse(readFileSync(join(path, 'answer.json'), 'utf8'))).toMatchObject({
      results: [{ id: 'T001', output: 'you said hello there' }],
    })
  })

  test('a direct message whose agent errors ends with 1 and says why', async () => {
    const { path } = workspace([])
    const { code, stderr, stdout } = await agentTest(
      ['-i', 'hi', '--target', `command:"${process.execPath}" missing.mjs`],
      { cwd: path },
    )
    expect(code).toBe(1)
    expect(`${stdout}${stderr}`).toMatch(/missing\.mjs|exit/)
  })

  test('dry run lists the cases and calls nothing', async () => {
    const { stdout, code } = await run(
      [aCase('a', '!never'), aCase('b', 'x', { skip: true })],
      ['--dry-run', '--runs', '3'],
    )
    expect(code).toBe(0)
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toMatchObject([
      { id: 'a', runs: 3, line: 1, suite: 'suite.jsonl' },
      { id: 'b', runs: 0, skip: expect.any(String) as string },
    ])
  })
})

test('a field nobody knows is a warning that does not steer the terminal', async () => {
  const { host } = await run([aCase('a', 'good', { '\u001b[31mred\nerror: x': 1 })], [])
  expect(host.warnings).toEqual([expect.stringMatching(/^warning: suite\.jsonl:1: red error: x: unknown field/)])
})

test('a program that prints nothing answers with the empty text', async () => {
  const records = [
    { id: 'text', input: 'q', metadata: { says: '' }, assert: { type: 'type', value: 'string' } },
    { id: 'equal', input: 'q', metadata: { says: '' }, expected: '' },
    { id: 'null', input: 'q', metadata: { says: '' }, assert: { type: 'equals', value: null } },
  ]
  const { json } = await run(records, ['-o', 'out.json'])
  expect(json('out.json')).toMatchObject({
    results: [
      { id: 'text', status: 'passed', output: '' },
      { id: 'equal', status: 'passed' },
      { id: 'null', status: 'failed' },
    ],
  })
})

describe('baseline files', () => {
  test('save, then find the regression by name', async () => {
    const place = workspace([aCase('a', 'good'), aCase('b', 'good')])
    const { path } = place
    const args = ['-i', 'suite.jsonl', ...TARGET, '--runs']
    const first = await agentTest([...args, '10', '--baseline', 'b.json', '--save-baseline', 'b.json'], { cwd: path })
    expect(first.code).toBe(0)
    place.write({ 'agent.mjs': AGENT.replace('const says =', "const says = run > 1 ? 'worse' :") })
    const more = ['3', '--max-runs', '15', '--baseline', 'b.json', '--exit-codes', 'detailed']
    const { code, stdout } = await agentTest([...args, ...more], { cwd: path })
    expect(code).toBe(2)
    expect(stdout).toContain('regressed: 10/10 runs passed on the base branch, 1/15 here')
  })

  test('a run of a part of the suite is not saved', async () => {
    const { path } = workspace([aCase('a', 'good'), aCase('b', 'good')])
    const args = ['-i', 'suite.jsonl', ...TARGET, '--run', '^a$', '--save-baseline', 'b.json']
    const { host } = await agentTest(args, { cwd: path })
    expect(readdirSync(path)).not.toContain('b.json')
    expect(host.infos).toContain('The baseline is not saved: only a part of the suite was run.')
  })

  test('a run in which every case is skipped is not saved over what is known', async () => {
    const { path } = workspace([aCase('a', 'good', { skip: true })], { 'b.json': 'known' })
    await agentTest(['-i', 'suite.jsonl', ...TARGET, '--allow-empty', '--save-baseline', 'b.json'], { cwd: path })
    expect(readFileSync(join(path, 'b.json'), 'utf8')).toBe('known')
  })

  test('a red run is saved: a baseline that only green runs renew goes stale', async () => {
    const { path } = workspace([aCase('a', 'bad')])
    const { code } = await agentTest(['-i', 'suite.jsonl', ...TARGET, '--save-baseline', 'b.json'], { cwd: path })
    expect(code).toBe(1)
    expect(JSON.parse(readFileSync(join(path, 'b.json'), 'utf8'))).toMatchObject({
      schemaVersion: 2,
      sessions: [{ id: expect.any(String) as string }],
      cases: [{ runs: [{ session: 0, status: 'failed' }] }],
    })
  })

  test.each([
    [
      'a missing one, when one is required',
      ['--baseline', 'b.json', '--save-baseline', 'b.json', '--require-baseline'],
      1,
    ],
    ['a broken one, when it may only warn', ['--baseline', 'bad.json', '--on-baseline-error', 'warn'], 0],
  ])('%s', async (_, args, code) => {
    expect((await run([aCase('a', 'good')], args, { 'bad.json': '{' })).code).toBe(code)
  })
})

test('results replay without calling anything, judged by the assertions of today', async () => {
  const place = workspace([aCase('a', 'good'), aCase('b', 'bad')])
  const { path } = place
  await agentTest(['-i', 'suite.jsonl', ...TARGET, '-o', 'old.jsonl'], { cwd: path })
  place.write({
    'agent.mjs': 'process.exit(9)',
    'suite.jsonl': suiteOf(aCase('a', 'good'), { ...aCase('b', 'x'), assert: { type: 'equals', value: 'bad' } }),
  })
  const { code } = await agentTest(['-i', 'suite.jsonl', '--target', 'replay:old.jsonl', '-o', 'new.json'], {
    cwd: path,
  })
  expect(code).toBe(0)
})

test('the demo shows a regression, the comment and the gate, and exits 0', async () => {
  const { code, stdout } = await agentTest(['demo'], { cwd: folder().path })
  expect(code).toBe(0)
  expect(stdout).toContain('### Agent tests · demo')
  expect(stdout).toContain('> [!CAUTION]')
  expect(stdout.trimEnd().split('\n').at(-1)).toMatch(
    /^the gate exits 1 because .*refund-window regressed: 3\/3 runs passed on the base branch, 0\/15 here; .* in 0\.4% of pull requests .*$/,
  )
})

test('help names every verb and flag; nothing at all is an error with the help', async () => {
  const { path } = folder()
  expect((await agentTest(['--help'], { cwd: path })).code).toBe(0)
  const { code, stdout } = await agentTest([], { cwd: path })
  expect(code).toBe(1)
  expect(stdout).toContain('Usage: agent-test')
})
