import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach } from 'vitest'
import type { Json } from '../../src/core/json.ts'
import { agentTest, suiteOf } from '../support/command-line.ts'
import { type Answer, type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts'
import { tempFolders } from '../support/temp-folder.ts'

const JUDGE_PROMPT = 'You judge what another agent said.'

/** What a judge is asked. */
export interface Payload {
  readonly output: Json
  readonly criteria: Json
  readonly [key: string]: Json
}

/** Applications with a bot and its judge, and the model behind both; closed and removed after each test. */
export function judging() {
  const folder = tempFolders()
  const models: ScriptedModel[] = []
  afterEach(async () => {
    for (const model of models.splice(0)) await model.close()
  })
  /** The bot repeats what it is told, and the judge says what `judge` gives. */
  const serve = async (judge: (payload: Payload, n: number) => Answer, latencyMs = 0): Promise<ScriptedModel> => {
    let judged = 0
    const model = await startScriptedModel({
      latencyMs,
      answer({ body }) {
        const messages = body.messages ?? []
        const asked = String(messages.at(-1)?.content)
        if (messages[0]?.content !== JUDGE_PROMPT) return asked
        judged += 1
        return judge(JSON.parse(asked) as Payload, judged)
      },
    })
    models.push(model)
    return model
  }
  /** The suite lies at the bot. */
  const application = (model: ScriptedModel, records: readonly object[], files: Record<string, string> = {}) =>
    folder({
      'app.yao': '{}',
      'connectors/bot.conn.yao': connector(model.host, 'bot-1'),
      'connectors/judge.conn.yao': connector(model.host, 'judge-1'),
      'connectors/strong.conn.yao': connector(model.host, 'strong-1'),
      'assistants/bot/package.yao': '{ "name": "Bot", "connector": "bot" }',
      'assistants/bot/prompts.yml': '- role: system\n  content: Repeat what you are told.\n',
      'assistants/lab/judge/package.yao': '{ "name": "Judge", "connector": "judge" }',
      'assistants/lab/judge/prompts.yml': `- role: system\n  content: ${JUDGE_PROMPT}\n`,
      'assistants/bot/tests/suite.jsonl': suiteOf(...records),
      ...files,
    })
  return { folder, serve, application }
}

function connector(host: string, model: string): string {
  return JSON.stringify({ type: 'openai', options: { host, model, key: 'local-secret' } })
}

/** `agent-test` on the suite at the bot, without waits between attempts. */
export async function run(path: string, args: readonly string[] = []) {
  const options = ['-i', 'assistants/bot/tests/suite.jsonl', '--exit-codes', 'detailed', '-o', 'out.json', ...args]
  const sleep = () => Promise.resolve()
  const result = await agentTest(options, { cwd: path, env: { PATH: process.env['PATH'] }, sleep })
  const json = () => JSON.parse(readFileSync(join(path, 'out.json'), 'utf8')) as { results: Record<string, Json>[] }
  return { ...result, results: () => json().results }
}

/** The requests that went to the judge. */
export function judgeRequests({ requests }: ScriptedModel) {
  return requests.filter(({ body }) => body.messages?.[0]?.content === JUDGE_PROMPT)
}

export function judgeOf(value: string, rest: object = {}): object {
  return { type: 'agent', use: 'agents:lab.judge', value, ...rest }
}

/** A case whose output is its input and must be polite. */
export function polite(id: string, input: string, rest: object = {}): object {
  return { id, input, assert: judgeOf('is polite', rest) }
}

/** Rude is what has no "please" in it. */
export function honest({ output }: Payload): string {
  const passed = JSON.stringify(output).includes('please')
  return JSON.stringify({ passed, reason: passed ? 'it says please' : 'it is rude', score: passed ? 9 : 1 })
}
