import { spawn } from 'node:child_process'

/** Waits for a word or for the end of its input; at its end, removes the folder. */
const SCRIPT = `
read -r word && exit 0
sleep 1
chmod -R u+w -- "$1" 2>/dev/null
rm -rf -- "$1"
`

/**
 * A small program that removes a folder when this process ends without having done so: killed, crashed, or interrupted
 * twice. Its end of a pipe tells it. Gives what ends the watch.
 */
export function watchFolder(folder: string): () => void {
  // A group of its own: an interruption from the keyboard must not end it before the one it watches.
  const watcher = spawn('/bin/sh', ['-c', SCRIPT, 'watch', folder], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
  })
  // Without a shell there is no watch; all else works.
  watcher.on('error', () => undefined)
  watcher.stdin.on('error', () => undefined)
  watcher.unref()
  // A pipe of a child is a socket, which can let the process end.
  const pipe = watcher.stdin as { readonly unref?: () => void }
  pipe.unref?.()
  return () => {
    watcher.stdin.end('over\n')
  }
}
