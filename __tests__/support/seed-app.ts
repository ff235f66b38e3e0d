import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll } from 'vitest'
import type { Host } from '../../src/core/host.ts'
import { agentTest, suiteOf } from './command-line.ts'
import type { Answer, ChatBody } from './scripted-answers.ts'
import { type ScriptedModel, startScriptedModel } from './scripted-model.ts'
import { tempFolders } from './temp-folder.ts'

type Files = Readonly<Record<string, string>>

/** The suite of the assistant `keyword`, where `seedApps().judge` puts its records. */
export const SUITE = 'assistants/keyword/tests/inputs.jsonl'

/** What a results file says of one case. */
interface Row {
  readonly id: string
  readonly status: string
  readonly pass_rate: number
  readonly output?: unknown
  readonly error?: string
  readonly [field: string]: unknown
}

/**
 * A Yao application as the seed draws it, on one scripted model that repeats what it is told; `deal ab` gives its letters
 * in turn, `slow`, `hang` and `refuse` do as they say, and reports get a fenced page.
 */
export function seedApps() {
  const folder = tempFolders()
  const dealt = new Map<string, number>()
  let served: ScriptedModel | undefined
  let seen = 0
  const model = (): ScriptedModel => {
    if (!served) throw new Error('the model is not there before the tests')
    return served
  }
  beforeAll(async () => {
    served = await startScriptedModel({ answer: ({ body }) => answerTo(body, dealt) })
  })
  afterEach(() => {
    dealt.clear()
    seen = model().requests.length
  })
  afterAll(() => model().close())

  /** Makes an application with these files more, or in place of its own. */
  const open = (files: Files = {}) => {
    const { path } = folder({ ...applicationOn(model().host), ...files })
    const at = (name: string) => join(path, name)
    return {
      path,
      at,
      has: (name: string) => existsSync(at(name)),
      list: (name: string) => readdirSync(at(name)),
      read: (name: string) => readFileSync(at(name), 'utf8'),
      json: (name: string) => JSON.parse(readFileSync(at(name), 'utf8')) as Report,
      lines: (name: string) => linesOf(readFileSync(at(name), 'utf8')),
      /** `agent-test ARGS` in a folder of the application; its root by default. */
      run: (args: readonly string[], { cwd = '.', ...host }: Partial<Host> = {}) =>
        agentTest(args, { ...host, cwd: at(cwd) }),
    }
  }
  return {
    open,
    /** Runs the records as the suite of `keyword`, and gives the rows of the JSON report by id. */
    async judge(records: readonly object[], args: readonly string[] = [], files: Files = {}) {
      const app = open({ [SUITE]: suiteOf(...records), ...files })
      const result = await app.run(['-i', SUITE, '-o', 'out.json', ...args])
      const report = app.has('out.json') ? app.json('out.json') : undefined
      const rows = Object.fromEntries((report?.results ?? []).map((row) => [row.id, row]))
      return { ...app, ...result, rows, report }
    },
    /** What the model was asked in this test. */
    asked: () =>
      model()
        .requests.slice(seen)
        .map(({ body }) => body),
    mostAtOnce: () => model().maxInFlight,
  }
}

interface Report {
  readonly summary: Readonly<Record<string, unknown>>
  readonly results: readonly Row[]
  readonly [member: string]: unknown
}

function linesOf(text: string): Record<string, unknown>[] {
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

function answerTo({ messages = [] }: ChatBody, dealt: Map<string, number>): Answer {
  const content = messages.at(-1)?.content
  const text = typeof content === 'string' ? content : JSON.stringify(content)
  const [word, letters = ''] = text.split(' ')
  if (word === 'deal') {
    const count = dealt.get(text) ?? 0
    dealt.set(text, count + 1)
    return letters.charAt(count % letters.length)
  }
  if (text === 'slow') return { text, latencyMs: 60 }
  if (text === 'hang') return { fault: { kind: 'hang-headers' } }
  if (text === 'refuse') return { fault: { kind: 'status', status: 400, message: 'not like this' } }
  if (text.startsWith('{"report":')) return '```html\n<h1>All about it</h1>\n```'
  return text
}

const SAYS = 'for $CTX.USER_ID of $CTX.TEAM_ID, locale $CTX.LOCALE, client $CTX.CLIENT_TYPE'

function applicationOn(host: string): Files {
  const connector = (model: string) =>
    JSON.stringify({ type: 'openai', options: { host, model, key: 'local-secret', capabilities: { vision: true } } })
  const assistant = (id: string, connectorId = 'plain') => {
    const at = `assistants/${id.replaceAll('.', '/')}`
    return {
      [`${at}/package.yao`]: `{ "name": "${id}", "connector": "${connectorId}" } // as JSONC\n`,
      [`${at}/prompts.yml`]: `- role: system\n  content: "I am ${id} ${SAYS}"\n`,
    }
  }
  return {
    'app.yao': '{}',
    'agent/prompts.yml': '- role: system\n  content: Of everyone\n',
    'connectors/plain.conn.yao': connector('plain-model'),
    'connectors/openai/gpt4.conn.yao': connector('gpt4-model'),
    'connectors/deepseek/v3.conn.yao': connector('v3-model'),
    ...assistant('keyword'),
    ...assistant('workers.system.keyword'),
    ...assistant('expense'),
    ...assistant('report.beautiful'),
    ...assistant('report.html'),
  }
}
