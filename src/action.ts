import { realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import * as core from '@actions/core'
import type { Outputs } from './commands/action-job.ts'
import { OUTPUT_NAMES } from './config/outputs.ts'
import { inertLine } from './lib/escape.ts'
import { createHost, interruptionOf, keepHeapSmall } from './setup/host.ts'

/** Entry of the action: inputs in, outputs and exit code out. */
async function main(): Promise<number> {
  keepHeapSmall()
  const token = core.getInput('github-token')
  if (token) core.setSecret(token)
  const host = createHost({
    cwd: process.env['GITHUB_WORKSPACE'] || process.cwd(),
    env: process.env,
    signal: interruptionOf(process),
    now: () => Date.now(),
    sandboxProgram: join(dirname(realpathSync(process.argv[1] ?? '.')), 'sandbox.js'),
    // What agents and models say must not be a workflow command.
    print: (text) => process.stdout.write(inertLine(text)),
    log: {
      info: (message) => process.stdout.write(`${inertLine(message)}\n`),
      warn: (message) => core.warning(message),
    },
  })
  const { runAction } = await import('./commands/action-job.ts')
  const { outputs, exitCode, message } = await runAction(core.getInput, host, { command, annotate, setOutputs })
  setOutputs({ ...NOTHING, ...outputs })
  if (message !== '') core.setFailed(inertLine(message))
  return exitCode
}

/** A workflow command of ours, already escaped. */
function command(line: string): void {
  process.stdout.write(`${line}\n`)
}

function annotate(message: string, place: core.AnnotationProperties): void {
  core.error(message, place)
}

const NOTHING: Outputs = Object.fromEntries(OUTPUT_NAMES.map((name) => [name, '']))
const told = new Map<string, string>()

function setOutputs(outputs: Outputs): void {
  for (const [name, value] of Object.entries(outputs)) {
    if (told.get(name) !== value) core.setOutput(name, value)
    told.set(name, value)
  }
}

// Node would print the line of the bundle, which is a whole file: the stack says where.
process.on('uncaughtException', (error) => {
  core.setFailed(`This is a bug in agent-test: ${inertLine(error.stack ?? error.message)}`)
  process.exit(1)
})

process.exitCode = await main()
