import { resolve } from 'node:path'
import { afterEach } from 'vitest'
import type { Host } from '../../src/core/host.ts'
import type { Target, TargetContext } from '../../src/targets/target.ts'
import { yao } from '../../src/targets/yao/index.ts'
import { type FakeHost, fakeHost } from './fake-host.ts'
import { type Answer, type ModelRequest, type ScriptedModel, startScriptedModel } from './scripted-model.ts'

export const YAO_APP = resolve('__tests__/fixtures/yao-app')

/** Saturday, local time, whatever the zone. */
export const MOMENT = new Date(2026, 1, 28, 9, 5, 7).getTime()

/** Gets the request and its number, from 1. */
type ScriptedAnswer = (request: ModelRequest, n: number) => Answer

interface Opened {
  readonly target: Target
  readonly host: FakeHost
}

interface World extends Omit<Partial<TargetContext>, 'host'> {
  readonly env?: Host['env']
  readonly cwd?: string
  readonly now?: number
}

/** Opens assistants and scripted models that are closed after each test. */
export function yaoTestbed() {
  const cleanups: (() => Promise<unknown> | undefined)[] = []
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
  })
  const serve = async (answer: Answer | ScriptedAnswer = 'Hello there'): Promise<ScriptedModel> => {
    const model = await startScriptedModel({ answer: typeof answer === 'function' ? answer : () => answer })
    cleanups.push(() => model.close())
    return model
  }
  const open = async (settings: Record<string, unknown>, world: World = {}): Promise<Opened> => {
    const { env = {}, cwd = YAO_APP, now = MOMENT, ...context } = world
    const host = fakeHost({ cwd, env: { TZ: 'Europe/Berlin', LOCAL_KEY: 'local-secret', ...env }, now: () => now })
    const target = await yao.create({ type: 'yao', ...settings }, { host, ...context })
    cleanups.push(() => target.dispose?.())
    return { target, host }
  }
  return { serve, open }
}
