import { execFile, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify, stripVTControlCharacters } from 'node:util'
import { describe, expect, inject, test } from 'vitest'
import { VERSION } from '../../src/version.ts'
import { suiteOf } from '../support/command-line.ts'
import { eventually, isRunning } from '../support/processes.ts'
import { tempFolders } from '../support/temp-folder.ts'

const folder = tempFolders()
const run = promisify(execFile)

/** `agent-test ARGS` as a process of its own. */
function agentTest(args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = {}) {
  return spawn(process.execPath, [inject('bundles').cli, ...args], { cwd, env: { PATH: process.env['PATH'], ...env } })
}

/** Says what it is asked to; `HANG` leaves its process id behind and never answers. */
const AGENT = `
import { writeFileSync } from 'node:fs'
let text = ''
for await (const chunk of process.stdin) text += chunk
const { input } = JSON.parse(text)
if (input === 'HANG') { writeFileSync('pid', String(process.pid)); setInterval(() => {}, 1000) }
else process.stdout.write(input)
`
const TARGET = ['--target', `command:"${process.execPath}" agent.mjs`]

test('the version is that of the package', async () => {
  const { stdout } = await run(process.execPath, [inject('bundles').cli, '--version'])
  const manifest = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as {
    version: string
  }
  expect(stdout).toBe(`${VERSION}\n`)
  expect(VERSION).toBe(manifest.version)
})

describe('interruption', () => {
  test.each(['SIGINT', 'SIGTERM'] as const)(
    '%s ends with the report of what was done, and no process is left',
    async (name) => {
      const records = [
        { id: 'a', input: 'one', expected: 'one' },
        { id: 'b', input: 'HANG' },
        { id: 'c', input: 'three' },
      ]
      const { path } = folder({ 'agent.mjs': AGENT, 'suite.jsonl': suiteOf(...records) })
      const child = agentTest(['-i', 'suite.jsonl', '-o', 'out.jsonl', '--exit-codes', 'detailed', ...TARGET], path)
      let stdout = ''
      child.stdout.on('data', (chunk: Buffer) => {
        stdout += chunk.toString()
      })
      const pid = () => {
        try {
          return Number(readFileSync(join(path, 'pid'), 'utf8'))
        } catch {
          return 0
        }
      }
      expect(await eventually(() => pid() > 0, 20_000)).toBe(true)
      child.kill(name)
      const code = await new Promise((resolve) => child.once('close', resolve))
      expect(code).toBe(130)
      expect(stdout).toMatch(/interrupted after 1 of 3 runs/)
      const lines = readFileSync(join(path, 'out.jsonl'), 'utf8').trim().split('\n')
      expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
        { type: 'start', total_cases: 3 },
        { type: 'result', id: 'a', status: 'passed' },
        { type: 'summary', exit_reason: 'interrupted' },
      ])
      expect(await eventually(() => !isRunning(pid()), 3_000)).toBe(true)
    },
  )
})

test('a second interruption ends at once, and a program that will not end is not left behind', async () => {
  const stubborn = AGENT.replace("if (input === 'HANG') {", "$& process.on('SIGTERM', () => {});")
  const { path } = folder({ 'agent.mjs': stubborn, 'suite.jsonl': suiteOf({ id: 'a', input: 'HANG' }) })
  const child = agentTest(['-i', 'suite.jsonl', '-o', 'out.jsonl', ...TARGET], path)
  const pid = () => {
    try {
      return Number(readFileSync(join(path, 'pid'), 'utf8'))
    } catch {
      return 0
    }
  }
  expect(await eventually(() => pid() > 0, 20_000)).toBe(true)
  child.kill('SIGINT')
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(isRunning(pid())).toBe(true)
  child.kill('SIGINT')
  expect(await new Promise((resolve) => child.once('close', resolve))).toBe(130)
  expect(await eventually(() => !isRunning(pid()), 1_000)).toBe(true)
})

test('a reader of the output that goes away is no failure', async () => {
  const records = Array.from({ length: 300 }, (_, index) => ({
    id: `c${index}`,
    input: 'x'.repeat(300),
    expected: 'y',
  }))
  const { path } = folder({ 'suite.jsonl': suiteOf(...records) })
  const child = agentTest(['-i', 'suite.jsonl', '--dry-run', '-n', 'x', ...TARGET], path)
  child.stdout.destroy()
  const errors: string[] = []
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk.toString()))
  await new Promise((resolve) => child.once('close', resolve))
  expect(errors.join('')).not.toMatch(/EPIPE|at .*\.js/)
})

/** What a process wrote and how it ended; `through` gives standard output or standard error another destination. */
function shell(command: string, cwd: string, env: NodeJS.ProcessEnv = {}) {
  const cli = `"${process.execPath}" "${inject('bundles').cli}"`
  const child = spawn('sh', ['-c', command.replace('agent-test', cli)], {
    cwd,
    env: { PATH: process.env['PATH'], ...env },
  })
  return new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
    let [stdout, stderr] = ['', '']
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString()
    })
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString()
    })
    child.once('close', (code) => resolve({ code, stdout, stderr }))
  })
}

test('a reader of the log that goes away costs nothing', async () => {
  const records = Array.from({ length: 6 }, (_, index) => ({ id: `c${index}`, input: 'x' }))
  const { path } = folder({ 'agent.mjs': AGENT, 'suite.jsonl': suiteOf(...records) })
  const child = agentTest(['-i', 'suite.jsonl', '--runs', '2', '-o', 'out.jsonl', ...TARGET], path)
  child.stderr.destroy()
  child.stdout.resume()
  expect(await new Promise((resolve) => child.once('close', resolve))).toBe(0)
  const last = readFileSync(join(path, 'out.jsonl'), 'utf8').trim().split('\n').at(-1) ?? ''
  expect(JSON.parse(last)).toMatchObject({ type: 'summary', total_runs: 12, exit_code: 0 })
})

test.runIf(existsSync('/dev/full'))(
  'an output that cannot be printed is one line, and the results are kept',
  async () => {
    const { path } = folder({ 'agent.mjs': AGENT, 'suite.jsonl': suiteOf({ id: 'a', input: 'x' }) })
    const target = `--target 'command:"${process.execPath}" agent.mjs'`
    const { code, stderr } = await shell(`agent-test -i suite.jsonl -o out.json ${target} > /dev/full`, path)
    expect(code).toBe(1)
    expect(stderr).toMatch(/^error: standard output could not be written: ENOSPC.*\n$/)
    expect(JSON.parse(readFileSync(join(path, 'out.json'), 'utf8'))).toMatchObject({ summary: { passed: 1 } })
  },
)

test('in a step of a workflow no word of the agent is a command to the runner; elsewhere it is kept', async () => {
  const { path } = folder({ 'agent.mjs': AGENT })
  const said = 'Done.\n::set-env name=PATH::/tmp\n##[error]no'
  const output = async (env: NodeJS.ProcessEnv) => {
    const child = agentTest(['-i', said, ...TARGET], path, env)
    let text = ''
    for await (const chunk of child.stdout) text += String(chunk)
    return text
  }
  expect(await output({ GITHUB_ACTIONS: 'true' })).toBe('Done.\n: :set-env name=PATH::/tmp\n## [error]no\n')
  expect(await output({})).toBe(`${said}\n`)
})

test('colours only where they are asked for', async () => {
  const { path } = folder({ 'agent.mjs': AGENT, 'suite.jsonl': suiteOf({ id: 'a', input: 'x' }) })
  const output = async (env: NodeJS.ProcessEnv) => {
    const child = agentTest(['-i', 'suite.jsonl', '-o', 'out.jsonl', ...TARGET], path, env)
    let text = ''
    for await (const chunk of child.stdout) text += String(chunk)
    return text
  }
  const [plain, coloured] = [await output({}), await output({ FORCE_COLOR: '1' })]
  expect(plain).toBe(stripVTControlCharacters(plain))
  expect(coloured).not.toBe(stripVTControlCharacters(coloured))
})

test('the demo runs from the bundle', async () => {
  const { path } = folder()
  const { stdout } = await run('npm', ['run', '--silent', 'demo'], {
    cwd: join(import.meta.dirname, '../..'),
    env: { PATH: process.env['PATH'], HOME: path },
  })
  expect(stdout.trimEnd().split('\n').at(-1)).toMatch(/^the gate exits 1 because .* regressed/)
})
