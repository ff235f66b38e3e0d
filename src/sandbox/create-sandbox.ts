import type { Sandbox, SandboxJob, SandboxOutcome } from './sandbox.ts'
import { type SandboxWorker, startWorker } from './sandbox-worker.ts'

/** Threads that are kept for the next jobs; more only run while jobs need them. */
const MAX_IDLE = 4

/**
 * Runs the jobs in worker threads of `program` (`dist/sandbox.js`). As many run at once as are asked for, since a job
 * that waits for another one needs a thread for each. An idle thread does not keep the process alive.
 */
export function createSandbox(program: string): Sandbox {
  const idle: SandboxWorker[] = []
  const all = new Set<SandboxWorker>()

  const take = (): SandboxWorker => {
    for (let worker = idle.pop(); worker; worker = idle.pop()) if (!worker.isGone()) return worker
    const worker = startWorker(program)
    all.add(worker)
    return worker
  }
  const giveBack = async (worker: SandboxWorker): Promise<void> => {
    if (!worker.isGone() && idle.length < MAX_IDLE) {
      idle.push(worker)
      return
    }
    all.delete(worker)
    if (!worker.isGone()) await worker.end()
  }

  return {
    run: async (job: SandboxJob): Promise<SandboxOutcome> => {
      if (job.signal.aborted) return { kind: 'stopped', by: 'signal' }
      const worker = take()
      try {
        return await worker.run(job)
      } finally {
        await giveBack(worker)
      }
    },
    dispose: async () => {
      idle.length = 0
      const workers = [...all]
      all.clear()
      await Promise.all(workers.map((worker) => worker.end()))
    },
  }
}
