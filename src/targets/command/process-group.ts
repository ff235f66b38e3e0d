import type { ChildProcess } from 'node:child_process'
import program, { kill } from 'node:process'
import type { Host } from '../../core/host.ts'

export type Clock = Pick<Host, 'now' | 'sleep'>

/** How long a program may take to end itself before it is ended by force. */
const GRACE_MS = 2_000
const POLL_MS = 20

/** Ends every process of the group that `leader` leads: asks first, then forces. Never rejects. */
export async function endProcessGroup(leader: ChildProcess, clock: Clock): Promise<void> {
  const { pid } = leader
  if (pid === undefined || !signalGroup(pid, 'SIGTERM')) {
    // Windows has no process groups; elsewhere the program is over by now and this does nothing.
    leader.kill('SIGKILL')
    return
  }
  for (const deadline = clock.now() + GRACE_MS; clock.now() < deadline; ) {
    await clock.sleep(POLL_MS)
    if (!signalGroup(pid, 0)) return
  }
  signalGroup(pid, 'SIGKILL')
}

/** Ends processes by force, those of other groups too; what is over already is no matter. */
export function endProcesses(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      kill(pid, 'SIGKILL')
    } catch {
      // It ended by itself meanwhile.
    }
  }
}

/** Groups that are not over yet. */
const tied = new Set<number>()

/** Ends the group with this process, should that end first; gives what unties them. */
export function tieToUs(leader: number): () => void {
  if (tied.size === 0) program.on('exit', endTied)
  tied.add(leader)
  return () => {
    tied.delete(leader)
    if (tied.size === 0) program.off('exit', endTied)
  }
}

function endTied(): void {
  for (const leader of tied) signalGroup(leader, 'SIGKILL')
}

/** False when the group has no process that can be signalled. */
function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return kill(-leader, signal)
  } catch {
    return false
  }
}
