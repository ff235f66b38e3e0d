import { basename, dirname, extname, join, resolve } from 'node:path'
import type { Config } from '../config/config.ts'
import type { Problem } from '../core/errors.ts'
import type { Host } from '../core/host.ts'
import type { SessionKeeper } from '../core/session-keeper.ts'
import type { Case } from '../core/suite.ts'
import { checkKeptFolder, keepSessions } from '../sessions/index.ts'

interface Options {
  readonly cases: readonly Pick<Case, 'key' | 'id' | 'suite'>[]
  /** Where results go when no output was given. */
  readonly defaultOutput?: string
  readonly problems: Problem[]
}

/** Where targets keep their sessions: the folder that was given, or one beside the first results file. */
export async function openKeeper(
  config: Config,
  host: Host,
  { cases, defaultOutput, problems }: Options,
): Promise<SessionKeeper | undefined> {
  const given = config['keep-sessions']
  if (given === 'off') return undefined
  const output = config.output[0] ?? defaultOutput
  const shown = given ?? (output === undefined ? undefined : besideOf(output))
  if (shown === undefined) return undefined
  const folder = { path: resolve(host.cwd, shown), shown }
  problems.push(...(await checkKeptFolder(folder, cases)))
  return keepSessions(folder, { cases, host })
}

/** `out/results.jsonl` gives `out/results-sessions`. */
function besideOf(output: string): string {
  return join(dirname(output), `${basename(output, extname(output))}-sessions`)
}
