import { TargetError } from '../../core/errors.ts'
import type { Host } from '../../core/host.ts'
import type { Server } from './server.ts'

/** Folders one server has served before the next is started: it never gives back what it took for one. Source: spec opencode-server 0.12. */
const MOST_FOLDERS = 75

/** How long those who have a lease may take to clean up behind themselves. */
const SETTLE_MS = 10_000
const POLL_MS = 50

/** The one major version we know. Source: spec opencode-server 0.16. */
const MAJOR = '1'

interface Lease {
  readonly server: Server
  release(): Promise<void>
}

/** One server for many sessions, started when it is first needed, and anew when it is over or worn out. */
export interface Servers {
  /** For one more folder. */
  lease(): Promise<Lease>
  /** Waits for those who have a lease, then ends every server. */
  stop(): Promise<void>
}

interface Generation {
  readonly server: Promise<Server>
  folders: number
  leases: number
}

export function openServers(
  start: () => Promise<Server>,
  host: Pick<Host, 'now' | 'sleep'>,
  mostFolders = MOST_FOLDERS,
): Servers {
  const living = new Set<Generation>()
  let current: Generation | undefined
  let isStopping = false

  const retire = async (generation: Generation) => {
    if (generation.leases > 0 || !living.has(generation)) return
    if (generation === current && !isStopping) return
    living.delete(generation)
    await generation.server.then((server) => server.stop()).catch(() => undefined)
  }
  const begin = (): Generation => {
    const generation: Generation = { server: start().then(refuseOthers), folders: 0, leases: 0 }
    living.add(generation)
    return generation
  }
  const usable = async (): Promise<Generation> => {
    const known = current
    if (known && known.folders < mostFolders) {
      const isOver = await known.server.then(
        (server) => server.fault() !== undefined,
        () => true,
      )
      if (!isOver && known === current && known.folders < mostFolders) return known
    }
    // Another one may have been begun while this one was looked at.
    if (current === known) {
      current = begin()
      if (known) void retire(known)
    }
    return current ?? begin()
  }

  return {
    async lease() {
      if (isStopping) throw new TargetError('the OpenCode server is being stopped', { code: 'ABORTED' })
      const generation = await usable()
      generation.folders += 1
      generation.leases += 1
      const release = async () => {
        generation.leases -= 1
        await retire(generation)
      }
      try {
        return { server: await generation.server, release }
      } catch (error) {
        await release()
        throw error
      }
    },
    async stop() {
      isStopping = true
      const isBusy = () => [...living].some(({ leases }) => leases > 0)
      for (const deadline = host.now() + SETTLE_MS; isBusy() && host.now() < deadline; ) await host.sleep(POLL_MS)
      const ending = [...living].map(async (generation) => {
        living.delete(generation)
        await generation.server.then((server) => server.stop()).catch(() => undefined)
      })
      await Promise.all(ending)
    },
  }
}

async function refuseOthers(server: Server): Promise<Server> {
  if (server.version.split('.')[0] === MAJOR) return server
  await server.stop()
  throw new TargetError(`OpenCode ${server.version} is not supported: version ${MAJOR} is`, { code: 'UNSUPPORTED' })
}
