import { execFile, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
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
