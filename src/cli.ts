#!/usr/bin/env node
import { realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { VERSION } from './version.ts'

/** Entry of the command line: the only place here that touches the process. */
async function main(args: readonly string[]): Promise<number> {
  const [{ createHost, interruptionOf, keepHeapSmall }, { runCommand }, { inertLine }] = await Promise.all([
    import('./setup/host.ts'),
    import('./commands/index.ts'),
    import('./lib/escape.ts'),
  ])
  keepHeapSmall()
  // In a step of a workflow the runner reads along, and what agents say must not be a command to it.
  const inert = process.env['GITHUB_ACTIONS'] === 'true' ? inertLine : (text: string) => text
  // The bundle lies in dist/cli of the package, wherever a symbolic link may stand.
  const bundle = dirname(realpathSync(process.argv[1] ?? '.'))
  const host = createHost({
    cwd: process.cwd(),
    env: process.env,
    signal: interruptionOf(process),
    now: () => Date.now(),
    sandboxProgram: join(bundle, '..', 'sandbox.js'),
    print: (text) => process.stdout.write(inert(text)),
    log: {
      info: (message) => process.stderr.write(`${inert(message)}\n`),
      warn: (message) => process.stderr.write(`${inert(message)}\n`),
    },
  })
  const packageRoot = join(bundle, '..', '..')
  return await runCommand(args, host, { isTerminal: process.stdout.isTTY, colour: showsColour(), packageRoot })
}

function showsColour(): boolean {
  const { NO_COLOR, FORCE_COLOR } = process.env
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== '0') return true
  return process.stdout.isTTY === true && (NO_COLOR === undefined || NO_COLOR === '')
}

// A reader that has gone away (a pager, head) is no failure of the tests; a full disk is, but results go elsewhere.
const output = { isLost: false }
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE' || output.isLost) return
  output.isLost = true
  process.exitCode = 1
  process.stderr.write(`error: standard output could not be written: ${error.message}\n`)
})
process.stderr.on('error', () => undefined)

// Node would print the line of the bundle, which is a whole file: the stack says where.
process.on('uncaughtException', (error) => {
  process.stderr.write(`${error.stack ?? error.message}\nThis is a bug in agent-test.\n`)
  process.exit(1)
})

const args = process.argv.slice(2)
if (args.length === 1 && args[0] === '--version') process.stdout.write(`${VERSION}\n`)
else process.exitCode = (await main(args)) || (output.isLost ? 1 : 0)
