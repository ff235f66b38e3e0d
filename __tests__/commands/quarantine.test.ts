import { readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { agentTest } from '../support/command-line.ts'
import { tempFolders } from '../support/temp-folder.ts'

const folder = tempFolders()
const NOW = Date.parse('2026-03-01T12:00:00Z')
const DAY_MS = 24 * 60 * 60 * 1000

/** A baseline file: of each case its sessions, oldest first, such as `++-`, a day apart. */
function baselineOf(cases: Readonly<Record<string, readonly string[]>>): string {
  const count = Math.max(...Object.values(cases).map(({ length }) => length))
  const sessions = Array.from({ length: count }, (_, index) => ({
    id: `s${index}`,
    createdAt: new Date(NOW - (count - index) * DAY_MS).toISOString(),
    branch: 'main',
    commit: `${index}`.repeat(40).slice(0, 40),
  }))
  const records = Object.entries(cases).map(([key, outcomes]) => ({
    key,
    target: 'command:agent',
    runs: outcomes.flatMap((signs, session) =>
      [...signs].map((sign) => ({
        session,
        status: sign === '+' ? 'passed' : 'failed',
        durationMs: 10,
        fingerprint: 'f',
      })),
    ),
  }))
  return JSON.stringify({
    schemaVersion: 2,
    createdAt: sessions.at(-1)?.createdAt,
    branch: 'main',
    sessions,
    cases: records,
  })
}

const FLAKY = ['+++', '++-', '+++', '-++']
const BASELINE = baselineOf({
  's.jsonl/flaky': FLAKY,
  's.jsonl/fine': ['+++', '+++', '+++', '+++'],
  's.jsonl/also': FLAKY,
})

function entry(id: string, until: string): string {
  return [
    `- case: "s.jsonl/${id}"`,
    '  reason: "fails now and then on the base branch"',
    '  evidence: "main passed 10 of 12 runs in 4 sessions, and failed in 2 of these"',
    `  until: ${until}`,
    '',
  ].join('\n')
}

async function run(args: readonly string[], files: Readonly<Record<string, string>> = {}) {
  const { path } = folder({ 'base.json': BASELINE, ...files })
  const before = readdirSync(path).sort()
  const { code, stdout, stderr } = await agentTest(['quarantine', ...args], { cwd: path, now: () => NOW })
  expect(readdirSync(path).sort()).toEqual(before)
  return { code, stdout, stderr }
}

describe('what is printed', () => {
  test('is the entries to commit, sorted, with what shows them', async () => {
    expect(await run(['--baseline', 'base.json'])).toEqual({
      code: 0,
      stdout: entry('also', '2026-03-31') + entry('flaky', '2026-03-31'),
      stderr: '2 cases fail now and then on the base branch: add this to agent-test.quarantine.yml.',
    })
  })

  test('holds up to a day of choice', async () => {
    const { stdout } = await run(['--baseline=base.json', '--until', '2026-04-15'])
    expect(stdout).toBe(entry('also', '2026-04-15') + entry('flaky', '2026-04-15'))
  })

  test('is a list that the next run takes, and that is not proposed again', async () => {
    const { stdout } = await run(['--baseline', 'base.json'])
    expect(await run(['--baseline', 'base.json'], { 'agent-test.quarantine.yml': stdout })).toEqual({
      code: 0,
      stdout: '',
      stderr: 'No further case fails now and then on the base branch.',
    })
  })

  test.each<[string, readonly string[], Readonly<Record<string, string>>]>([
    ['quarantined by its id', [], { 'agent-test.quarantine.yml': '- {case: also, reason: x, until: 2026-03-02}' }],
    [
      'quarantined in another file',
      ['--quarantine-file', 'q.yml'],
      { 'q.yml': '- {case: also, reason: x, until: 2026-03-02}' },
    ],
    ['critical by the gates file', [], { 'agent-test.gates.yml': 'cases: [{case: also, critical: true}]' }],
    [
      'critical with its suite',
      ['--gates-file', 'g.yml', '-i', 's.jsonl'],
      {
        'g.yml': 'cases: [{case: also, critical: true}]',
        's.jsonl': '{"id":"also","input":"x"}\n{"id":"flaky","input":"x"}',
      },
    ],
    [
      'critical by its own word',
      ['-i', 's.jsonl'],
      { 's.jsonl': '{"id":"also","input":"x","critical":true}\n{"id":"flaky","input":"x"}' },
    ],
    ['no longer in its suite', ['-i', 's.jsonl'], { 's.jsonl': '{"id":"flaky","input":"x"}' }],
  ])('leaves out what is %s', async (_, args, files) => {
    const { code, stdout, stderr } = await run(['--baseline', 'base.json', ...args], files)
    expect({ code, stdout }).toEqual({ code: 0, stdout: entry('flaky', '2026-03-31') })
    expect(stderr).toMatch(/^1 case fails now and then on the base branch: add this to /)
  })

  test('does not count runs from before the case was changed', async () => {
    const text = BASELINE.replaceAll(
      '"session":0,"status":"passed","durationMs":10,"fingerprint":"f"',
      '"session":0,"status":"passed","durationMs":10,"fingerprint":"old"',
    )
    expect(text).not.toBe(BASELINE)
    const { stdout } = await run(['--baseline', 'changed.json'], { 'changed.json': text })
    expect(stdout).toBe('')
  })
})

describe('what cannot be done is told, all of it', () => {
  test.each<[string, readonly string[], Readonly<Record<string, string>>, string[]]>([
    ['no baseline named', [], {}, ['error: --baseline: required (a file that --save-baseline wrote)']],
    [
      'mistaken arguments',
      ['x', '--baselin=y', '--until'],
      {},
      [
        'error: --baselin: unknown flag (did you mean "--baseline"?)',
        'error: --until: needs a value',
        'error: unexpected argument "x"',
        'error: --baseline: required (a file that --save-baseline wrote)',
      ],
    ],
    [
      'a day that is none',
      ['--baseline', 'base.json', '--until', '2026-02-30'],
      {},
      ['error: --until: the calendar has no 2026-02-30'],
    ],
    [
      'a day that is past',
      ['--baseline', 'base.json', '--until', '2026-02-28'],
      {},
      ['error: --until: 2026-02-28 is past'],
    ],
    [
      'a day that is far away',
      ['--baseline', 'base.json', '--until', '2030-01-01'],
      {},
      ['error: --until: 2030-01-01 is more than a year away (2027-03-02 is the latest)'],
    ],
    [
      'files that are broken or not there',
      ['--baseline', 'none.json', '--gates-file', 'none.yml', '-i', 's.jsonl'],
      { 'agent-test.quarantine.yml': '- {}', 's.jsonl': '{"id":"a"}' },
      [
        'error: --baseline: none.json does not exist',
        'error: agent-test.quarantine.yml:1: [0].case: required',
        'error: agent-test.quarantine.yml:1: [0].reason: required',
        'error: agent-test.quarantine.yml:1: [0].until: required',
        'error: none.yml: not found (--gates-file names it)',
        'error: s.jsonl:1: input: required',
      ],
    ],
  ])('%s', async (_, args, files, errors) => {
    const { code, stdout, stderr } = await run(args, files)
    expect({ code, stdout, stderr: stderr.split('\n') }).toEqual({ code: 1, stdout: '', stderr: errors })
  })

  test('a baseline that cannot be read', async () => {
    const { code, stdout, stderr } = await run(['--baseline', 'broken.json'], { 'broken.json': '{' })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^error: --baseline: broken\.json: /)
  })
})

test('hostile names are data: no line of their own, no command to a terminal', async () => {
  const key = 's.jsonl/a\n- case: "*"\u001b[2J\u202e::error::x'
  const { stdout, stderr } = await run(['--baseline', 'h.json'], { 'h.json': baselineOf({ [key]: FLAKY }) })
  expect(stdout.split('\n')).toHaveLength(5)
  expect(stdout.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u)
  expect(stderr).toMatch(/^1 case fails/)
})

test('--help says how it is used', async () => {
  const { stdout } = await agentTest(['quarantine', '--help'], { cwd: folder().path })
  expect(stdout).toMatch(/^Usage: agent-test quarantine --baseline FILE/)
  expect(stdout).toContain('agent-test.quarantine.yml')
})
