import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Baseline, BaselineRun } from '../../src/core/baseline.ts'
import type { Host } from '../../src/core/host.ts'
import { isSuspicious } from '../../src/core/statistics/suspicion.ts'
import { agentTest, suiteOf } from '../support/command-line.ts'
import { tempFolders } from '../support/temp-folder.ts'

const folder = tempFolders()
/** Leaves a mark when it is started. */
const AGENT = "import { appendFileSync } from 'node:fs'\nappendFileSync('called', 'x')\n"
/** Says something, as often as it is asked. */
const ANSWERING = "process.stdin.resume()\nprocess.stdout.write('hi')\n"
const TARGET = ['--target', `command:"${process.execPath}" agent.mjs`]

interface DryLine {
  readonly id: string
  readonly estimate?: { readonly runs: { readonly expected: number } }
}

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

describe('what a dry run expects of the history', () => {
  type RunPart = Partial<Omit<BaselineRun, 'status'>>
  const MODEL = { answeredModel: 'm', requestedModel: 'm' }
  const records = [
    { id: 'steady', input: 'a' },
    { id: 'flaky', input: 'b' },
    { id: 'new', input: 'c' },
    { id: 'later', input: 'd', skip: true },
  ]

  /** A baseline of these cases as the program itself would save it: their fingerprints and targets are its own. */
  async function estimatesOf(history: Record<string, BaselineRun[]>, args: readonly string[] = []) {
    const files = { 'agent.mjs': ANSWERING, 'suite.jsonl': suiteOf(...records.slice(0, 3)) }
    const { path } = folder(files)
    const target = ['--target', `command:"${process.execPath}" agent.mjs`]
    const saving = ['-i', 'suite.jsonl', ...target, '--save-baseline', 'base.json', '-o', 'out.json']
    expect((await agentTest(saving, { cwd: path })).code).toBe(0)
    const saved = JSON.parse(readFileSync(join(path, 'base.json'), 'utf8')) as Baseline
    const cases = saved.cases.flatMap((known) => {
      const runs = history[known.key.replace('suite.jsonl/', '')]
      const [own] = known.runs
      return runs && own ? [{ ...known, runs: runs.map((run) => ({ ...run, fingerprint: own.fingerprint })) }] : []
    })
    writeFileSync(join(path, 'base.json'), JSON.stringify({ ...saved, cases }))
    writeFileSync(join(path, 'suite.jsonl'), suiteOf(...records))
    const dry = ['-i', 'suite.jsonl', ...target, '--dry-run', '--baseline', 'base.json', ...args]
    const result = await agentTest(dry, { cwd: path })
    expect(result.code).toBe(0)
    const lines = result.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as DryLine)
    return { ...result, estimates: Object.fromEntries(lines.map(({ id, estimate }) => [id, estimate])) }
  }

  /** Failures lie evenly among them: a rate that moved would cut the history. */
  const runs = (passed: number, failed: number, part: RunPart = {}): BaselineRun[] => {
    const total = passed + failed
    const failedOf = (count: number) => Math.floor((count * failed) / total)
    return Array.from({ length: total }, (_, at) => ({
      session: 0,
      fingerprint: '',
      durationMs: 2_000,
      status: failedOf(at + 1) > failedOf(at) ? ('failed' as const) : ('passed' as const),
      ...part,
    }))
  }
  const metered = { inputTokens: 90, outputTokens: 10, costUsd: 0.01, ...MODEL }
  const STAGES = ['--runs', '3', '--max-runs', '15']

  test('a case that always passed is run as often as is asked, and takes what it took', async () => {
    const { estimates, host } = await estimatesOf({ steady: runs(20, 0, metered) }, STAGES)
    expect(estimates['steady']).toEqual({
      runs: { least: 3, most: 15, expected: 3 },
      tokens: 300,
      cost_usd: expect.closeTo(0.03) as unknown,
      duration_ms: 6_000,
    })
    expect(estimates['new']).toEqual({
      runs: { least: 3, most: 15, expected: 3 },
      tokens: null,
      cost_usd: null,
      duration_ms: null,
    })
    expect(estimates['later']).toMatchObject({ runs: { least: 0, most: 0, expected: 0 } })
    expect(host.infos.at(-1)).toMatch(
      /^About 9 runs \(9 to 45\), 300 tokens, \$0\.030, 6\.0s; 2 cases without history$/,
    )
  })

  test('a case that fails now and then is run again as often as that looks bad', async () => {
    const { estimates } = await estimatesOf({ flaky: runs(18, 2, metered) }, [...STAGES, '--fail-on', 'regression'])
    const chance = [1, 2, 3].reduce((sum, failed) => {
      const isBad = isSuspicious({ baseline: { passed: 18, failed: 2 }, current: { passed: 3 - failed, failed } }, 0.3)
      const ways = failed === 3 ? 1 : 3
      return sum + (isBad ? ways * 0.1 ** failed * 0.9 ** (3 - failed) : 0)
    }, 0)
    expect(chance).toBeGreaterThan(0)
    const expected = 3 + 12 * chance
    expect(estimates['flaky']).toMatchObject({
      runs: { least: 3, most: 15, expected: expect.closeTo(expected) as unknown },
      tokens: Math.round(expected * 100),
    })
  })

  // It passes 3 of 5 there: two failures of three are suspicious here, one is not.
  const SUSPICIOUS = 3 + 12 * (3 * 0.4 ** 2 * 0.6 + 0.4 ** 3)
  const ANY_FAILURE = 3 + 12 * (1 - 0.6 ** 3)

  test.each<[string, readonly string[], number]>([
    ['no re-runs', ['--runs', '3'], 3],
    ['a limit that it does not reach there either', [...STAGES, '--min-pass-rate', '95'], SUSPICIOUS],
    ['a limit that is no cause', [...STAGES, '--min-pass-rate', '95', '--fail-on', 'regression'], SUSPICIOUS],
    ['a limit for all cases', [...STAGES, '--min-pass-rate', '95', '--threshold-scope', 'all'], ANY_FAILURE],
  ])('what asks for more runs in a run does so here: %s', async (_, args, expected) => {
    const { estimates } = await estimatesOf({ flaky: runs(12, 8, metered) }, args)
    expect(estimates['flaky']?.runs.expected).toBeCloseTo(expected)
  })

  test.each<[string, BaselineRun[], readonly string[], object, RegExp]>([
    [
      'no price',
      runs(5, 0, { inputTokens: 90, outputTokens: 10 }),
      [],
      { tokens: 100, cost_usd: null },
      /100 tokens, cost unknown/,
    ],
    [
      'a price that is known now',
      runs(5, 0, { inputTokens: 90, outputTokens: 10, ...MODEL }),
      ['--price', 'm=1000/1000'],
      { tokens: 100, cost_usd: 0.1 },
      /100 tokens, \$0\.10/,
    ],
    ['no tokens', runs(5, 0), [], { tokens: null, cost_usd: null, duration_ms: 2_000 }, /^3 runs, 2\.0s; 2 cases/],
    ['one run', runs(1, 0, metered), [], { tokens: 100 }, /100 tokens/],
    [
      'errored runs, which took nothing like a run',
      [...runs(2, 0, metered), { ...runs(1, 0)[0], status: 'errored' } as BaselineRun],
      [],
      { tokens: 100, duration_ms: 2_000 },
      /100 tokens/,
    ],
  ])('what is not known is not nothing: a history with %s', async (_, known, args, expected, summary) => {
    const { estimates, host } = await estimatesOf({ steady: known }, args)
    expect(estimates['steady']).toMatchObject(expected)
    expect(host.infos.at(-1)).toMatch(summary)
  })

  test('without a baseline there is only the number of runs', async () => {
    const { lines, host } = await dryRun(records, ['--runs', '2', '--max-runs', '4'])
    expect(lines.some((line) => 'estimate' in line)).toBe(false)
    expect(host.infos.at(-1)).toBe('About 6 runs (6 to 12); 3 cases without history')
  })
})
