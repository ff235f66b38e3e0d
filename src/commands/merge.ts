import { resolve } from 'node:path'
import { type FoundBlob, mergeBlobs, readBlobFile, saveBlobFile } from '../blobs/index.ts'
import { type Config, resolveConfig } from '../config/config.ts'
import { rawFromArgv } from '../config/from-argv.ts'
import type { OptionName } from '../config/options.ts'
import { collectProblems, type Problem, problemsError, UserError } from '../core/errors.ts'
import type { Host } from '../core/host.ts'
import { exitCodeOf } from '../core/verdict.ts'
import { plainText } from '../lib/escape.ts'
import { mergeTests, type Ports } from '../pipeline.ts'
import { combineReporters, consoleReporter } from '../reporters/index.ts'
import { baseRefOf, openBaseSide } from '../setup/base-side.ts'
import { type OpenedMerge, openMerge } from '../setup/open-merge.ts'
import { originOfCheckout } from '../setup/origin.ts'
import type { Command, Terminal } from './command.ts'
import { printUserError } from './print-user-error.ts'
import { artifactProblems } from './test.ts'

const HELP = `Usage: agent-test merge FILE... [options]

Judges what several jobs gathered with --shard I/N --blob FILE as if it had been one run, and reports it once. A single
file may also be judged again, by another gate.

Takes the options of agent-test that judge and report, such as -o, --baseline, --save-baseline, --min-pass-rate and
--fail-on; see agent-test --help. With -i, --target and the other settings of the shards the cases in question are run
on the base commit before anything is red, as in a run that is not cut.

      --blob FILE            Write what was merged to a file of the same kind

Exits as agent-test does; shards that are missing, there twice or of another plan are mistakes.
`

/** `agent-test merge FILE...`: one verdict over the results of all shards. */
export const merge: Command = {
  name: 'merge',
  help: HELP,
  async run(args, host, terminal) {
    try {
      const files: string[] = []
      const config = resolveConfig(rawFromArgv(args, files), 'cli')
      refuseForeign(config, files)
      return await runMerge(files, config, host, terminal)
    } catch (error) {
      if (!(error instanceof UserError)) throw error
      printUserError(error, host)
      return exitCodeOf('configuration', args.some((arg) => arg.includes('detailed')) ? 'detailed' : 'seed')
    }
  },
}

/** What decides how runs are made was decided by the shards. */
const OF_SHARDS: readonly OptionName[] = ['shard', 'runs', 'max-runs', 'dry-run', 'changed-only', 'fail-fast']

function refuseForeign(config: Config, files: readonly string[]): void {
  const problems: Problem[] = OF_SHARDS.flatMap((name) =>
    config.given.has(name) ? [{ field: `--${name}`, message: 'is for the shards, which have been run' }] : [],
  )
  if (files.length === 0) problems.push({ message: 'expected files of results', hint: 'agent-test merge FILE...' })
  problems.push(...artifactProblems(config))
  if (problems.length > 0) throw problemsError('INVALID_OPTIONS', problems)
}

async function runMerge(files: readonly string[], config: Config, host: Host, terminal: Terminal): Promise<number> {
  const blob = mergeBlobs(await readAll(files, host))
  const opened = await openMerge(blob, config, host, {
    baselineMayBeMissing: false,
    warn: (warning) => host.log.warn(plainText(`warning: ${warning}`)),
    reads: files.map((file) => resolve(host.cwd, file)),
  })
  const { prepared, waivers, warnings } = opened
  const ports = await portsOf(opened, config, host, terminal)
  const merged = { blob, waivers, warnings, ...(prepared ? { prepared } : {}) }
  const { verdict } = await mergeTests(merged, config, host, ports)
  return exitCodeOf(verdict.exitReason, config['exit-codes'])
}

/** Throws one UserError with the problem of every file. */
async function readAll(files: readonly string[], host: Host): Promise<FoundBlob[]> {
  const problems: Problem[] = []
  const found: FoundBlob[] = []
  for (const source of files) {
    const blob = await collectProblems(problems, () => readBlobFile(source, host))
    if (blob) found.push({ blob, source })
  }
  if (problems.length > 0) throw problemsError('ARTIFACT_UNREADABLE', problems)
  return found
}

async function portsOf(
  { prepared, outputs, baseline, saveTo, settings }: OpenedMerge,
  config: Config,
  host: Host,
  { colour }: Terminal,
): Promise<Ports> {
  const screen = consoleReporter({ host, colour, config, plan: settings })
  const { blob: path } = config
  return {
    reporter: combineReporters([screen, ...outputs.reporters], host.log),
    origin: await originOfCheckout(host),
    ...(baseline ? { loadBaseline: () => Promise.resolve(baseline) } : {}),
    ...(saveTo ? { saveTo } : {}),
    ...(prepared
      ? { openBaseSide: (loaded) => openBaseSide(prepared, { config, host, base: baseRefOf(undefined, loaded) }) }
      : {}),
    ...(path === undefined ? {} : { saveBlob: (blob) => saveBlobFile(path, blob, host) }),
  }
}
