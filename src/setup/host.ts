import type { Host, Log } from '../core/host.ts'
import { terminalBlock } from '../lib/escape.ts'
import { createRedactor, secretsOfEnvironment } from '../lib/redact.ts'

export { keepHeapSmall } from './heap.ts'

interface HostParts {
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly signal: AbortSignal
  readonly now: () => number
  readonly print: (text: string) => void
  readonly log: Log
  readonly sandboxProgram: string
}

/** The outside world of an entry; what is printed has passed the redactor, and the log cannot steer a terminal. */
export function createHost({ cwd, env, signal, now, print, log, sandboxProgram }: HostParts): Host {
  const secrets = createRedactor()
  for (const value of secretsOfEnvironment(withoutInputs(env))) secrets.add(value)
  return {
    cwd,
    env,
    signal,
    now,
    sleep,
    secrets,
    sandboxProgram,
    print: (text) => print(secrets.redact(text)),
    log: {
      info: (message) => log.info(terminalBlock(secrets.redact(message))),
      warn: (message) => log.warn(terminalBlock(secrets.redact(message))),
    },
  }
}

/** Inputs of the action are settings: only the token is secret among them, and `comment-key` names no key. */
function withoutInputs(env: HostParts['env']): HostParts['env'] {
  const isSetting = (name: string) => name.startsWith('INPUT_') && name !== 'INPUT_GITHUB-TOKEN'
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isSetting(name)))
}

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const end = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal?.addEventListener('abort', end)
  })
}

/** Aborts at the first SIGINT or SIGTERM, which ends the run with its report; a second one ends the process. */
export function interruptionOf(program: Pick<NodeJS.Process, 'on' | 'exit'>): AbortSignal {
  const controller = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    program.on(name, () => {
      if (controller.signal.aborted) program.exit(130)
      controller.abort()
    })
  }
  return controller.signal
}
