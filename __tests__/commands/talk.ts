import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach } from 'vitest'
import type { Host } from '../../src/core/host.ts'
import { agentTest, suiteOf } from '../support/command-line.ts'
import { type Answer, type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts'
import { tempFolders } from '../support/temp-folder.ts'

const folder = tempFolders()
const models: ScriptedModel[] = []
afterEach(async () => {
  for (const model of models.splice(0)) await model.close()
})

/** An application of two agents: the shop, and the customer that tests it. */
const APP = {
  'app.yao': '{ "name": "Shop" }',
  'connectors/local.conn.yao': JSON.stringify({
    type: 'openai',
    options: { host: '$ENV.LOCAL_HOST', model: 'local-1', key: '$ENV.LOCAL_KEY' },
  }),
  'assistants/shop/package.yao': '{ "name": "Shop", "connector": "local" }',
  'assistants/shop/prompts.yml': '- role: system\n  content: You are the shop, chat $CTX.CHAT_ID.\n',
  'assistants/users/hasty/package.yao': '{ "name": "Customer", "connector": "local" }',
  'assistants/users/hasty/prompts.yml': '- role: system\n  content: You are a customer. $CTX.persona.\n',
}
const SUITE = 'assistants/shop/tests/talk.jsonl'

export const talk = {
  id: 'buy',
  input: 'Hello',
  simulator: { use: 'users.hasty', options: { metadata: { persona: 'You are in a hurry', goal: 'buy shoes' } } },
  checkpoints: [
    { id: 'greeted', assert: { type: 'contains', value: 'Welcome' } },
    {
      id: 'ordered',
      description: 'the order is there',
      assert: { type: 'regex', value: 'order \\d+' },
      after: ['greeted'],
    },
    { id: 'thanked', assert: { type: 'contains', value: 'thank' }, required: false },
  ],
}

interface Heard {
  readonly system: string
  /** Without the prompts. */
  readonly messages: readonly { readonly role: string; readonly content?: unknown }[]
}

/** A line of a results file. */
interface Line {
  readonly type: string
  readonly [member: string]: unknown
}

export type Speaker = (heard: Heard, turn: number) => Answer | Promise<Answer>

export interface Scene {
  readonly shop: Speaker
  readonly customer?: Speaker
  readonly records?: readonly object[]
  readonly args?: readonly string[]
  readonly files?: Readonly<Record<string, string>>
  readonly overrides?: Partial<Host>
}

export const goOn: Speaker = () => '{"message": "I want shoes"}'

/** Runs the suite against the two, with results in `out.jsonl`. */
export async function run({ shop, customer = goOn, records = [talk], args = [], files = {}, overrides = {} }: Scene) {
  const heard: (Heard & { readonly who: 'shop' | 'customer' })[] = []
  const model = await startScriptedModel({
    answer({ body }) {
      const [first, ...messages] = body.messages ?? []
      const system = String(first?.content)
      const who = system.includes('customer') ? 'customer' : 'shop'
      heard.push({ who, system, messages })
      const turn = heard.filter((item) => item.who === who && item.system === system).length
      return (who === 'shop' ? shop : customer)({ system, messages }, turn)
    },
  })
  models.push(model)
  const { path } = folder({ ...APP, [SUITE]: suiteOf(...records), ...files })
  const env = { PATH: process.env['PATH'], LOCAL_HOST: model.host, LOCAL_KEY: 'local-secret' }
  const result = await agentTest(['-i', SUITE, '-o', 'out.jsonl', ...args], { cwd: path, env, ...overrides })
  const read = (name: string) => readFileSync(join(path, name), 'utf8')
  const lines = (name = 'out.jsonl') =>
    read(name)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Line)
  const resultLine = () => lines().find(({ type }) => type === 'result')
  return { ...result, path, heard, read, lines, resultLine }
}

/** The shop as it should be: greets, then takes the order. */
export const good: Speaker = ({ messages }) => (messages.length === 1 ? 'Welcome!' : 'Done: order 42.')
/** Never takes an order. */
export const bad: Speaker = ({ messages }) => (messages.length === 1 ? 'Welcome!' : 'Which size?')
