import { tmpdir } from 'node:os'
import { inject } from 'vitest'
import type { Host, Secrets } from '../../src/core/host.ts'

/** Built from the sources of now. */
export const SANDBOX_PROGRAM = inject('sandboxProgram')

/** A host that keeps what was said; clock and sleep are real, the environment holds nothing but PATH. */
export interface FakeHost extends Host {
  readonly printed: readonly string[]
  readonly infos: readonly string[]
  readonly warnings: readonly string[]
}

/** Give `signal` to test an interruption, `cwd` to test relative paths, `env` in place of the bare PATH. */
export function fakeHost(overrides: Partial<Host> = {}): FakeHost {
  const printed: string[] = []
  const infos: string[] = []
  const warnings: string[] = []
  return {
    cwd: tmpdir(),
    env: { PATH: process.env['PATH'] },
    signal: new AbortController().signal,
    now: () => Date.now(),
    sleep,
    print: (text) => void printed.push(text),
    log: { info: (message) => void infos.push(message), warn: (message) => void warnings.push(message) },
    secrets: fakeSecrets(),
    sandboxProgram: SANDBOX_PROGRAM,
    ...overrides,
    printed,
    infos,
    warnings,
  }
}

function fakeSecrets(): Secrets {
  const known = new Set<string>()
  return {
    add: (value) => void (value && known.add(value)),
    redact: (text) => [...known].reduce((safe, secret) => safe.replaceAll(secret, '***'), text),
  }
}

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal?.addEventListener('abort', done, { once: true })
    if (signal?.aborted) done()
  })
}
