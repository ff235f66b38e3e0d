import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { aBlob, documentOf, OTHER_MANIFEST, storedCase } from '../blobs/results.ts'
import { agentTest, suiteOf } from '../support/command-line.ts'
import { tempFolders } from '../support/temp-folder.ts'

const folder = tempFolders()

/** Answers with what the case's metadata says, by run; `!text` is an error of the program. Notes every run. */
const AGENT = `
import { appendFileSync } from 'node:fs'
let text = ''
for await (const chunk of process.stdin) text += chunk
const { id, run, metadata } = JSON.parse(text)
appendFileSync('runs.log', id + ' ' + run + '\\n')
const says = metadata.says
const answer = Array.isArray(says) ? says[(run - 1) % says.length] : says
if (String(answer).startsWith('!')) { console.error(answer.slice(1)); process.exitCode = 3 }
else process.stdout.write(String(answer))
`
const TARGET = ['--target', `command:"${process.execPath}" agent.mjs`]

function aCase(id: string, says: unknown, rest: object = {}): object {
  return { id, input: 'q', metadata: { says }, assert: { type: 'equals', value: 'good' }, ...rest }
}

const SUITE = [
  aCase('a', 'good'),
  aCase('b', ['good', 'bad']),
  aCase('c', 'good', { skip: true }),
  aCase('d', 'good'),
  aCase('e', 'good'),
]

function workspace(records: readonly object[] = SUITE) {
  const { path } = folder({ 'agent.mjs': AGENT, 'suite.jsonl': suiteOf(...records), 'runs.log': '' })
  const read = (name: string) => readFileSync(join(path, name), 'utf8')
  return {
    path,
    read,
    lines: (name: string) =>
      read(name)
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>),
    run: (...args: string[]) => agentTest(['-i', 'suite.jsonl', ...TARGET, '--runs', '2', ...args], { cwd: path }),
    merge: (...args: string[]) => agentTest(['merge', ...args], { cwd: path }),
  }
}

async function inShards(count: number, work = workspace(), args: readonly string[] = []) {
  const files = Array.from({ length: count }, (_, index) => `shard-${index + 1}.json`)
  for (const [index, file] of files.entries()) {
    const { code } = await work.run('--shard', `${index + 1}/${count}`, '--blob', file, ...args)
    expect(code).toBe(0)
  }
  return { ...work, files }
}

describe('a suite that is run in shards', () => {
  test.each([1, 2, 3, 8])('of %i is judged as if it had been run at once', async (count) => {
    const whole = workspace()
    const { code } = await whole.run('-o', 'whole.json')
    const shards = await inShards(count)
    const merged = await shards.merge(...shards.files, '-o', 'merged.json')
    expect(merged.code).toBe(code)
    expect(outcomeIn(shards.read('merged.json'))).toEqual(outcomeIn(whole.read('whole.json')))
    expect(outcomeIn(shards.read('merged.json'))).toMatchObject({ total: 5, passed: 3, failed: 1 })
    // Every run was made once.
    expect(shards.read('runs.log').trim().split('\n').sort()).toEqual(whole.read('runs.log').trim().split('\n').sort())
  })

  test("never gates in a shard: what fails, or errors, is the merge's to say", async () => {
    const work = workspace([aCase('a', 'bad'), aCase('b', '!boom'), aCase('c', 'good')])
    const { files, merge } = await inShards(3, work)
    const merged = await merge(...files, '--exit-codes', 'detailed')
    expect(merged.code).toBe(1)
    expect(merged.stdout).toContain('below the required')
    expect(merged.stdout).toContain('errored')
  })

  test('is cut by the durations of the baseline, the same by every shard', async () => {
    const work = workspace()
    await work.run('--save-baseline', 'baseline.json')
    const baseline = JSON.parse(work.read('baseline.json')) as {
      cases: { key: string; runs: { durationMs: number }[] }[]
    }
    for (const { key, runs } of baseline.cases) {
      for (const run of runs) run.durationMs = key.endsWith('/a') ? 60_000 : 100
    }
    writeFileSync(join(work.path, 'baseline.json'), JSON.stringify(baseline))
    writeFileSync(join(work.path, 'runs.log'), '')
    const { code } = await work.run('--shard', '1/2', '--blob', 'one.json', '--baseline', 'baseline.json')
    expect(code).toBe(0)
    expect(new Set(work.read('runs.log').trim().split('\n'))).toEqual(new Set(['a 1', 'a 2']))
  })

  test('is reported once, with every format', async () => {
    const { files, merge, lines, read } = await inShards(2)
    await merge(...files, '-o', 'out.jsonl', '-o', 'out.md', '-o', 'out.html')
    const results = lines('out.jsonl')
    expect(results.filter(({ type }) => type === 'summary')).toHaveLength(1)
    expect(results.at(-1)).toMatchObject({ type: 'summary', exit_reason: 'failed' })
    expect(read('out.md')).toContain('suite.jsonl')
    expect(read('out.html')).toContain('</html>')
  })

  test('may be merged into a file and judged again by another gate', async () => {
    const { files, merge } = await inShards(2)
    await merge(...files, '--blob', 'all.json')
    expect((await merge('all.json')).code).toBe(1)
    expect((await merge('all.json', '--min-pass-rate', '50')).code).toBe(0)
  })

  test('saves a baseline that the next run is compared with', async () => {
    const { files, merge, run } = await inShards(2)
    await merge(...files, '--save-baseline', 'baseline.json')
    const { stdout } = await run('--baseline', 'baseline.json')
    expect(stdout).not.toContain('No baseline yet')
  })

  test('is refused with the suites of another plan', async () => {
    const { files, merge, path } = await inShards(2)
    writeFileSync(join(path, 'suite.jsonl'), suiteOf(...SUITE, aCase('new', 'good')))
    const { code, stderr } = await merge(...files, '-i', 'suite.jsonl', ...TARGET)
    expect([code, stderr]).toEqual([1, expect.stringContaining('not those that were run')])
  })

  test('takes the suites of its own plan', async () => {
    const { files, merge } = await inShards(2)
    const { code, stderr } = await merge(...files, '-i', 'suite.jsonl', ...TARGET)
    expect([code, stderr.includes('error:')]).toEqual([1, false])
  })
})

/** What must not depend on how the runs were spread; times do. */
function outcomeIn(json: string): unknown {
  const report = JSON.parse(json) as {
    summary: Record<string, unknown>
    results: { input: unknown; status: unknown }[]
    metadata: { cases?: unknown }
  }
  const { total, passed, failed, errors, skipped } = report.summary
  return {
    total,
    passed,
    failed,
    errors,
    skipped,
    results: report.results.map(({ input, status }) => ({ input, status })),
  }
}

describe('mistakes are told at once', () => {
  const shard = (index: 1 | 2, overrides = {}) => {
    const places = [index - 1]
    const cases = [storedCase(index === 1 ? 'a' : 'b')]
    return JSON.stringify(documentOf(aBlob({ cases, shard: { index, count: 2, places, of: 2 }, ...overrides })))
  }

  test.each([
    ['no file', [], ['expected files of results']],
    ['a file that is not there', ['none.json'], ['none.json', 'does not exist']],
    ['a folder', ['.'], ['is not a file']],
    ['a file of something else', ['suite.jsonl'], ['suite.jsonl', 'not results of agent-test']],
    ['every unreadable file', ['none.json', 'suite.jsonl'], ['none.json', 'suite.jsonl']],
    ['a missing shard', ['one.json'], ['shard 2/2 of 2 did not store any results']],
    ['a shard that is given twice', ['one.json', 'one.json', 'two.json'], ['shard 1/2 is there twice']],
    ['a shard of another plan', ['one.json', 'other.json'], ['other.json', 'another plan']],
    ['a flag of the shards', ['one.json', 'two.json', '--runs', '5'], ['--runs', 'is for the shards']],
    ['an artifact', ['one.json', 'two.json', '--baseline', 'auto'], ['only the action can reach']],
    ['an output that is what is merged', ['one.json', 'two.json', '-o', 'one.json'], ['would be overwritten']],
    ['an unknown flag', ['one.json', '--nonsense'], ['unknown flag']],
  ])('%s', async (_situation, args, reasons) => {
    const { path } = folder({
      'suite.jsonl': suiteOf(aCase('a', 'good')),
      'one.json': shard(1),
      'two.json': shard(2),
      'other.json': shard(2, { manifest: OTHER_MANIFEST }),
    })
    const { code, stderr } = await agentTest(['merge', ...args], { cwd: path })
    expect(code).toBe(1)
    for (const reason of reasons) expect(stderr).toContain(reason)
  })

  test('a shard whose results would go nowhere', async () => {
    const { run } = workspace()
    const { code, stderr } = await run('--shard', '1/2')
    expect([code, stderr]).toEqual([1, expect.stringContaining('--blob')])
  })

  test('a shard that cannot write its results, before anything is run', async () => {
    const { run, read } = workspace()
    const { code, stderr } = await run('--shard', '1/2', '--blob', 'nowhere/one.json')
    expect([code, stderr, read('runs.log')]).toEqual([1, expect.stringContaining('there is no folder nowhere'), ''])
  })
})
