import type { Case } from '../../src/core/suite.ts'
import type { EmittedEvent } from '../../src/core/trace.ts'
import { aCase } from './builders.ts'
import type { FakeHost } from './fake-host.ts'
import { collect, runRequest } from './run-request.ts'
import type { Answer, ModelRequest, ScriptedModel } from './scripted-model.ts'
import { tempFolders } from './temp-folder.ts'
import { yaoTestbed } from './yao-testbed.ts'

type Files = Readonly<Record<string, string>>
type Reply = Answer | ((request: ModelRequest, n: number) => Answer)

export interface HookedRun {
  readonly events: readonly EmittedEvent[]
  readonly error?: unknown
  readonly model: ScriptedModel
  readonly host: FakeHost
  /** The last value of `output` events. */
  readonly data: unknown
  /** What the agent said last. */
  readonly text: string | undefined
  /** `name: message` of the checks that failed. */
  readonly faults: readonly string[]
  readonly logs: readonly string[]
}

interface Situation {
  readonly files?: Files
  readonly reply?: Reply
  readonly item?: Partial<Case>
  readonly run?: number
  readonly connector?: string
  readonly record?: string
  readonly signal?: AbortSignal
  readonly env?: Readonly<Record<string, string>>
}

export const openaiConnector = (host: string, more: object = {}): string =>
  JSON.stringify({ type: 'openai', options: { host, model: 'm-1', ...more } })

export const prompts = (text: string): string => `- role: system\n  content: ${JSON.stringify(text)}\n`

/** Runs assistant `a` of an application of a few files, its model answered by script. */
export function hookedAgents() {
  const { serve, open } = yaoTestbed()
  const folder = tempFolders()
  const openAgent = async ({ files = {}, reply, env, connector, record }: Situation) => {
    const model = await serve(reply)
    const app = folder({
      'app.yao': '{}',
      'connectors/m.conn.yao': openaiConnector('$ENV.HOST'),
      'connectors/other.conn.yao': openaiConnector('$ENV.HOST', { model: 'm-2' }),
      'assistants/a/package.yao': '{ "name": "A", "connector": "m" }',
      'assistants/a/prompts.yml': prompts('Be kind'),
      ...files,
    }).path
    const world = {
      cwd: app,
      env: { HOST: model.host, ...env },
      ...(connector === undefined ? {} : { connector }),
      ...(record === undefined ? {} : { record }),
    }
    const opened = await open({ name: 'a' }, world)
    return { ...opened, model, app }
  }
  const run = async (hook: string, situation: Situation = {}): Promise<HookedRun> => {
    const { item = {}, run: number = 1, signal, files = {} } = situation
    const agent = await openAgent({
      ...situation,
      files: { ...(hook === '' ? {} : { 'assistants/a/src/index.ts': hook }), ...files },
    })
    const request = { case: aCase({ input: 'Hi', ...item }), run: number, ...(signal ? { signal } : {}) }
    const { events, error } = await collect(agent.target, request)
    return { ...seen(events), ...(error === undefined ? {} : { error }), model: agent.model, host: agent.host }
  }
  return { open: openAgent, run, folder, seen, runRequest }
}

function seen(events: readonly EmittedEvent[]) {
  return {
    events,
    data: events.flatMap((event) => (event.type === 'output' ? [event.value] : [])).at(-1) as unknown,
    text: events.flatMap((event) => (event.type === 'assistant_message' ? [event.text] : [])).at(-1),
    faults: events.flatMap((event) =>
      event.type === 'check' && !event.passed ? [`${event.name}: ${event.message}`] : [],
    ),
    logs: events.flatMap((event) => (event.type === 'log' ? [event.text] : [])),
  }
}
