import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Host } from '../../src/core/host.ts'
import { createTarget, type Target } from '../../src/targets/index.ts'
import { fakeHost } from './fake-host.ts'

/** Folder of the small programs that stand for agents. */
const AGENTS = resolve(import.meta.dirname, '../fixtures/agents')

interface AgentSettings {
  readonly args?: readonly string[]
  readonly format?: 'text' | 'events'
  /** Beside PATH. */
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly host?: Partial<Host>
}

/** A command target that runs `<name>.mjs` of the fixtures. */
export function commandAgent(name: string, { args = [], format, env, host }: AgentSettings = {}): Promise<Target> {
  const run = [process.execPath, join(AGENTS, `${name}.mjs`), ...args]
  const config = { type: 'command', run, ...(format === undefined ? {} : { format }) }
  const environment = { PATH: process.env['PATH'], ...env }
  return createTarget(config, { host: fakeHost({ cwd: tmpdir(), env: environment, ...host }) })
}
