import type { Host } from '../core/host.ts'
import { leavesOpen } from './failure.ts'

const MOST_TRIES = 3

/**
 * Creates something exactly once: after a failure that leaves open whether GitHub did it (5xx, broken connection),
 * `find` looks before `create` is tried again.
 */
export async function createOnce<T>(
  host: Pick<Host, 'sleep' | 'env'>,
  { create, find }: { create: () => Promise<T>; find: () => Promise<T | undefined> },
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await create()
    } catch (error) {
      if (!leavesOpen(error) || attempt === MOST_TRIES) throw error
      await host.sleep(host.env['AGENT_TEST_GITHUB_PACE'] === 'instant' ? 1 : attempt * 1_000)
      const found = await find()
      if (found !== undefined) return found
    }
  }
}
