import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { GitHost } from './run-git.ts'
import { watchFolder } from './watch-folder.ts'

/** A temporary folder that is gone at the end, however this process ends. */
export interface OwnFolder {
  /** Absolute and without links. */
  readonly path: string
  /** Never rejects. */
  remove(): Promise<void>
}

/** Its name tells an agent that is run in it nothing of a test. */
export async function makeOwnFolder({ env }: GitHost): Promise<OwnFolder> {
  const path = await realpath(await mkdtemp(join(env['RUNNER_TEMP'] || tmpdir(), 'checkout-')))
  const endWatch = watchFolder(path)
  return {
    path,
    async remove() {
      const isGone = await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }).then(
        () => true,
        () => false,
      )
      // What stays, such as folders that are not writable, is removed by the watch at the end.
      if (isGone) endWatch()
    },
  }
}
