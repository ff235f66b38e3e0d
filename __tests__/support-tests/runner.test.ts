import { existsSync } from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createFork, onMain, onPull, openPull, push, type Trigger } from '../support/github/events.ts'
import { createRepository, type GitRepository } from '../support/github/repository.ts'
import { type GitHub, startGitHub } from '../support/github/server.ts'
import { type JobOptions, type JobResult, runJob } from '../support/runner/mini-runner.ts'
import { NODE_24 } from '../support/runner/node-24.ts'
import { standIn, workflowOf } from './stand-in.ts'

let github: GitHub
let repository: GitRepository

beforeEach(async () => {
  github = await startGitHub({ owner: 'octo', name: 'agent' })
  repository = await createRepository(github, { 'README.md': 'An agent.\n' })
})

afterEach(async () => {
  await Promise.all([github.close(), repository.remove()])
})

function runSteps(
  steps: string | readonly object[],
  job: object = {},
  more: Partial<JobOptions> = {},
): Promise<JobResult> {
  const trigger = more.trigger ?? onMain(github, 'push')
  return runJob({
    github,
    trigger,
    remote: repository.directory,
    action: standIn,
    workflow: workflowOf(steps, job),
    ...more,
  })
}

const script = (body: string, step: object = {}) => ({ id: 'it', uses: './', with: { script: body }, ...step })

test('inputs come with defaults and expressions; unknown ones are a warning', async () => {
  const body = `set('GITHUB_OUTPUT', 'env', JSON.stringify(process.env))`
  const { steps } = await runSteps([script(body, { with: { script: body, colour: 'red', 'with space': true } })])
  const env = JSON.parse(steps[0]?.outputs['env'] ?? '{}') as Record<string, string>
  expect(env).toMatchObject({
    'INPUT_GITHUB-TOKEN': expect.stringMatching(/^ghs_/),
    INPUT_WITH_SPACE: 'true',
    INPUT_COLOUR: 'red',
    GITHUB_SERVER_URL: 'https://github.com',
    GITHUB_API_URL: github.url,
    GITHUB_REF_NAME: 'main',
    GITHUB_REF_PROTECTED: 'False',
    RUNNER_OS: 'Linux',
    CI: 'true',
  })
  expect(Object.keys(env).filter((name) => ['GITHUB_TOKEN', 'GITHUB_ACTION_PATH', 'VITEST'].includes(name))).toEqual([])
  expect(steps[0]?.annotations).toMatchObject([
    {
      level: 'warning',
      message: "Unexpected input(s) 'colour', valid inputs are ['script', 'github-token', 'with space']",
    },
  ])
})

test('only an action gets the token of the artifact service, a run step does not', async () => {
  const { steps } = await runSteps([
    script(`set('GITHUB_OUTPUT', 'has', 'ACTIONS_RUNTIME_TOKEN' in process.env)`),
    { id: 'sh', run: 'echo "has=${ACTIONS_RUNTIME_TOKEN:-false}" >> "$GITHUB_OUTPUT"' },
  ])
  expect(steps.slice(0, 2).map((step) => step.outputs)).toEqual([{ has: 'true' }, { has: 'false' }])
})

test('the real @actions/core is understood', async () => {
  const body = `
    const core = await import('@actions/core')
    core.setSecret('hush%')
    core.setOutput('answer', 'two\\nlines, 100%')
    core.exportVariable('LATER', 'a=b')
    core.saveState('started', 'core')
    core.addPath('/opt/tool')
    core.error('hush% 50%:\\nsecond', { title: 'A: b, c', file: 'a,b.ts', startLine: 3, endLine: 4 })
    core.info('hush% in the log')
    await core.summary.addRaw('hush% in the summary').write()
    core.setFailed('over')`
  const { steps, conclusion } = await runSteps([
    script(body),
    { id: 'next', if: 'always()', run: 'echo "x=$LATER ${PATH%%:*}" >> $GITHUB_OUTPUT' },
  ])
  expect(conclusion).toBe('failure')
  expect(steps[0]).toMatchObject({
    outputs: { answer: 'two\nlines, 100%' },
    summary: '*** in the summary',
    commands: ['add-mask', 'error', 'error'],
    annotations: [
      { level: 'error', message: '*** 50%:\nsecond', title: 'A: b, c', file: 'a,b.ts', line: 3, endLine: 4 },
      { level: 'error', message: 'over' },
    ],
  })
  expect(steps[0]?.log).toContain('*** in the log')
  expect(steps[1]?.outputs).toEqual({ x: 'a=b /opt/tool' })
  expect(steps[2]?.log).toBe('post: core')
})

test('outputs, environment and path reach later steps; a summary is masked', async () => {
  const { steps, outputs, conclusion } = await runSteps(
    [
      {
        id: 'first',
        run: 'echo "a=1" >> "$GITHUB_OUTPUT"; echo "B=2" >> "$GITHUB_ENV"; echo "$PWD/bin" >> "$GITHUB_PATH"',
      },
      { run: 'mkdir bin; printf "#!/bin/sh\\necho tool" > bin/tool; chmod +x bin/tool' },
      { id: 'last', run: 'echo "c=${{ steps.first.outputs.a }}${B}${{ env.B }}$(tool)" >> "$GITHUB_OUTPUT"' },
      { id: 'sum', run: 'echo "key: ${{ secrets.KEY }}" >> "$GITHUB_STEP_SUMMARY"' },
    ],
    { outputs: { c: '${{ steps.last.outputs.c }}' } },
    { secrets: { KEY: 'open sesame' } },
  )
  expect([conclusion, outputs, steps[3]?.summary]).toEqual(['success', { c: '122tool' }, 'key: ***\n'])
})

test('a step that fails stops those after it, except where they ask for it', async () => {
  const { steps, conclusion } = await runSteps([
    { id: 'soft', run: 'exit 3', 'continue-on-error': true },
    { id: 'hard', run: 'echo ${{ steps.soft.outcome }} ${{ steps.soft.conclusion }}; exit 4' },
    { id: 'not', run: 'true' },
    { id: 'always', if: 'always()', run: 'true' },
    { id: 'failed', if: "failure() && steps.hard.outcome == 'failure'", run: 'true' },
  ])
  expect(conclusion).toBe('failure')
  expect(steps.map(({ id, outcome, conclusion: end }) => [id, outcome, end])).toEqual([
    ['soft', 'failure', 'success'],
    ['hard', 'failure', 'failure'],
    ['not', 'skipped', 'skipped'],
    ['always', 'success', 'success'],
    ['failed', 'success', 'success'],
  ])
  expect(steps[1]?.annotations.map((annotation) => annotation.message)).toEqual(['Process completed with exit code 4.'])
  expect(steps[1]?.log).toContain('failure success')
})

test.each([
  ['an agent that prints set-env', `console.error('hello ##[set-env name=A]b')`, 'The `set-env` command is disabled'],
  [
    'a file that is no NAME=value',
    `(await import('fs')).appendFileSync(process.env.GITHUB_OUTPUT, 'oops')`,
    "Invalid format 'oops'",
  ],
  ['NODE_OPTIONS in GITHUB_ENV', `set('GITHUB_ENV', 'NODE_OPTIONS', '--inspect')`, "Can't store NODE_OPTIONS"],
])('%s fails the step though its exit code is 0', async (_, body, message) => {
  const { conclusion, steps } = await runSteps(body)
  expect(conclusion).toBe('failure')
  expect(steps[0]?.annotations.map((annotation) => annotation.message).join()).toContain(message)
})

test('a summary of more than 1 MiB is dropped whole, and the step stays green', async () => {
  const write = (size: number) =>
    `(await import('fs')).writeFileSync(process.env.GITHUB_STEP_SUMMARY, 'x'.repeat(${size}))`
  const { steps, conclusion } = await runSteps([script(write(1_048_576)), script(write(1_048_577))])
  expect(conclusion).toBe('success')
  expect(steps.slice(0, 2).map((step) => [step.summary.length, step.annotations.length])).toEqual([
    [1_048_576, 0],
    [0, 1],
  ])
})

test('a post step runs at the end with the state of its main, even after a failure', async () => {
  const { steps } = await runSteps([script(`set('GITHUB_STATE', 'started', 'yes'); process.exit(1)`), { run: 'true' }])
  expect(steps.map(({ id, outcome }) => [id, outcome])).toEqual([
    ['it', 'failure'],
    ['', 'skipped'],
    ['post it', 'success'],
  ])
  expect(steps[2]?.log).toBe('post: yes')
})

test.each([
  [
    'gently, when it listens to SIGINT',
    `process.on('SIGINT', () => process.exit(0)); setInterval(() => {}, 1000); console.log('ready')`,
    0,
    4000,
  ],
  [
    'by SIGTERM after 7.5 s, when it does not',
    `process.on('SIGINT', () => {}); setInterval(() => {}, 1000); console.log('ready')`,
    7000,
    9900,
  ],
])('a cancelled step ends %s', async (_, body, atLeast, atMost) => {
  const controller = new AbortController()
  let cancelledAt = 0
  const { conclusion, steps } = await runSteps(
    [script(body), { id: 'clean', if: 'cancelled()', run: 'echo cleaned' }],
    {},
    {
      signal: controller.signal,
      onLine: (line) => {
        if (line !== 'ready') return
        cancelledAt = Date.now()
        controller.abort()
      },
    },
  )
  const took = Date.now() - cancelledAt
  expect(conclusion).toBe('cancelled')
  expect(steps.map((step) => step.outcome)).toEqual(['cancelled', 'success', 'success'])
  expect([took > atLeast, took < atMost, took]).toEqual([true, true, took])
})

test('checkout brings the tried merge of a pull request, one commit deep', async () => {
  const pull = await openPull(github, repository, { branch: 'feature', files: { 'agent.txt': 'new\n' } })
  await push(github, repository, { 'other.txt': 'later\n' })
  const { steps } = await runSteps(
    [
      { uses: 'actions/checkout@v5' },
      {
        id: 'look',
        run: 'echo "files=$(ls | xargs)" >> "$GITHUB_OUTPUT"; echo "depth=$(git rev-list --count HEAD)" >> "$GITHUB_OUTPUT"',
      },
    ],
    {},
    { trigger: await onPull(github, repository, pull) },
  )
  expect(steps[1]?.outputs).toEqual({ files: 'README.md agent.txt other.txt', depth: '1' })
})

test('a pull request from a fork gets no secrets, and its writes become reads', async () => {
  const pull = await openPull(github, repository, { branch: 'x', files: {}, fork: createFork(github, 'mallory') })
  const body = `
    const headers = { authorization: 'token ' + process.env['INPUT_GITHUB-TOKEN'] }
    const url = process.env.GITHUB_API_URL + '/repos/octo/agent/issues/1/comments'
    set('GITHUB_OUTPUT', 'read', (await fetch(url, { headers })).status)
    set('GITHUB_OUTPUT', 'write', (await fetch(url, { headers, method: 'POST', body: '{"body":"x"}' })).status)
    set('GITHUB_OUTPUT', 'key', process.env.KEY)`
  const job = { permissions: { 'pull-requests': 'write' }, env: {} }
  const run = (trigger: Trigger) =>
    runSteps([script(body, { env: { KEY: '${{ secrets.KEY }}' } })], job, { trigger, secrets: { KEY: 'k' } })
  expect((await run(await onPull(github, repository, pull))).steps[0]?.outputs).toEqual({
    read: '200',
    write: '403',
    key: '',
  })
  expect((await run(onMain(github, 'push'))).steps[0]?.outputs).toEqual({ read: '200', write: '201', key: 'k' })
  expect(github.violations).toEqual([])
})

test.skipIf(!existsSync(NODE_24))('another Node can be chosen', async () => {
  const { steps } = await runSteps(`set('GITHUB_OUTPUT', 'version', process.version)`, {}, { node: NODE_24 })
  expect(steps[0]?.outputs['version']).toMatch(/^v24\./)
})

test('a run ends with its job', async () => {
  const trigger = onMain(github, 'push')
  await runSteps([{ run: 'exit 1' }], {}, { trigger })
  expect(trigger.run).toMatchObject({ status: 'completed', conclusion: 'failure' })
})

test.each([
  ['a step key', [{ run: 'true', retries: 3 }], {}, 'step: this runner does not know retries'],
  ['a job key', [{ run: 'true' }], { container: 'node' }, 'job test: this runner does not know container'],
])('%s that this runner does not know is refused', async (_, steps, job, message) => {
  await expect(runSteps(steps, job)).rejects.toThrow(message)
})
