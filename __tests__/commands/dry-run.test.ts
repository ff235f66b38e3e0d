import { readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Host } from '../../src/core/host.ts'
import { agentTest, suiteOf } from '../support/command-line.ts'
import { tempFolders } from '../support/temp-folder.ts'

const folder = tempFolders()
/** Leaves a mark when it is started. */
const AGENT = "import { appendFileSync } from 'node:fs'\nappendFileSync('called', 'x')\n"
const TARGET = ['--target', `command:"${process.execPath}" agent.mjs`]

async function dryRun(records: readonly object[], args: readonly string[] = [], overrides: Partial<Host> = {}) {
  const { path } = folder({ 'agent.mjs': AGENT, 'suite.jsonl': suiteOf(...records) })
  const before = readdirSync(path)
  const result = await agentTest(['-i', 'suite.jsonl', '--dry-run', ...TARGET, ...args], {
    ...overrides,
    cwd: path,
  })
  const lines = result.stdout.split('\n').filter((line) => line !== '')
  return {
    ...result,
    lines: lines.map((line) => JSON.parse(line) as Record<string, unknown>),
    written: readdirSync(path).filter((name) => !before.includes(name)),
  }
}

describe('a dry run', () => {
  test('lists each case with what would be run, flags applied', async () => {
    const record = {
      id: 'a',
      input: 'hi',
      assert: { type: 'contains', value: 'x' },
      user: 'u',
      timeout: '3s',
      options: { connector: 'own', mode: 'task' },
      metadata: { k: 1 },
    }
    const { code, lines } = await dryRun(
      [record, { id: 'b', input: 'ho' }, { id: 'c', input: 'no', skip: true }],
      ['--runs', '3', '-t', 'flag-team', '-c', 'given'],
    )
    expect(code).toBe(0)
    const label = expect.stringMatching(/^command:/) as unknown
    const common = { suite: 'suite.jsonl', target: label, team: 'flag-team' }
    expect(lines).toEqual([
      {
        ...common,
        id: 'a',
        line: 1,
        runs: 3,
        timeout_ms: 3_000,
        user: 'u',
        input: 'hi',
        assertions: [{ type: 'contains', value: 'x' }],
        options: { connector: 'given', mode: 'task' },
        metadata: { k: 1 },
      },
      {
        ...common,
        id: 'b',
        line: 2,
        runs: 3,
        timeout_ms: 300_000,
        user: 'test-user',
        input: 'ho',
        assertions: [],
        options: { connector: 'given' },
      },
      expect.objectContaining({ id: 'c', runs: 0, skip: 'skipped in the suite' }),
    ])
  })

  test('calls nothing and writes nothing, whatever outputs were asked for', async () => {
    const plain = await dryRun([{ id: 'a', input: 'hi' }])
    expect(plain).toMatchObject({ code: 0, written: [] })
    const outputs = ['-o', 'out.json', '-o', 'out.md', '--save-baseline', 'base.json']
    expect(await dryRun([{ id: 'a', input: 'hi' }], outputs)).toMatchObject({ code: 0, written: [] })
  })

  test('lists only what --run chooses', async () => {
    const { lines } = await dryRun(
      [
        { id: 'a', input: 'x' },
        { id: 'b', input: 'x' },
      ],
      ['--run', '^b$'],
    )
    expect(lines.map(({ id }) => id)).toEqual(['b'])
  })

  test('refuses what a run would refuse, and lists nothing', async () => {
    const { code, lines, stderr } = await dryRun([
      { id: 'a', input: 'x' },
      { id: 'a', input: 'y' },
    ])
    expect({ code, lines }).toEqual({ code: 1, lines: [] })
    expect(stderr).toMatch(/suite\.jsonl:2: id: "a" is already/)
  })

  test('prints no secret', async () => {
    const secrets = { add: () => undefined, redact: (text: string) => text.replaceAll('very-secret', '***') }
    const record = { id: 'a', input: 'it is very-secret', metadata: { 'very-secret': ['very-secret'] } }
    const { stdout, lines } = await dryRun([record], [], { secrets })
    expect(stdout).not.toContain('very-secret')
    expect(lines[0]).toMatchObject({ input: 'it is ***', metadata: { '***': ['***'] } })
  })

  test('prints nothing that steers a terminal', async () => {
    const input = 'a\u009b31mred\u202e \u001b[31m \u2028 end'
    const { stdout, lines } = await dryRun([{ id: 'a', input }])
    expect(stdout).not.toMatch(/(?!\n)[\p{Cc}\u2028\u202e]/u)
    expect(lines[0]?.['input']).toBe(input)
  })
})
