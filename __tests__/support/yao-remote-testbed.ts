import { afterEach } from 'vitest'
import type { TargetError } from '../../src/core/errors.ts'
import type { Target, TargetContext } from '../../src/targets/target.ts'
import { yaoRemote } from '../../src/targets/yao-remote.ts'
import { type FakeHost, fakeHost } from './fake-host.ts'
import { collect } from './run-request.ts'
import { startYaoServer, YAO_TOKEN, type YaoAnswer, type YaoServer } from './yao-server.ts'

export interface RemoteWorld extends Omit<Partial<TargetContext>, 'host'> {
  readonly host?: FakeHost
}

/** The assistant that is asked where a test does not care. */
export const NAMED = { name: 'workers.keyword' }

export function hostWithToken(): FakeHost {
  return fakeHost({ env: { YAO_TOKEN } })
}

/** Starts servers and opens targets that are closed after each test. */
export function remoteTestbed() {
  const cleanups: (() => Promise<unknown> | undefined)[] = []
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
  })
  const serve = async (answer: YaoAnswer = 'Hello there'): Promise<YaoServer> => {
    const server = await startYaoServer(() => answer)
    cleanups.push(() => server.close())
    return server
  }
  const open = async (settings: Record<string, unknown>, world: RemoteWorld = NAMED): Promise<Target> => {
    const { host = hostWithToken(), ...context } = world
    const target = await yaoRemote.create({ type: 'yao-remote', ...settings }, { host, ...context })
    cleanups.push(() => target.dispose?.())
    return target
  }
  /** What one question with this answer comes to. */
  const asking = async (answer: YaoAnswer) => {
    const { events, error } = await collect(await open({ url: (await serve(answer)).url }))
    return { events, error: error as TargetError | undefined }
  }
  return { serve, open, asking }
}
