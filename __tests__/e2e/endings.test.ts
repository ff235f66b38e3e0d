import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { onMain, onPull, openPull } from '../support/github/events.ts'
import { type Answers, answering, everyone, ids, type Story, SUITE, suiteOf, tell } from './story.ts'

let story: Story

afterEach(async () => {
  const { violations } = story.github
  await story.end()
  expect(violations).toEqual([])
})

const CASES = ids(6)

async function tellOf(answers: Answers): Promise<Story> {
  return tell({ [SUITE]: suiteOf(CASES.map((id) => ({ id }))), ...answering(answers) })
}

test('a cancelled job leaves its report, no baseline, and no process behind', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'agent-test-waiting-'))
  const pidFile = join(folder, 'pid')
  story = await tellOf({ 'case-05': `wait ${pidFile}` })
  const { github } = story
  const controller = new AbortController()
  const cancelWhenHanging = async () => {
    const pid = await firstContent(pidFile)
    controller.abort()
    return Number(pid)
  }
  const job = story.run(onMain(github, 'push'), { signal: controller.signal, inputs: { parallel: '1' } })
  const [{ conclusion, agent }, pid] = await Promise.all([job, cancelWhenHanging()])
  await rm(folder, { recursive: true })

  expect(conclusion).toBe('cancelled')
  expect(agent.outputs).toMatchObject({ status: 'failed', 'exit-reason': 'interrupted', passed: '4', total: '6' })
  expect(agent.summary).toContain('interrupted')
  expect(github.state.checkRuns).toMatchObject([{ conclusion: 'cancelled' }])
  expect(github.state.artifacts.filter(({ name }) => name === 'agent-test-baseline')).toEqual([])
  expect(() => process.kill(pid, 0)).toThrow('ESRCH')
})

/** Waits for the agent to say that it hangs; the test's own time limit ends a wait in vain. */
async function firstContent(file: string): Promise<string> {
  for (;;) {
    const content = await readFile(file, 'utf8').catch(() => '')
    if (content !== '') return content
    await pause(20)
  }
}

describe('errors are no verdict on the agent', () => {
  test('when every run errors, the job is red and the cause is named once', async () => {
    story = await tellOf(everyone(CASES, 'crash'))
    const { github, repository } = story
    const pull = await openPull(github, repository, { branch: 'change', files: { 'README.md': 'Hello.\n' } })
    const { conclusion, agent } = await story.run(await onPull(github, repository, pull))
    expect(conclusion).toBe('failure')
    expect(agent.outputs).toMatchObject({ failed: '0', errors: '6', 'exit-reason': 'error', 'pass-rate': '0' })
    expect(agent.outputs['gate-message']?.match(/out of reach/g)).toHaveLength(1)
  })

  test('some errors within max-error-rate leave the gate open', async () => {
    story = await tellOf({ 'case-01': 'crash' })
    const { conclusion, agent } = await story.run(onMain(story.github, 'push'), { inputs: { 'max-error-rate': '20' } })
    expect([conclusion, agent.outputs['errors'], agent.outputs['gate-status']]).toEqual(['success', '1', 'open'])
  })
})

describe('nothing to judge is not green', () => {
  test('a filter that matches no case is a configuration error that names it', async () => {
    story = await tellOf({})
    const { conclusion, agent } = await story.run(onMain(story.github, 'push'), { inputs: { run: '^nothing$' } })
    expect(conclusion).toBe('failure')
    expect(agent.outputs).toMatchObject({ status: 'failed', 'exit-reason': 'configuration' })
    expect(agent.outputs['gate-message']).toContain('^nothing$')
    expect(agent.annotations.map(({ level }) => level)).toEqual(['error'])
    expect(story.github.state.checkRuns).toMatchObject([
      { conclusion: 'failure', title: expect.stringContaining('Not run') },
    ])
  })
})

test.each<[string, Record<string, string>, string]>([
  ['an input with an impossible value', { runs: '0' }, 'runs'],
  ['a boolean that is neither true nor false', { 'check-run': 'yes' }, 'check-run'],
  ['a suite that does not exist', { input: 'tests/missing.jsonl' }, 'missing.jsonl'],
  ['an unknown target', { target: 'comand:node agent.mjs' }, 'command'],
])('%s ends the job before the first run, named in an annotation', async (_, inputs, named) => {
  story = await tellOf({})
  const { conclusion, agent } = await story.run(onMain(story.github, 'push'), { inputs })
  expect(conclusion).toBe('failure')
  expect(agent.outputs).toMatchObject({ status: 'failed', 'exit-reason': 'configuration' })
  expect(agent.annotations.map(({ message }) => message).join('\n')).toContain(named)
  expect(story.github.state.artifacts).toEqual([])
})

test('runs: repeated, counted, and shown as stability', async () => {
  story = await tellOf({ 'case-02': ['ok', 'no', 'ok'] })
  const { conclusion, agent } = await story.run(onMain(story.github, 'push'), {
    inputs: { runs: '3', 'min-pass-rate': '60', output: 'results.jsonl' },
  })
  expect(conclusion).toBe('success')
  expect(agent.outputs).toMatchObject({ 'pass-rate': expect.stringMatching(/^94\.4/), 'gate-status': 'open' })
  expect(agent.outputs['results-path']).toMatch(/results\.jsonl$/)
})
