import type { SandboxLimits, SandboxOutcome } from './sandbox.ts'

/** What any script of a user may take, whatever it is run for. */
export const SCRIPT_SPACE = { memoryBytes: 128 * 1024 ** 2, stackBytes: 512 * 1024 } as const

type StoppedBy = Extract<SandboxOutcome, { kind: 'stopped' }>['by']

/** How a script was stopped, in words that follow its name. */
export function describeStop(by: StoppedBy, { timeMs, memoryBytes }: SandboxLimits): string {
  switch (by) {
    case 'time':
      return `ran for ${timeMs / 1_000}s without an end`
    case 'memory':
      return `needed more than ${memoryBytes / 1024 ** 2} MiB of memory`
    case 'stack':
      return 'called itself too deep: its stack is full'
    case 'signal':
      return 'was interrupted'
  }
}
