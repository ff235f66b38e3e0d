import { z } from 'zod'
import { UserError } from '../core/errors.ts'
import type { Host } from '../core/host.ts'
import { quote } from '../core/kind.ts'
import { splitCommand } from '../lib/command-line.ts'
import type { Child } from './command/child.ts'
import { findProgram } from './command/find-program.ts'
import { wordsInCheckout } from './command/in-checkout.ts'
import { runProgram } from './command/run-program.ts'
import { defineTarget } from './target.ts'

/** Variables of the workflow, its inputs and its tokens: none of the agent's business. */
const WITHHELD = /^(?:GITHUB_|ACTIONS_|[Ii][Nn][Pp][Uu][Tt]_)/

/** A program of the user's, started once per run: one line of JSON in, text or events out. */
export const command = defineTarget({
  type: 'command',
  schema: z.object({
    run: z
      .union([z.string(), z.array(z.string())], { error: 'expected a command or a list of words' })
      .describe('Program and arguments; no shell is involved'),
    format: z
      .enum(['text', 'events'], { error: 'expected "text" or "events"' })
      .default('text')
      .describe('What the program prints: its answer as text, or one event per line'),
  }),
  fromValue: (run) => ({ run }),
  async create({ run, format }, { host }) {
    const [word, ...args] = wordsOf(run)
    const program = { file: await programFile(word, host), args, cwd: host.cwd, env: environmentOf(host) }
    const children = new Set<Child>()
    return {
      label: `command:${host.secrets.redact([word, ...args].join(' '))}`,
      execute: (request) => runProgram(request, { program, format, host, children }),
      async dispose() {
        await Promise.all([...children].map((child) => child.stop()))
      },
    }
  },
  async inCheckout({ run, format }, { host }, checkout) {
    const moved = await wordsInCheckout(wordsOf(run), host.cwd, checkout)
    return 'reason' in moved ? moved : { settings: { run: moved.words, format } }
  },
})

function wordsOf(run: string | readonly string[]): readonly [string, ...string[]] {
  const split = typeof run === 'string' ? splitCommand(run) : { words: run }
  if ('problem' in split) throw invalid(split.problem)
  const [program, ...args] = split.words
  if (program === undefined || program === '') throw invalid('names no program')
  if (split.words.some((word) => word.includes('\0'))) throw invalid('a word holds a NUL character')
  return [program, ...args]
}

async function programFile(word: string, host: Host): Promise<string> {
  const found = await findProgram(word, host)
  if ('file' in found) return found.file
  throw invalid(
    `the program ${quote(word)} ${found.problem}`,
    "no shell is involved; where one is meant, write sh -c '…'",
  )
}

function invalid(message: string, hint?: string): UserError {
  const problem = { field: 'target.run', message, ...(hint === undefined ? {} : { hint }) }
  return new UserError(`target.run: ${message}`, { code: 'INVALID_TARGET', problems: [problem] })
}

function environmentOf({ env }: Host): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined || WITHHELD.test(name) ? [] : [[name, value]])),
  )
}
