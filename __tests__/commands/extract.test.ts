import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { agentTest, suiteOf } from '../support/command-line.ts'
import { tempFolders } from '../support/temp-folder.ts'

const folder = tempFolders()

/** Says what the case's metadata says; a list is dealt by run. */
const AGENT = `
let text = ''
for await (const chunk of process.stdin) text += chunk
const { run, metadata } = JSON.parse(text)
const answer = Array.isArray(metadata.says) ? metadata.says[(run - 1) % metadata.says.length] : metadata.says
if (answer === 'CRASH') process.exitCode = 3
else process.stdout.write(answer)
`
const SUITE = suiteOf(
  { id: 'good', input: 'Be good', metadata: { says: 'good' }, assert: { type: 'equals', value: 'good' } },
  { id: 'mixed', input: 'Be mixed', metadata: { says: ['good', 'b|d'] }, assert: { type: 'equals', value: 'good' } },
  { id: 'broken', input: 'Crash', metadata: { says: 'CRASH' } },
  { id: 'left-out', input: 'Not run', skip: true },
)

/** A folder with the reports of a real run in both formats. */
async function reported(runs: number) {
  const place = folder({ 'agent.mjs': AGENT, 'suite.jsonl': SUITE })
  const target = `command:"${process.execPath}" agent.mjs`
  const args = ['-i', 'suite.jsonl', '--target', target, '--runs', `${runs}`]
  const outputs = ['report.json', 'report.jsonl', 'report.md'].flatMap((name) => ['-o', name])
  const { code } = await agentTest([...args, ...outputs], { cwd: place.path })
  expect(code).toBe(1)
  return place.path
}

const filesIn = (...path: readonly string[]) => readdirSync(join(...path)).sort()
const textOf = (...path: readonly string[]) => readFileSync(join(...path), 'utf8')
const jsonOf = (...path: readonly string[]) => JSON.parse(textOf(...path)) as Record<string, unknown>

/** Extracts a report with this text and this name from a folder of its own. */
async function extracting(name: string, text: string) {
  const { path } = folder({ [name]: text })
  const result = await agentTest(['extract', name], { cwd: path })
  return { ...result, path }
}

describe('reports of a run', () => {
  test.each<[string, number]>([
    ['report.json', 1],
    ['report.jsonl', 1],
    ['report.json', 2],
    ['report.jsonl', 2],
  ])('%s with %s runs a case: a page for each result, beside the report', async (name, runs) => {
    const path = await reported(runs)
    const { code, stdout, stderr } = await agentTest(['extract', name], { cwd: path })
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '3 files in report\n', stderr: '' })
    expect(filesIn(path, 'report')).toEqual(['broken.md', 'good.md', 'mixed.md'])
    const [good, mixed, broken] = ['good', 'mixed', 'broken'].map((id) => textOf(path, 'report', `${id}.md`))
    expect(good).toMatch(/^<!-- extracted by agent-test -->\n# ✅ `good` - passed\n/)
    expect(broken).toMatch(/# 💥 `broken` - error\n[^`]*\*\*Error:\*\* the program exited with code 3\n/)
    if (runs === 1) return
    expect(mixed).toMatch(/## ✅ Run 1 - passed/)
    expect(mixed).toMatch(/## ❌ Run 2 - failed/)
    expect(mixed).toContain('50%')
    expect(mixed).toContain('```text\nb|d\n```')
  })

  test.each(['report.json', 'report.jsonl'])('%s as JSON: every run with its output', async (name) => {
    const path = await reported(2)
    const { code } = await agentTest(['extract', name, '-o', 'cases/of/it', '--format', 'json'], { cwd: path })
    expect(code).toBe(0)
    expect(filesIn(path, 'cases/of/it')).toEqual(['broken.json', 'good.json', 'mixed.json'])
    expect(jsonOf(path, 'cases/of/it/mixed.json')).toMatchObject({
      extracted_by: expect.stringMatching(/^agent-test \d/) as string,
      id: 'mixed',
      suite: 'suite.jsonl',
      pass_rate: 50,
      run_details: [
        { run: 1, status: 'passed', output: 'good' },
        { run: 2, status: 'failed', output: 'b|d' },
      ],
    })
  })
})

/** As Yao writes it, also under the name of a .jsonl. */
function yaoReport(rest: object): string {
  const summary = { total: 2, passed: 1, failed: 1, skipped: 0, errors: 0, timeouts: 0, duration_ms: 9, agent_id: 'a' }
  return JSON.stringify({ summary, environment: { user_id: 'u' }, ...rest, metadata: { options: {} } }, null, 2)
}

describe('reports of Yao itself', () => {
  test('one document under the name of a .jsonl', async () => {
    const results = [
      { id: 'T001', status: 'passed', input: 'Hi', output: { a: 1 }, duration_ms: 3 },
      {
        id: 'T002',
        status: 'failed',
        input: [{ role: 'user', content: 'Hi' }],
        expected: 'x',
        duration_ms: 4,
        error: 'no',
      },
    ]
    const { code, path } = await extracting('output-20260101.jsonl', yaoReport({ results }))
    expect(code).toBe(0)
    const page = textOf(path, 'output-20260101', 'T002.md')
    expect(page).toContain('# ❌ `T002` - failed')
    expect(page).toContain('**Error:** no')
    expect(page).toMatch(/## Expected\n\n```text\nx\n```/)
    expect(textOf(path, 'output-20260101', 'T001.md')).toMatch(/## Output\n\n```json\n\{\n {2}"a": 1\n\}\n```/)
  })

  test('several runs a case, which have no results', async () => {
    const run = (number: number, status: string) => ({ run: number, status, duration_ms: 1, output: `o${number}` })
    const row = { id: 'T001', input: 'Hi', runs: 2, pass_rate: 50, stability_class: 'unstable' }
    const stability = [{ ...row, run_details: [run(1, 'passed'), run(2, 'error')] }]
    const { code, path } = await extracting('r.json', yaoReport({ stability_results: stability }))
    expect(code).toBe(0)
    const page = textOf(path, 'r', 'T001.md')
    expect(page).toMatch(/## ✅ Run 1 - passed.*o1.*## 💥 Run 2 - error.*o2/s)
    expect(page).toContain('# 💥 `T001` - error')
    expect(page).toContain('unstable')
  })
})

describe('hostile reports', () => {
  const report = (...results: readonly object[]) => JSON.stringify({ schemaVersion: 1, results })

  test('no id leaves the folder, hides a file or takes the place of another one', async () => {
    const ids = ['../../out', '/etc/passwd', '..', '.git', 'CON', '-rf', 'a/b', 'a\\b', 'A/B', 'same', 'same', '\u0000']
    const { code, path } = await extracting('r.json', report(...ids.map((id) => ({ id, status: 'passed' }))))
    expect(code).toBe(0)
    expect(filesIn(path)).toEqual(['r', 'r.json'])
    expect(filesIn(path, 'r')).toHaveLength(ids.length)
    for (const name of filesIn(path, 'r')) {
      expect(name).toMatch(/^[\p{L}\p{N}_][\p{L}\p{N}_.-]*\.md$/u)
      expect(statSync(join(path, 'r', name)).isFile()).toBe(true)
    }
  })

  test('the same id of two suites is named with its suite', async () => {
    const row = (suite: string) => ({ id: 'same', suite, status: 'passed' })
    const { path } = await extracting('r.json', report(row('a/one.jsonl'), row('b/two.jsonl')))
    expect(filesIn(path, 'r')).toEqual(['a-one.jsonl-same.md', 'b-two.jsonl-same.md'])
  })

  test('secrets of the environment stay out of the files', async () => {
    const { path } = folder({ 'r.json': report({ id: 'a', output: 'the key is hunter2-hunter2' }) })
    const redact = (text: string) => text.replaceAll('hunter2-hunter2', '[redacted]')
    await agentTest(['extract', 'r.json'], { cwd: path, secrets: { add: () => undefined, redact } })
    expect(textOf(path, 'r', 'a.md')).toContain('the key is [redacted]')
  })

  test('members of another kind than they should be are left out', async () => {
    const row = {
      id: 'a',
      status: 7,
      pass_rate: 'x',
      run_details: [3, { run: 'x' }],
      assertions: 'x',
      trace: 7,
      error: {},
    }
    const { code, path } = await extracting('r.json', report(row))
    expect(code).toBe(0)
    expect(textOf(path, 'r', 'a.md')).toContain('# `a`')
  })
})

test('a large report is read in pieces', async () => {
  const { path } = folder()
  const row = (index: number) => `{"id":"c${index}","status":"passed","output":"${'x'.repeat(20_000)}"}`
  writeFileSync(
    join(path, 'r.json'),
    `{"results":[${Array.from({ length: 2_000 }, (_, index) => row(index)).join(',\n')}]}`,
  )
  const { code, stdout } = await agentTest(['extract', 'r.json', '--format', 'json'], { cwd: path })
  expect({ code, stdout }).toEqual({ code: 0, stdout: '2000 files in r\n' })
  expect(jsonOf(path, 'r', 'c1999.json')).toMatchObject({ id: 'c1999', output: 'x'.repeat(20_000) })
}, 60_000)
