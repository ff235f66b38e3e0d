import { readFileSync } from 'node:fs'

/** Whether a process runs; one that is over and only waits to be reaped does not. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  try {
    return !/^\d+ \(.*\) [ZX] /s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    // Without /proc (macOS) a signal that arrives is all there is to go by; on Linux it has just ended.
    return process.platform !== 'linux'
  }
}

/** Waits until `holds`, at most `limitMs`; says whether it came to hold. */
export async function eventually(holds: () => boolean, limitMs = 2_000): Promise<boolean> {
  for (const deadline = Date.now() + limitMs; Date.now() < deadline; ) {
    if (holds()) return true
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  return holds()
}
