import { resolve } from 'node:path'
import * as core from '@actions/core'
import { type Config, rawFromInputs, resolveConfig } from './config/config.ts'
import { OUTPUT_NAMES, type OutputName } from './config/outputs.ts'
import { describeProblem, UserError } from './core/errors.ts'
import type { Host } from './core/host.ts'
import { exitCodeOf } from './core/verdict.ts'
import { inertLine } from './lib/escape.ts'
import { createHost, interruptionOf } from './setup/host.ts'

/** Entry of the action: inputs in, outputs and exit code out. */
async function main(): Promise<number> {
  const host = hostAt(process.cwd())
  try {
    const config = resolveConfig(rawFromInputs(core.getInput), 'action')
    const token = config['github-token']
    if (token) core.setSecret(token)
    const { runAction } = await import('./commands/action-job.ts')
    const { outputs, exitReason, message } = await runAction(config, hostAt(workingDirectory(config)), {
      command,
      annotate,
    })
    setOutputs(outputs)
    if (message !== '') core.setFailed(inertLine(message))
    return exitCodeOf(exitReason, config['exit-codes'])
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    for (const problem of error.problems) annotate(describeProblem(problem), {})
    const message = error.problems.map(describeProblem).join('; ')
    setOutputs({ status: 'failed', 'gate-status': 'closed', 'gate-message': message, 'exit-reason': 'configuration' })
    return exitCodeOf('configuration', core.getInput('exit-codes') === 'detailed' ? 'detailed' : 'seed')
  } finally {
    host.log.info('')
  }
}

function workingDirectory(config: Config): string {
  return resolve(process.env['GITHUB_WORKSPACE'] ?? process.cwd(), config['working-directory'])
}

function hostAt(cwd: string): Host {
  return createHost({
    cwd,
    env: process.env,
    signal: interruption,
    now: () => Date.now(),
    // What agents and models say must not be a workflow command.
    print: (text) => process.stdout.write(inertLine(text)),
    log: {
      info: (message) => process.stdout.write(`${inertLine(message)}\n`),
      warn: (message) => core.warning(message),
    },
  })
}

/** A workflow command of ours, already escaped. */
function command(line: string): void {
  process.stdout.write(`${line}\n`)
}

function annotate(message: string, place: core.AnnotationProperties): void {
  core.error(message, place)
}

function setOutputs(outputs: Partial<Record<OutputName, string>>): void {
  for (const name of OUTPUT_NAMES) core.setOutput(name, outputs[name] ?? '')
}

const interruption = interruptionOf(process)
process.exitCode = await main()
