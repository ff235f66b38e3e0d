import { afterEach } from 'vitest'
import { TargetError } from '../../src/core/errors.ts'
import type { JsonObject } from '../../src/core/json.ts'
import type { EmittedEvent } from '../../src/core/trace.ts'
import { ask, type ChatModel } from '../../src/targets/chat/chat-model.ts'
import { openProvider, type ProviderSettings } from '../../src/targets/chat/openai.ts'
import { fakeHost } from './fake-host.ts'
import { type Answer, type ScriptedModel, startScriptedModel } from './scripted-model.ts'

/** The time on the host's clock in these tests. */
const NOW = Date.parse('2026-03-01T10:00:00Z')

/** Opens scripted models and providers that are closed after each test. */
export function chatTestbed() {
  const cleanups: (() => Promise<unknown> | undefined)[] = []
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
  })
  const serve = async (answer: Answer | ((n: number) => Answer)): Promise<ScriptedModel> => {
    const model = await startScriptedModel({ answer: (_, n) => (typeof answer === 'function' ? answer(n) : answer) })
    cleanups.push(() => model.close())
    return model
  }
  const open = async (settings: Partial<ProviderSettings>): Promise<ChatModel> => {
    const provider = await openProvider(
      { baseURL: 'http://127.0.0.1:1/v1', keySetting: '"key" of the test ($ENV.TEST_KEY)', ...settings },
      fakeHost({ now: () => NOW }),
    )
    cleanups.push(() => provider.dispose?.())
    return provider
  }
  const answering = async (answer: Answer) => say(await open({ baseURL: (await serve(answer)).url }))
  return { serve, open, answering, cleanups }
}

interface CallParts {
  readonly signal?: AbortSignal
  readonly parameters?: JsonObject
}

/** Says Hello to model m-1 and keeps what came of it. */
export async function say(
  provider: ChatModel,
  { signal = new AbortController().signal, parameters = {} }: CallParts = {},
) {
  const messages = [{ role: 'user', content: 'Hello' }]
  const origin = { id: 'T001', file: 'suite.jsonl', line: 1, run: 1 }
  const call = { model: 'm-1', messages, keyMessages: messages, parameters, origin, signal }
  const events: EmittedEvent[] = []
  let error: TargetError | undefined
  try {
    for await (const event of ask(provider, call)) events.push(event)
  } catch (thrown) {
    if (!(thrown instanceof TargetError)) throw thrown
    error = thrown
  }
  return { events, error }
}
