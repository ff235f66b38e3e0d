import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type ActionResult, type Outputs, runAction } from '../../src/commands/action-job.ts'
import type { Host } from '../../src/core/host.ts'
import { createHost } from '../../src/setup/host.ts'
import { ALL_RIGHTS, shaOf, startWorld } from '../github/world.ts'
import { suiteOf } from '../support/command-line.ts'
import { SANDBOX_PROGRAM } from '../support/fake-host.ts'
import type { GitHub } from '../support/github/server.ts'
import { tempFolders } from '../support/temp-folder.ts'

const folder = tempFolders()
let github: GitHub

beforeEach(async () => {
  github = await startWorld()
})

afterEach(async () => {
  expect(github.violations).toEqual([])
  await github.close()
})

interface Ended extends ActionResult {
  readonly path: string
  readonly log: string
  readonly annotations: readonly string[]
  /** As they were told before the end. */
  readonly early: Outputs
  readonly summary: () => string
}

/** The job on pull request 1; the agent says "ok" after `first`, a statement of JavaScript. */
async function act(
  inputs: Record<string, string>,
  { first = '', host: change = {} }: { readonly first?: string; readonly host?: Partial<Host> } = {},
): Promise<Ended> {
  const { path } = folder({
    'suite.jsonl': suiteOf({ id: 'a', input: 'x', expected: 'ok' }),
    'agent.mjs': `import { rmSync } from 'node:fs'\n${first}\nprocess.stdout.write('ok')\n`,
    'event.json': JSON.stringify(eventOf(github)),
    'summary.md': '',
  })
  mkdirSync(join(path, 'sub'))
  const token = github.issueToken(ALL_RIGHTS)
  const given: Record<string, string> = {
    input: 'suite.jsonl',
    target: `command:"${process.execPath}" agent.mjs`,
    runs: '1',
    baseline: 'none.json',
    'github-token': token,
    ...inputs,
  }
  const log: string[] = []
  const annotations: string[] = []
  const early: Outputs = {}
  const host = createHost({
    cwd: path,
    env: { ...environmentOf(github, path), ...Object.fromEntries(asVariables(given)) },
    signal: new AbortController().signal,
    now: () => Date.now(),
    sandboxProgram: SANDBOX_PROGRAM,
    print: (text) => void log.push(text),
    log: {
      info: (message) => void log.push(`${message}\n`),
      warn: (message) => void log.push(`warning: ${message}\n`),
    },
  })
  const result = await runAction(
    (name) => given[name] ?? '',
    { ...host, ...change },
    {
      command: (line) => void log.push(`${line}\n`),
      annotate: (message) => void annotations.push(message),
      setOutputs: (outputs) => void Object.assign(early, outputs),
    },
  )
  const summary = () => readFileSync(join(path, 'summary.md'), 'utf8')
  return { ...result, path, log: log.join(''), annotations, early, summary }
}

function asVariables(inputs: Record<string, string>): [string, string][] {
  return Object.entries(inputs).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value])
}

function environmentOf({ url }: GitHub, path: string): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    GITHUB_REPOSITORY: 'acme/bot',
    GITHUB_API_URL: url,
    GITHUB_EVENT_NAME: 'pull_request',
    GITHUB_EVENT_PATH: join(path, 'event.json'),
    GITHUB_RUN_ID: '900000',
    GITHUB_WORKSPACE: path,
    GITHUB_STEP_SUMMARY: join(path, 'summary.md'),
    RUNNER_TEMP: path,
    AGENT_TEST_GITHUB_PACE: 'instant',
  }
}

function eventOf({ state: { repository, pulls } }: GitHub): object {
  const own = { id: repository.id, default_branch: 'main' }
  const [pull] = pulls
  const side = (tip: { branch: string; sha: string } | undefined) => ({ ref: tip?.branch, sha: tip?.sha, repo: own })
  return { repository: own, pull_request: { number: 1, head: side(pull?.head), base: side(pull?.base) } }
}

test('a job that is green tells its outputs before it talks to GitHub, and the addresses at the end', async () => {
  const { outputs, exitCode, message, early } = await act({})
  expect([exitCode, message]).toEqual([0, ''])
  expect(early).toMatchObject({ status: 'passed', passed: '1', 'gate-status': 'open' })
  expect(early).not.toHaveProperty('comment-url')
  expect(outputs).toEqual({
    ...early,
    'comment-id': expect.stringMatching(/^\d+$/),
    'comment-url': expect.stringContaining('#issuecomment-'),
    'check-url': expect.stringContaining('/runs/'),
  })
  expect(github.state.checkRuns).toMatchObject([{ headSha: shaOf('head'), conclusion: 'neutral' }])
})

test.each([
  { what: 'a results file', inputs: { output: 'sub/report.md' }, named: 'sub/report.md could not be written' },
  { what: 'a baseline file', inputs: { 'save-baseline': 'sub/b.json' }, named: 'could not be saved to sub/b.json' },
])('$what that cannot be written at the end turns the job red and costs no result', async ({ inputs, named }) => {
  const ended = await act(
    { ...inputs, 'exit-codes': 'detailed' },
    { first: "rmSync('sub', { recursive: true, force: true })" },
  )
  expect([ended.exitCode, ended.message]).toEqual([3, expect.stringContaining(named)])
  expect(ended.outputs).toMatchObject({ status: 'failed', 'exit-reason': 'error', passed: '1', total: '1' })
  expect(ended.outputs['comment-url']).toContain('#issuecomment-')
  expect(ended.summary()).toContain('1/1 run')
  expect(ended.log).toContain('1 of 1 passed every run')
})

test('a bug of ours is red, says so everywhere, and leaves no older verdict standing', async () => {
  await act({})
  let isFirst = true
  const now = () => {
    if (isFirst) {
      isFirst = false
      throw new RangeError('the clock has stopped')
    }
    return Date.now()
  }
  const ended = await act({ 'exit-codes': 'detailed' }, { host: { now } })
  expect(ended.exitCode).toBe(3)
  expect(ended.annotations).toEqual(['agent-test failed: the clock has stopped (the log has the details)'])
  expect(ended.log).toMatch(/RangeError: the clock has stopped\n +at /)
  expect(ended.outputs).toMatchObject({ status: 'failed', 'gate-status': 'closed', 'exit-reason': 'error' })
  const [comment, ...others] = github.state.comments
  expect(others).toEqual([])
  expect(comment?.body).toContain('> **Broke off:**')
  expect(github.state.checkRuns.at(-1)).toMatchObject({ conclusion: 'failure' })
  expect(ended.summary()).toContain('**Broke off:**')
})

test('outside of a workflow the job says what it is for', async () => {
  const ended = await act({}, { host: { env: {} } })
  expect(ended.annotations).toEqual([expect.stringContaining('elsewhere use the command line')])
  expect(ended.outputs).toMatchObject({ 'exit-reason': 'configuration' })
})

test('mistakes are worded for inputs, also those that are found below, and secrets in them are replaced', async () => {
  const target = JSON.stringify({ type: 'htp', key: `sk-${'a1'.repeat(20)}` })
  const { annotations, outputs } = await act({ input: '', target })
  expect(annotations.join('\n')).toContain(
    'input input: nothing to run (give a suite, a folder, a glob or a message with input input)',
  )
  expect([...annotations, ...Object.values(outputs)].join('\n')).not.toContain('a1a1a1')
})

test('a warning about the suite reaches the log and the summary, and is a mistake at its line under strict', async () => {
  const typo = { input: '{"role":"user","content":"x","nmae":"y"}' }
  const mild = await act(typo)
  expect(mild.exitCode).toBe(0)
  expect(mild.log).toContain('warning: message/T001: input.nmae: unknown field, ignored (did you mean "name"?)')
  expect(mild.summary()).toMatch(/1 warning[\s\S]*input\.nmae/)
  const strict = await act({ ...typo, strict: 'true' })
  expect(strict.outputs).toMatchObject({ 'exit-reason': 'configuration' })
  expect(strict.annotations).toEqual(['message/T001: input.nmae: unknown field (did you mean "name"?)'])
})
