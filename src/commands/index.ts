import { helpText } from '../config/help.ts'
import type { Host } from '../core/host.ts'
import { didYouMean } from '../core/kind.ts'
import * as all from './all.ts'
import type { Command, Terminal } from './command.ts'

const commands: readonly Command[] = Object.values(all)

/** Runs the verb that stands first, or `test` where a flag does; gives the process's exit code. */
export async function runCommand(args: readonly string[], host: Host, terminal: Terminal): Promise<number> {
  const [first, ...rest] = args
  const command = commands.find(({ name }) => name === first)
  if (first === undefined || args.includes('--help') || args.includes('-h')) {
    host.print(command?.help ?? helpText())
    return first === undefined ? 1 : 0
  }
  if (first.startsWith('-')) return await all.test.run(args, host, terminal)
  if (command) return await command.run(rest, host, terminal)
  const names = commands.map(({ name }) => name)
  const hint = didYouMean(first, names) ?? `verbs are ${names.join(', ')}; suites and messages are given with -i`
  host.log.warn(`error: unknown verb ${JSON.stringify(first)} (${hint})`)
  return 1
}
