import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { agentTest } from '../support/command-line.ts'
import { tempFolders } from '../support/temp-folder.ts'

const folder = tempFolders()

const filesIn = (...path: readonly string[]) => readdirSync(join(...path)).sort()
const textOf = (...path: readonly string[]) => readFileSync(join(...path), 'utf8')

/** Extracts a report with this text and this name from a folder of its own. */
async function extracting(name: string, text: string) {
  const { path } = folder({ [name]: text })
  const result = await agentTest(['extract', name], { cwd: path })
  return { ...result, path }
}

describe('what is no report', () => {
  const results = [{ id: 'a', status: 'passed' }]

  test.each<[string, string, string, RegExp]>([
    ['an empty file', 'r.json', '', /r\.json: is no report: it holds no JSON object \(give the \.json or \.jsonl/],
    ['a report for people', 'r.md', '# Agent Test Report\n', /r\.md: is no report: it holds no JSON object/],
    ['a page', 'r.html', '<!doctype html>\n', /r\.html: is no report/],
    [
      'another document',
      'package.json',
      '{"name": "x", "version": "1"}',
      /package\.json: is no report: it holds no results/,
    ],
    [
      'a suite',
      's.jsonl',
      '{"id": "a", "input": "b"}\n{"id": "c", "input": "d"}\n',
      /s\.jsonl: is no report: it holds no results/,
    ],
    ['a list', 'r.json', '[{"id": "a"}]', /is no report: it holds no JSON object/],
    [
      'a newer version',
      'r.json',
      JSON.stringify({ schemaVersion: 2, results }),
      /r\.json:1: schemaVersion: schemaVersion 2 is newer/,
    ],
    [
      'lines of a newer version',
      'r.jsonl',
      '{"type":"start","schemaVersion":2}\n{"type":"result","id":"a","status":"passed"}\n',
      /r\.jsonl:1: schemaVersion: schemaVersion 2 is newer/,
    ],
    [
      'a document that breaks off',
      'r.json',
      '{\n"results": [\n{"id": "a"},\n{"id":',
      /r\.json:4: the document breaks off/,
    ],
    ['one that breaks off before its results', 'r.json', '{\n"summ', /the document breaks off before its first result/],
    ['two documents', 'r.json', `${JSON.stringify({ results })}\n{}`, /r\.json:2: there is text after the end/],
    ['a result that is no JSON', 'r.json', '{"results": [{"id": "a" "b"}]}', /r\.json:1: results\[0\]: not JSON/],
    [
      'a result without id',
      'r.json',
      '{"results": [{"id": "a"}, {"id": 7}]}',
      /results\[1\]\.id: expected the id of a case/,
    ],
    ['results that are no list', 'r.json', '{"results": {}}', /results: expected a list/],
    [
      'a result too deep to walk',
      'r.json',
      `{"results": [{"id": "a", "x": ${'['.repeat(900)}${']'.repeat(900)}}]}`,
      /nested deeper than/,
    ],
    [
      'a line that breaks off',
      'r.jsonl',
      '{"type":"start"}\n{"type":"result","id":"a","status":"passed"}\n{"type":"res',
      /r\.jsonl:3: not JSON/,
    ],
    ['lines without a result', 'r.jsonl', '{"type":"start"}\n{"type":"summary"}\n', /r\.jsonl: holds no result/],
    ['a document without a result', 'r.json', '{"summary": {}, "results": []}', /r\.json: holds no result/],
  ])('%s is one error, and nothing is written', async (_, name, text, message) => {
    const { code, stderr, path } = await extracting(name, text)
    expect(code).toBe(1)
    expect(stderr).toMatch(message)
    expect(filesIn(path)).toEqual([name])
  })

  test('a missing file and a folder', async () => {
    const { path } = folder({ 'sub/x': '' })
    expect((await agentTest(['extract', 'no.json'], { cwd: path })).stderr).toMatch(
      /^error: no\.json: there is no such file/,
    )
    expect((await agentTest(['extract', 'sub'], { cwd: path })).stderr).toMatch(/^error: sub: is a folder/)
  })
})

describe('the folder', () => {
  const report = JSON.stringify({ results: [{ id: 'a', status: 'passed' }, { id: 'b' }] })

  test('an earlier extraction is replaced, in either format; what else lies there stays', async () => {
    const { path } = folder({ 'r.json': report, 'r/notes.md': 'mine', 'r/data.json': '{}' })
    await agentTest(['extract', 'r.json'], { cwd: path })
    expect(filesIn(path, 'r')).toEqual(['a.md', 'b.md', 'data.json', 'notes.md'])
    writeFileSync(join(path, 'r.json'), JSON.stringify({ results: [{ id: 'c' }] }))
    expect((await agentTest(['extract', 'r.json', '--format', 'json'], { cwd: path })).code).toBe(0)
    expect(filesIn(path, 'r')).toEqual(['c.json', 'data.json', 'notes.md'])
    await agentTest(['extract', 'r.json'], { cwd: path })
    expect(filesIn(path, 'r')).toEqual(['c.md', 'data.json', 'notes.md'])
  })

  test.each<[string, Record<string, string>, RegExp]>([
    ['a file of somebody else', { 'r/a.md': 'mine' }, /--output: r\/a\.md would be written over/],
    ['one that differs in case alone', { 'r/A.MD': 'mine' }, /--output: r\/A\.MD would be written over/],
    ['a folder', { 'r/a.md/x': 'mine' }, /r\/a\.md would be written over/],
  ])('%s is not written over, and nothing else is written', async (_, files, message) => {
    const { path } = folder({ 'r.json': report, ...files })
    const before = filesIn(path, 'r')
    const { code, stderr } = await agentTest(['extract', 'r.json'], { cwd: path })
    expect(code).toBe(1)
    expect(stderr).toMatch(message)
    expect(filesIn(path, 'r')).toEqual(before)
  })

  test('a link is not written through', async () => {
    const { path } = folder({ 'r.json': report, 'r/x': '', outside: '<!-- extracted by agent-test -->\n' })
    symlinkSync(join(path, 'outside'), join(path, 'r/a.md'))
    const { code } = await agentTest(['extract', 'r.json'], { cwd: path })
    expect(code).toBe(1)
    expect(textOf(path, 'outside')).toBe('<!-- extracted by agent-test -->\n')
  })

  test('a file in its place', async () => {
    const { path } = folder({ 'r.json': report, r: 'mine' })
    const { code, stderr } = await agentTest(['extract', 'r.json'], { cwd: path })
    expect(code).toBe(1)
    expect(stderr).toMatch(/^error: r cannot be written: EEXIST/)
    expect(textOf(path, 'r')).toBe('mine')
  })

  test('a report without extension cannot lend its name', async () => {
    const { path, stdout } = await extracting('report', report)
    expect(stdout).toBe('2 files in report-results\n')
    expect(existsSync(join(path, 'report-results/a.md'))).toBe(true)
  })
})

describe('the command line', () => {
  test.each<[string, string[], RegExp]>([
    ['no report', [], /expected a report \(agent-test extract REPORT\)/],
    ['two reports', ['a.json', 'b.json'], /unexpected argument "b\.json"/],
    ['an unknown flag', ['a.json', '--formt', 'json'], /--formt: unknown flag \(did you mean "--format"\?\)/],
    ['an unknown format', ['a.json', '--format', 'pdf'], /--format: expected markdown or json, got "pdf"/],
    ['a flag without value', ['a.json', '-o'], /-o: needs a value/],
    ['an empty folder', ['a.json', '-o', ''], /-o: needs a value/],
  ])('%s', async (_, args, message) => {
    const { path } = folder()
    const { code, stderr } = await agentTest(['extract', ...args], { cwd: path })
    expect(code).toBe(1)
    expect(stderr).toMatch(message)
  })

  test('--help tells of this verb', async () => {
    const { path } = folder()
    const { code, stdout } = await agentTest(['extract', '--help'], { cwd: path })
    expect(code).toBe(0)
    expect(stdout).toMatch(/^Usage: agent-test extract REPORT/)
    expect((await agentTest(['--help'], { cwd: path })).stdout).toMatch(/agent-test extract REPORT/)
  })
})
