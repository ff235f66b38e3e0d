import { cpSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { agentTest } from '../support/command-line.ts'
import { tempFolders } from '../support/temp-folder.ts'

const EXAMPLE = resolve(import.meta.dirname, '../../examples/custom-evaluator')
const folderWith = tempFolders()

interface Row {
  readonly id: string
  readonly status: string
  readonly error?: string
  readonly score?: number
  readonly evaluations?: readonly Record<string, unknown>[]
  readonly assertions?: readonly Record<string, unknown>[]
}

/** Runs the example, with other files in place of its own, against an agent that prints events. */
async function runExample(
  files: Readonly<Record<string, string>> = {},
  { agent = 'careful', args = [] as string[] } = {},
) {
  const { path, write } = folderWith()
  cpSync(EXAMPLE, path, { recursive: true })
  write(files)
  const target = JSON.stringify({ type: 'command', run: `node agent.mjs ${agent}`, format: 'events' })
  const result = await agentTest(['-i', 'tests', '--target', target, '-o', 'out.json', ...args], { cwd: path })
  const read = () => JSON.parse(readFileSync(join(path, 'out.json'), 'utf8')).results[0] as Row
  return { ...result, path, row: read }
}

const evaluator = (code: string) => ({ 'evaluators/no-secrets.ts': code })
const returning = (value: unknown) => evaluator(`export function evaluate() { return ${JSON.stringify(value)} }`)

describe('the example', () => {
  test('a careful agent passes, with the evaluation in the report', async () => {
    const { code, row } = await runExample()
    expect(code).toBe(0)
    expect(row()).toMatchObject({ status: 'passed', score: 100 })
    expect(row().evaluations).toMatchObject([
      { evaluator: 'no-secrets', status: 'scored', passed: true, score: 100, facts: { files: 1 } },
    ])
  })

  test('a careless one fails, and the violation says why', async () => {
    const { code, row } = await runExample({}, { agent: 'careless' })
    expect(code).toBe(1)
    expect(row()).toMatchObject({ status: 'failed', score: 20 })
    expect(row().error).toContain('secret-written: a secret was written to settings.env')
  })

  test('its assertion is judged, too', async () => {
    const { row } = await runExample({
      'agent.mjs': `
      const say = (type, data) => process.stdout.write(JSON.stringify({ type, data }) + '\\n')
      say('tool_call', { tool: 'write', parameters: { filePath: 'a.env' } })
      say('tool_call', { tool: 'write', parameters: { filePath: '.gitignore' } })
      say('assistant_message', { text: 'Done.' })`,
    })
    expect(row()).toMatchObject({
      status: 'failed',
      error: '../checks/mentions-file.ts: the answer does not mention a.env',
    })
  })
})

describe('what an evaluator returns', () => {
  test.each<[string, unknown, Record<string, unknown>]>([
    [
      'nothing but violations is one check',
      { violations: [{ type: 'a', message: 'm' }] },
      {
        status: 'scored',
        passed: false,
        score: 0,
        checks: [{ name: 'no-secrets', passed: false, weight: 1 }],
        violations: [{ type: 'a', severity: 'error', message: 'm' }],
      },
    ],
    [
      'a warning fails nothing but its check',
      { violations: [{ type: 'a', severity: 'warning', message: 'm' }] },
      { passed: true, score: 0 },
    ],
    ['nothing found is one check that passed', {}, { status: 'scored', passed: true, score: 100 }],
    [
      'weights of checks make the score',
      {
        checks: [
          { name: 'a', passed: true, weight: 30 },
          { name: 'b', passed: true, weight: 30 },
          { name: 'c', passed: false, weight: 40, message: 'm' },
        ],
      },
      { passed: true, score: 60 },
    ],
    ['null does not apply', null, { status: 'not_applicable', reason: 'it found nothing to judge' }],
    ['a reason does not apply', { notApplicable: 'no file' }, { status: 'not_applicable', reason: 'no file' }],
    [
      'a text is none',
      'fine',
      { status: 'errored', reason: 'expected {"checks", "violations"}, {"notApplicable"} or null, got string' },
    ],
    [
      'a list is none',
      [true],
      { status: 'errored', reason: 'expected {"checks", "violations"}, {"notApplicable"} or null, got array' },
    ],
    [
      'an unknown field is told',
      { check: [] },
      { status: 'errored', reason: 'what it returned: check: unknown field (did you mean "checks"?)' },
    ],
    [
      'a wrong value is told by its path',
      { checks: [{ name: 'a', passed: 'yes' }] },
      {
        status: 'errored',
        reason: 'what it returned: checks[0].passed: invalid input: expected boolean, received string',
      },
    ],
    [
      'a wrong severity is told',
      { violations: [{ type: 'a', severity: 'fatal', message: 'm' }] },
      { status: 'errored' },
    ],
    ['a negative weight is told', { checks: [{ name: 'a', passed: true, weight: -1 }] }, { status: 'errored' }],
    [
      'too many checks are told',
      { checks: Array.from({ length: 1001 }, () => ({ name: 'a', passed: true })) },
      { status: 'errored' },
    ],
  ])('%s', async (_, value, expected) => {
    const { row } = await runExample(returning(value))
    expect(row().evaluations).toMatchObject([{ evaluator: 'no-secrets', ...expected }])
  })
})

describe('an evaluator that fails itself', () => {
  test.each<[string, string, string, string?]>([
    [
      'throws',
      'export function evaluate() { throw new TypeError("no") }',
      'TypeError: no (at evaluate (evaluators/no-secrets.ts:1))',
    ],
    ['goes on without an end', 'export function evaluate() { for (;;) {} }', 'ran for 0.2s without an end', '200ms'],
    [
      'eats memory',
      'export function evaluate() { const all = []; for (;;) all.push("x".repeat(1e6) + all.length) }',
      'needed more than 256 MiB of memory',
    ],
    [
      'wants the file system',
      'export function evaluate() { return require("fs").readFileSync("/etc/passwd") }',
      'npm packages are not available',
    ],
  ])('%s: it alone is errored', async (_, code, message, timeout = '5s') => {
    const settings = `evaluators:\n  no-secrets: { file: evaluators/no-secrets.ts, timeout: ${timeout} }\n`
    const test = 'id: a\nprompt: hello\nevaluators: { approval-gate: true }\n'
    const { code: exit, row } = await runExample({
      ...evaluator(code),
      'agent-test.yaml': settings,
      'tests/settings.yaml': test,
    })
    expect(exit).toBe(1)
    const evaluations = row().evaluations ?? []
    expect(evaluations.find((one) => one['evaluator'] === 'no-secrets')).toMatchObject({ status: 'errored' })
    expect(String(evaluations.find((one) => one['evaluator'] === 'no-secrets')?.['reason'])).toContain(message)
    expect(evaluations.filter((one) => one['status'] === 'errored')).toHaveLength(1)
    expect(evaluations.find((one) => one['evaluator'] === 'approval-gate')).toMatchObject({ status: 'scored' })
  })
})

describe('mistakes are told before anything is run', () => {
  test.each<[string, Record<string, string>, readonly string[]]>([
    [
      'no such file',
      { 'agent-test.yaml': 'evaluators:\n  no-secrets: { file: evaluators/gone.ts }\n' },
      ['evaluators/gone.ts', 'there is no such file'],
    ],
    [
      'a broken file',
      evaluator('export function evaluate() {\n  return {\n}'),
      ['evaluators/no-secrets.ts:3', 'not a valid script'],
    ],
    [
      'another function',
      evaluator('export function evaluat() {}'),
      ['evaluators/no-secrets.ts', 'there is no function "evaluate"', 'did you mean "evaluat"?'],
    ],
    [
      'no script',
      { 'agent-test.yaml': 'evaluators:\n  no-secrets: { file: agent-test.yaml }\n' },
      ['scripts end in .ts or .js'],
    ],
    [
      'a name of ours',
      { 'agent-test.yaml': 'evaluators:\n  behavior: { file: evaluators/no-secrets.ts }\n' },
      ['agent-test.yaml:2', '"behavior" is an evaluator of ours'],
    ],
    [
      'no name',
      { 'agent-test.yaml': 'evaluators:\n  "a b": { file: evaluators/no-secrets.ts }\n' },
      ['agent-test.yaml:2', 'is no name for an evaluator'],
    ],
    [
      'a file that is no text',
      { 'agent-test.yaml': 'evaluators:\n  no-secrets: { file: 7 }\n' },
      ['agent-test.yaml:2', 'expected a file such as'],
    ],
    [
      'a time limit that is none',
      { 'agent-test.yaml': 'evaluators:\n  no-secrets: { file: evaluators/no-secrets.ts, timeout: soon }\n' },
      ['agent-test.yaml:2', 'timeout'],
    ],
    [
      'a name that nobody gave',
      { 'tests/settings.yaml': 'id: a\nprompt: b\nevaluators: [no-secret]\n' },
      ['tests/settings.yaml:3', 'there is no evaluator "no-secret"', 'did you mean "no-secrets"?'],
    ],
    [
      'an assertion without its file',
      { 'tests/settings.yaml': 'id: a\nprompt: b\nassert: { type: custom, file: ../checks/gone.ts }\n' },
      ['checks/gone.ts', 'there is no such file'],
    ],
    [
      'an assertion without its function',
      { 'checks/mentions-file.ts': 'export const check = 1' },
      ['checks/mentions-file.ts', 'there is no function "check"'],
    ],
  ])('%s', async (_, files, texts) => {
    const { code, stdout, stderr } = await runExample(files)
    expect(code).toBe(1)
    for (const text of texts) expect(stderr).toContain(text)
    expect(stdout).toBe('')
  })

  test('in CI a file outside of the workspace is not even read', async () => {
    const outside = folderWith({ 'spy.ts': 'export function evaluate() { return {} }' })
    const { path, write } = folderWith()
    cpSync(EXAMPLE, path, { recursive: true })
    write({ 'agent-test.yaml': `evaluators:\n  no-secrets: { file: ${join(outside.path, 'spy.ts')} }\n` })
    const args = ['-i', 'tests', '--target', 'command:node agent.mjs']
    const { code, stderr } = await agentTest(args, { cwd: path, env: { CI: 'true', PATH: process.env['PATH'] } })
    expect(code).toBe(1)
    expect(stderr).toContain('lies outside of the workspace')
  })
})

describe('names', () => {
  test('expectations, weights and severities know the evaluator by its name', async () => {
    const yaml = `id: a
prompt: Write it
evaluators: [no-secrets]
expectedViolations: [{ rule: no-secrets, violationType: secret-written, shouldViolate: true }]
`
    const expected = await runExample({ 'tests/settings.yaml': yaml }, { agent: 'careless' })
    expect(expected.row()).toMatchObject({ status: 'passed' })
    const lenient = `evaluators:
  no-secrets: { file: evaluators/no-secrets.ts, words: [api_key], severities: { secret-written: warning } }
passThreshold: 10
`
    expect((await runExample({ 'agent-test.yaml': lenient }, { agent: 'careless' })).row()).toMatchObject({
      status: 'passed',
    })
  })

  test('a test may bring its own, named after its file', async () => {
    const yaml = 'id: a\nprompt: Write it\nevaluators:\n  - file: ../evaluators/no-secrets.ts\n    words: [api_key]\n'
    const { row } = await runExample(
      { 'agent-test.yaml': 'passThreshold: 75\n', 'tests/settings.yaml': yaml },
      { agent: 'careless' },
    )
    expect(row().evaluations).toMatchObject([{ evaluator: 'no-secrets', passed: false }])
  })
})

test('stored results are judged again by the evaluator as it is today', async () => {
  const { path } = await runExample({}, { agent: 'careless' })
  const { code, stdout } = await agentTest(['score', 'out.json', '-i', 'tests', '-v'], { cwd: path })
  expect(stdout).toContain('no-secrets')
  expect(code).toBe(1)
})

test('the evaluator in the README does what is said of it', async () => {
  const readme = readFileSync(resolve(import.meta.dirname, '../../README.md'), 'utf8')
  const code = /```ts\n(export function evaluate[\s\S]*?)```/.exec(readme)?.[1] ?? ''
  const config = /```yaml\n(evaluators:\n {2}no-secrets:[\s\S]*?)```/.exec(readme)?.[1] ?? ''
  const said = `console.log(JSON.stringify({ type: 'assistant_message', data: { text: 'the password is x' } }))`
  const { row } = await runExample({
    'agent-test.yaml': config,
    'evaluators/no-secrets.ts': code,
    'agent.mjs': said,
    'tests/settings.yaml': 'id: a\nprompt: b\nevaluators: [no-secrets]\n',
  })
  expect(row().evaluations).toMatchObject([
    { evaluator: 'no-secrets', passed: false, score: 0, violations: [{ type: 'secret' }], facts: { leaks: 1 } },
  ])
})
