import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { onMain, onPull, openPull, push, pushToPull } from '../support/github/events.ts'
import { type RatedModel, startRatedModel } from '../support/rated-model.ts'
import { ids, type Story, SUITE, suiteOf, tell } from './story.ts'

/** An assistant whose prompt is its own: every commit has its own agent. */
const prompts = (text: string) => ({ 'prompts.yml': `- role: system\n  content: "${text}"\n` })

const APP = {
  'app.yao': '{ "name": "Bot" }',
  'package.yao': '{ "name": "Bot", "type": "assistant", "connector": "scripted" }',
  ...prompts('Be kind.'),
}

const CASES = ids(8)

const connector = (url: string) =>
  JSON.stringify({ type: 'openai', options: { model: 'scripted', host: url, key: '$ENV.MODEL_KEY' } })

let story: Story
let model: RatedModel

beforeEach(async () => {
  model = await startRatedModel()
  const suite = suiteOf(CASES.map((id) => ({ id, input: `${id} please` })))
  story = await tell({ ...APP, 'connectors/scripted.conn.yao': connector(model.host), [SUITE]: suite })
})

afterEach(async () => {
  const { violations } = story.github
  await story.end()
  await model.close()
  expect(violations).toEqual([])
})

const inputs = { target: '', runs: '3', parallel: '8', 'max-latency-increase': '1000' }
const env = () => ({ MODEL_KEY: 'none', AGENT_TEST_ENV_ALLOW: 'MODEL_KEY' })

/** `sessions` runs of main with `runs` of each case. */
async function mainRuns({ sessions = 2, runs = '10' } = {}) {
  const { github } = story
  for (let session = 0; session < sessions; session += 1) {
    const { conclusion } = await story.run(onMain(github, 'schedule'), { inputs: { ...inputs, runs }, env: env() })
    expect(conclusion).toBe('success')
  }
}

/** A pull request with this prompt, judged. */
async function pullWith(prompt: string, more: Record<string, string> = {}, files: Record<string, string> = {}) {
  const { github, repository } = story
  const pull = await openPull(github, repository, { branch: 'change', files: { ...prompts(prompt), ...files } })
  const job = await story.run(await onPull(github, repository, pull), { inputs: { ...inputs, ...more }, env: env() })
  return { pull, job, comment: github.state.comments.at(-1)?.body ?? '', check: github.state.checkRuns.at(-1) }
}

/** How often main's agent was asked about a case since the rates were set. */
const askedOfMain = (id: string) => model.asked.get(`Be kind. ${id}`) ?? 0

describe('the verdict of a pull request', () => {
  test('that changes nothing is green and says what could not have been seen', async () => {
    await mainRuns()
    const { job, comment, check } = await pullWith('Be kind!')
    expect(job.conclusion).toBe('success')
    expect(job.agent.outputs).toMatchObject({ status: 'passed', conclusion: 'success', regressions: '0' })
    expect(check?.conclusion).toBe('success')
    expect(comment).toContain('[!TIP]')
    expect(comment).toMatch(/20 /)
    // Three runs of each case, no re-run, nothing asked of main.
    expect(model.asked.get(`Be kind! ${CASES[0]}`)).toBe(3)
    expect(askedOfMain(CASES[0] ?? '')).toBe(20)
  })

  test('with one broken case is red, from a clone of depth one, with its counts, its chance and the base commit run again', async () => {
    await mainRuns()
    model.setRates({})
    const { job, comment, check } = await pullWith('Be kind. BREAKS:case-03')
    expect(job.conclusion).toBe('failure')
    expect(job.agent.outputs).toMatchObject({ regressions: '1', 'exit-reason': 'regression', conclusion: 'failure' })
    expect(check?.conclusion).toBe('failure')
    expect(comment).toContain('[!CAUTION]')
    for (const part of ['case-03', '20/20', '0/15', '5/5']) expect(comment).toContain(part)
    expect(model.asked.get('Be kind. BREAKS:case-03 case-03')).toBe(15)
    expect(model.asked.get('Be kind. BREAKS:case-03 case-04')).toBe(3)
    // Three failures of 24 runs are an alarm of the suite too: two fresh runs of every case, then five of the flagged one.
    expect(askedOfMain('case-03')).toBe(7)
    expect(askedOfMain('case-04')).toBe(2)
  })

  test('is not red when the provider drifted: the base commit does as badly now', async () => {
    await mainRuns()
    model.setRates({ 'case-05': 0 })
    const { job, comment, check } = await pullWith('Be kind!', { 'fail-on': 'regression,error' })
    expect(job.conclusion).toBe('success')
    expect(job.agent.outputs).toMatchObject({ status: 'passed', conclusion: 'neutral', regressions: '0' })
    expect(check?.conclusion).toBe('neutral')
    expect(comment).toContain('[!NOTE]')
    expect(comment).toContain('case-05')
    expect(comment).toContain('the base commit passes 0/15 now')
  })

  test('is red without a control where the base side cannot be run, and says so', async () => {
    await mainRuns()
    const { job, comment } = await pullWith('Be kind. BREAKS:case-03', {
      'control-setup': 'echo no such tool >&2; exit 3',
    })
    expect(job.conclusion).toBe('failure')
    expect(job.agent.outputs['exit-reason']).toBe('regression')
    expect(comment).toContain('no such tool')
  })

  test('is neutral while the baseline is young', async () => {
    await mainRuns({ sessions: 1, runs: '2' })
    const { job, comment, check } = await pullWith('Be kind!')
    expect([job.conclusion, check?.conclusion]).toEqual(['success', 'neutral'])
    expect(comment).toContain('[!NOTE]')
    expect(comment).toMatch(/too young|too few/)
  })

  test('lets an accepted change through, lists it, and stops doing so after its last day', async () => {
    await mainRuns()
    const accept = (until: string) => `- case: case-03\n  reason: it asks back first now\n  until: ${until}\n`
    const prompt = 'Be kind. BREAKS:case-03'
    const day = new Date(Date.now() + 20 * 86_400_000).toISOString().slice(0, 10)
    const { pull, job, comment } = await pullWith(prompt, {}, { 'agent-test.accept.yml': accept(day) })
    expect(job.conclusion).toBe('success')
    for (const part of ['case-03', 'it asks back first now', day]) expect(comment).toContain(part)

    const { github, repository } = story
    await pushToPull(github, repository, pull, { 'agent-test.accept.yml': accept('2026-01-01') })
    const later = await story.run(await onPull(github, repository, pull, 'synchronize'), { inputs, env: env() })
    expect(later.conclusion).toBe('failure')
    expect(github.state.comments.at(-1)?.body).toContain('2026-01-01')
  })

  test('stops at its budget with a report of what was not run, never green', async () => {
    await mainRuns({ sessions: 1 })
    const { job, comment } = await pullWith('Be kind!', { 'max-tokens': '60', parallel: '1' })
    expect(job.conclusion).toBe('failure')
    expect(job.agent.outputs['status']).toBe('failed')
    expect(comment).toMatch(/60 tokens/)
    expect(comment).toMatch(/not run|of 24 runs/)
  })
})

test('running a red pull request again judges the same evidence, and runs nothing that has an answer', async () => {
  await mainRuns()
  const { github, repository } = story
  const pull = await openPull(github, repository, {
    branch: 'change',
    files: prompts('Be kind. BREAKS:case-03'),
  })
  const trigger = await onPull(github, repository, pull)
  const first = await story.run(trigger, { inputs, env: env() })
  expect(first.conclusion).toBe('failure')
  const asked = new Map(model.asked)
  // The model would now do what it failed to do.
  Object.assign(trigger.run, { attempt: 2, status: 'in_progress' })
  const second = await story.run(trigger, { inputs, env: env() })
  expect(second.conclusion).toBe('failure')
  expect(second.agent.outputs['exit-reason']).toBe('regression')
  expect(new Map(model.asked)).toEqual(asked)
  expect(github.state.comments).toHaveLength(1)
})

test('what main did lately is pooled over its runs, and begins anew when the case is another', async () => {
  const { github, repository } = story
  await mainRuns({ sessions: 3, runs: '4' })
  const before = await pullWith('Be kind!')
  expect(before.comment).toMatch(/12 runs a case/)
  const changed = suiteOf(
    CASES.map((id) => ({ id, input: `${id} please`, ...(id === 'case-02' ? { expected: 'done' } : {}) })),
  )
  await story.run(await push(github, repository, { [SUITE]: changed }), { inputs, env: env() })
  const after = await pullWith('Be kinder!', {}, { 'notes.md': 'x' })
  expect(after.job.conclusion).toBe('success')
})

describe('with changed-only', () => {
  test('a pull request that touches nothing a suite depends on asks the model nothing, and says so', async () => {
    await mainRuns()
    const asked = new Map(model.asked)
    const { job, comment } = await pullWith('Be kind.', { 'changed-only': 'true' })
    expect(job.conclusion).toBe('success')
    expect(new Map(model.asked)).toEqual(asked)
    expect(comment).toContain('no case depends on what was changed')
  })

  test('one that touches the prompt is run whole', async () => {
    await mainRuns()
    const { job } = await pullWith('Be kind. BREAKS:case-03', { 'changed-only': 'true' })
    expect(job.agent.outputs['exit-reason']).toBe('regression')
  })
})
