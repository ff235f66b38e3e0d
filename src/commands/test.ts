import { type Config, resolveConfig } from '../config/config.ts'
import { rawFromArgv } from '../config/from-argv.ts'
import { problemsError, UserError } from '../core/errors.ts'
import type { Host } from '../core/host.ts'
import { exitCodeOf } from '../core/verdict.ts'
import { plainText } from '../lib/escape.ts'
import { type Ports, runTests } from '../pipeline.ts'
import { combineReporters, consoleReporter, messageReporter } from '../reporters/index.ts'
import { originOfCheckout } from '../setup/origin.ts'
import { type Prepared, prepare, release } from '../setup/prepare.ts'
import type { Command, Terminal } from './command.ts'
import { listPlan } from './dry-run.ts'
import { printUserError } from './print-user-error.ts'

/** `agent-test [test] -i …`: the main job without GitHub. */
export const test: Command = {
  name: 'test',
  async run(args, host, terminal) {
    try {
      const config = resolveConfig(rawFromArgv(args), 'cli')
      refuseArtifacts(config)
      return await runTest(config, host, terminal)
    } catch (error) {
      if (!(error instanceof UserError)) throw error
      printUserError(error, host)
      return exitCodeOf('configuration', exitCodeStyle(args))
    }
  },
}

/** Artifacts belong to workflow runs; a file called so is hardly meant. */
function refuseArtifacts(config: Config): void {
  const names = (['baseline', 'save-baseline'] as const).filter((name) => config[name] === 'auto')
  const problems = names.map((name) => ({
    field: `--${name}`,
    message: '"auto" stands for an artifact, which only the action can reach',
    hint: 'give a file',
  }))
  if (problems.length > 0) throw problemsError('INVALID_OPTIONS', problems)
}

async function runTest(config: Config, host: Host, terminal: Terminal): Promise<number> {
  const warn = (warning: string) => host.log.warn(plainText(`warning: ${warning}`))
  const prepared = await prepare(config, host, { baselineMayBeMissing: false, warn })
  if (config['dry-run']) {
    listPlan(prepared, host)
    await release(prepared)
    return 0
  }
  const ports = await localPorts(prepared, config, host, terminal)
  const { verdict } = await runTests(prepared, config, host, ports)
  return exitCodeOf(verdict.exitReason, config['exit-codes'])
}

async function localPorts(
  prepared: Prepared,
  config: Config,
  host: Host,
  { colour, isTerminal }: Terminal,
): Promise<Ports> {
  const { baseline, saveTo, outputs, messageMode } = prepared
  const screen = messageMode
    ? messageReporter({ host, isTerminal, ...(config.verbose ? { settings: prepared.plan } : {}) })
    : consoleReporter({ host, colour, config, plan: prepared.plan })
  return {
    reporter: combineReporters([screen, ...outputs.reporters], host.log),
    origin: saveTo ? await originOfCheckout(host) : {},
    ...(baseline === undefined ? {} : { loadBaseline: () => Promise.resolve(baseline) }),
    ...(saveTo === undefined ? {} : { saveTo }),
  }
}

/** The flags themselves may be what is wrong, so the style is looked up before they are parsed. */
function exitCodeStyle(args: readonly string[]): 'seed' | 'detailed' {
  const isDetailed = args.some((arg, index) => {
    return arg === '--exit-codes=detailed' || (arg === '--exit-codes' && args[index + 1] === 'detailed')
  })
  return isDetailed ? 'detailed' : 'seed'
}
