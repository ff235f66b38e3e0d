import { saveBlobFile } from '../blobs/index.ts'
import { type Config, resolveConfig } from '../config/config.ts'
import { rawFromArgv } from '../config/from-argv.ts'
import { type Problem, problemsError, UserError } from '../core/errors.ts'
import type { Host } from '../core/host.ts'
import { exitCodeOf } from '../core/verdict.ts'
import { plainText } from '../lib/escape.ts'
import { type Ports, runTests } from '../pipeline.ts'
import { combineReporters, consoleReporter, messageReporter } from '../reporters/index.ts'
import { baseRefOf, openBaseSide } from '../setup/base-side.ts'
import { spareUnchanged } from '../setup/changed-suites.ts'
import { originOfCheckout } from '../setup/origin.ts'
import { type Prepared, prepare, release } from '../setup/prepare.ts'
import { cutToShard } from '../setup/shard.ts'
import type { Command, Terminal } from './command.ts'
import { listPlan } from './dry-run.ts'
import { printUserError } from './print-user-error.ts'

/** `agent-test [test] -i …`: the main job without GitHub. */
export const test: Command = {
  name: 'test',
  async run(args, host, terminal) {
    try {
      const config = resolveConfig(rawFromArgv(args), 'cli')
      refuseForeign(config)
      return await runTest(config, host, terminal)
    } catch (error) {
      if (!(error instanceof UserError)) throw error
      printUserError(error, host)
      return exitCodeOf('configuration', exitCodeStyle(args))
    }
  },
}

function refuseForeign(config: Config): void {
  const problems: Problem[] = artifactProblems(config)
  if (config.shard !== undefined && config.blob === undefined) {
    const message = 'a part of the suites is judged together with the others'
    problems.push({ field: '--shard', message, hint: 'give --blob FILE as well, for agent-test merge' })
  }
  if (problems.length > 0) throw problemsError('INVALID_OPTIONS', problems)
}

/** Artifacts belong to workflow runs; a file called so is hardly meant. */
export function artifactProblems(config: Config): Problem[] {
  const names = (['baseline', 'save-baseline'] as const).filter((name) => config[name] === 'auto')
  return names.map((name) => ({
    field: `--${name}`,
    message: '"auto" stands for an artifact, which only the action can reach',
    hint: 'give a file',
  }))
}

async function runTest(config: Config, host: Host, terminal: Terminal): Promise<number> {
  const warn = (warning: string) => host.log.warn(plainText(`warning: ${warning}`))
  const all = await prepare(config, host, { baselineMayBeMissing: false, warn })
  const { baseline } = all
  const whole = await spareUnchanged(all, { config, host, base: baseRefOf(undefined, baseline), baseline })
  const loadBaseline = baseline && (() => Promise.resolve(baseline))
  const prepared = config.shard ? await cutToShard(whole, config.shard, { host, loadBaseline }) : whole
  if (config['dry-run']) {
    listPlan(prepared, config, host)
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
  const { blob: path } = config
  const screen = messageMode
    ? messageReporter({ host, isTerminal, ...(config.verbose ? { settings: prepared.plan } : {}) })
    : consoleReporter({ host, colour, config, plan: prepared.plan })
  return {
    reporter: combineReporters([screen, ...outputs.reporters], host.log),
    origin: await originOfCheckout(host),
    ...(baseline === undefined ? {} : { loadBaseline: () => Promise.resolve(baseline) }),
    ...(saveTo === undefined ? {} : { saveTo }),
    ...(path === undefined ? {} : { saveBlob: (blob) => saveBlobFile(path, blob, host) }),
    openBaseSide: (loaded) => openBaseSide(prepared, { config, host, base: baseRefOf(undefined, loaded) }),
    ...(config.shard === undefined ? {} : { isPart: true }),
  }
}

/** The flags themselves may be what is wrong, so the style is looked up before they are parsed. */
function exitCodeStyle(args: readonly string[]): 'seed' | 'detailed' {
  const isDetailed = args.some((arg, index) => {
    return arg === '--exit-codes=detailed' || (arg === '--exit-codes' && args[index + 1] === 'detailed')
  })
  return isDetailed ? 'detailed' : 'seed'
}
