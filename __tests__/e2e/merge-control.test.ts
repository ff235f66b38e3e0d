import { afterEach, beforeEach, expect, test } from 'vitest'
import { onMain, onPull, openPull, type Trigger } from '../support/github/events.ts'
import { type RatedModel, startRatedModel } from '../support/rated-model.ts'
import { ids, type Story, SUITE, suiteOf, tell } from './story.ts'

/** An assistant whose prompt is its own: every commit has its own agent. */
const prompts = (text: string) => ({ 'prompts.yml': `- role: system\n  content: "${text}"\n` })

const CASES = ids(6)

/** Several jobs one after the other, on a machine that has more to do. */
const SLOW = 240_000

let story: Story
let model: RatedModel

beforeEach(async () => {
  model = await startRatedModel()
  story = await tell({
    'app.yao': '{ "name": "Bot" }',
    'package.yao': '{ "name": "Bot", "type": "assistant", "connector": "scripted" }',
    ...prompts('Be kind.'),
    'connectors/scripted.conn.yao': JSON.stringify({
      type: 'openai',
      options: { model: 'scripted', host: model.host, key: '$ENV.MODEL_KEY' },
    }),
    [SUITE]: suiteOf(CASES.map((id) => ({ id, input: `${id} please` }))),
  })
})

afterEach(async () => {
  const { violations } = story.github
  await story.end()
  await model.close()
  expect(violations).toEqual([])
})

const inputs = { target: '', runs: '3', parallel: '8', 'max-latency-increase': '1000' }
const env = { MODEL_KEY: 'none', AGENT_TEST_ENV_ALLOW: 'MODEL_KEY' }

async function job(trigger: Trigger, more: Record<string, string>) {
  Object.assign(trigger.run, { status: 'in_progress', conclusion: null })
  return await story.run(trigger, { inputs: { ...inputs, ...more }, env })
}

/** Two shards of a pull request that breaks one case, and how often main's agent was asked about it until then. */
async function brokenInShards() {
  const { github, repository } = story
  for (let session = 0; session < 2; session += 1) await job(onMain(github, 'schedule'), { runs: '10' })
  const pull = await openPull(github, repository, { branch: 'change', files: prompts('Be kind. BREAKS:case-03') })
  const trigger = await onPull(github, repository, pull)
  for (const shard of ['1/2', '2/2']) expect((await job(trigger, { shard })).conclusion).toBe('success')
  const askedOfMain = () => model.asked.get('Be kind. case-03') ?? 0
  return { trigger, askedOfMain, before: askedOfMain() }
}

test('the merge runs the base commit: every case twice for the suite, the case in question five times more', {
  timeout: SLOW,
}, async () => {
  const { trigger, askedOfMain, before } = await brokenInShards()
  expect(before).toBe(20)
  const merged = await job(trigger, { mode: 'merge' })
  expect(merged.agent.outputs).toMatchObject({ regressions: '1', 'exit-reason': 'regression', total: '6' })
  expect(askedOfMain()).toBe(before + 2 + 5)
  expect(model.asked.get('Be kind. case-01')).toBe(20 + 2)
  const control = JSON.parse(merged.agent.outputs['json'] ?? '{}') as { control?: string }
  expect(control.control).toBe('run')
})

test('a merge without suites runs nothing, and says that the base commit was not asked', {
  timeout: SLOW,
}, async () => {
  const { trigger, askedOfMain, before } = await brokenInShards()
  const merged = await job(trigger, { mode: 'merge', input: '' })
  expect(merged.agent.outputs).toMatchObject({ regressions: '1', 'exit-reason': 'regression' })
  expect(askedOfMain()).toBe(before)
  expect(story.github.state.comments.at(-1)?.body).toContain('no suites were given')
})
