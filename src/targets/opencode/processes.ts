import { type ChildProcess, spawn } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { endProcesses } from '../command/process-group.ts'

/** Variable that every process of one server inherits, those of its agents' commands too. */
export const MARK = 'OPENCODE_RUN_ID'

/**
 * Ends what a server has left behind. Commands of its agents lead groups of their own and outlive it, so they are found
 * by the mark in their environment, whoever their parent is now. Source: spec opencode-server 0.11. Where there is no
 * /proc, nothing is found.
 */
export async function endMarked(id: string): Promise<void> {
  // Again, for what was started while the first list was made.
  for (let round = 0; round < 3; round += 1) {
    const found = await marked(id)
    if (found.length === 0) return
    endProcesses(found)
  }
}

async function marked(id: string): Promise<number[]> {
  const names = await readdir('/proc').catch(() => [])
  const found = await Promise.all(
    names
      .filter((name) => /^\d+$/.test(name))
      .map(async (name) => {
        const environment = await readFile(`/proc/${name}/environ`, 'latin1').catch(() => '')
        return environment.split('\0').includes(`${MARK}=${id}`) ? [Number(name)] : []
      }),
  )
  return found.flat()
}

/** Waits for a word or for the end of its input; at its end, ends the marked processes and removes the folder. */
const SCRIPT = `
read -r word && exit 0
for file in /proc/[0-9]*/environ; do
  if tr '\\0' '\\n' < "$file" 2>/dev/null | grep -qxF "$1"; then
    pid=\${file#/proc/}
    kill -KILL "\${pid%/environ}" 2>/dev/null
  fi
done
kill -KILL -- "-$2" 2>/dev/null
sleep 1
rm -rf -- "$3"
`

/**
 * A small program that watches over a server while this one lives: should this one be killed, its end of the pipe closes
 * and the server, its commands and its folder go as well. Gives what ends the watch.
 */
export function watchOver(server: { readonly id: string; readonly pid: number; readonly folder: string }): () => void {
  const watcher = launch(['-c', SCRIPT, 'watch', `${MARK}=${server.id}`, String(server.pid), server.folder])
  return () => {
    watcher?.stdin?.end('over\n')
  }
}

function launch(args: readonly string[]): ChildProcess | undefined {
  // A group of its own: an interruption from the keyboard must not end it before the one it watches.
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin' }
  const watcher = spawn('/bin/sh', args, { detached: true, stdio: ['pipe', 'ignore', 'ignore'], env })
  // Without a shell there is no watch; all else works.
  watcher.on('error', () => undefined)
  watcher.stdin.on('error', () => undefined)
  watcher.unref()
  // A pipe of a child is a socket, which can let the process end.
  const pipe = watcher.stdin as { readonly unref?: () => void }
  pipe.unref?.()
  return watcher
}
