import { resolve } from 'node:path'
import { runCommand } from '../../src/commands/index.ts'
import type { Host } from '../../src/core/host.ts'
import { type FakeHost, fakeHost } from './fake-host.ts'

interface CommandResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
  readonly host: FakeHost
}

/** `agent-test ARGS` in this process; standard output and standard error are what was printed and logged. */
export async function agentTest(
  args: readonly string[],
  { cwd, ...overrides }: Partial<Host> & { readonly cwd: string },
): Promise<CommandResult> {
  const host = fakeHost({ cwd, ...overrides })
  const code = await runCommand(args, host, {
    isTerminal: false,
    colour: false,
    packageRoot: resolve(import.meta.dirname, '../..'),
  })
  return { code, stdout: host.printed.join(''), stderr: [...host.infos, ...host.warnings].join('\n'), host }
}

/** A suite of `{id, input}` records with whatever else each has. */
export function suiteOf(...records: readonly object[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('')
}
