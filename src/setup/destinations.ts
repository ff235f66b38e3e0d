import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { type BaselineStore, fileBaseline } from '../baselines/index.ts'
import type { Config } from '../config/config.ts'
import type { LoadedBaseline } from '../core/baseline.ts'
import { collectProblems, type Problem } from '../core/errors.ts'
import type { Host } from '../core/host.ts'
import type { Suite } from '../core/suite.ts'
import {
  builtInPath,
  createOutputReporters,
  defaultOutputPath,
  type Reporter,
  reporterAgent,
  reporterCase,
} from '../reporters/index.ts'
import { createTarget } from '../targets/index.ts'

/** Files that results go to, opened and checked before the first call. */
export interface Outputs {
  readonly reporters: readonly Reporter[]
  /** Absolute. */
  readonly paths: readonly string[]
  readonly warnings: readonly string[]
}

interface OutputOptions {
  readonly suites: readonly Suite[]
  readonly messageMode: boolean
  /** Where results go when no output was given; beside the suite by default. */
  readonly defaultOutput?: string
  readonly problems: Problem[]
  /** What a reporter agent sees of the world. */
  readonly agents: Host
}

export async function openOutputs(config: Config, host: Host, options: OutputOptions): Promise<Outputs> {
  const given = config.output.length > 0 ? config.output : defaultsOf(options, host)
  const opened = await createOutputReporters(given, host, { exitCodes: config['exit-codes'] })
  options.problems.push(...opened.problems)
  const agent = await openReporterAgent(config, host, options)
  return {
    reporters: [...opened.reporters, ...agent],
    paths: given.map((path) => resolve(host.cwd, path)),
    warnings: opened.warnings,
  }
}

/** Source: seed 000, "Default Output Path"; a direct message without -o is only printed. */
function defaultsOf({ suites, messageMode, defaultOutput }: OutputOptions, host: Host): string[] {
  if (defaultOutput !== undefined) return [defaultOutput]
  // Script tests are only saved with -o, too. Source: spec yao 5.
  const files = suites.filter(({ target }) => target === undefined)
  return messageMode || files.length === 0 ? [] : [defaultOutputPath(files, new Date(host.now()))]
}

async function openReporterAgent(
  config: Config,
  host: Host,
  { agents, problems }: Pick<OutputOptions, 'agents' | 'problems'>,
): Promise<Reporter[]> {
  const { reporter: id } = config
  if (id === undefined) return []
  const path = config.output.at(-1)
  if (path === undefined) {
    problems.push({
      field: '--reporter',
      message: 'there is no file for the reporter to write',
      hint: 'give one with -o',
    })
    return []
  }
  const beside = builtInPath(path)
  if (config.output.some((other) => resolve(host.cwd, other) === resolve(host.cwd, beside))) {
    const message = `${beside} is where the built-in report is kept beside ${path}`
    problems.push({ field: '--output', message, hint: 'name another file' })
  }
  const found: Problem[] = []
  const target = await collectProblems(found, () => createTarget({ type: 'yao', name: id }, { host: agents }))
  // It is asked last: what keeps it from answering is to be known before everything else was paid for.
  found.push(...((await target?.check?.(reporterCase(''))) ?? []))
  // What is told of the target's name is meant for the flag that gave it.
  problems.push(...found.map((problem) => (problem.file === undefined ? { ...problem, field: '--reporter' } : problem)))
  const { user, team, verbose } = config
  return target ? [reporterAgent({ target, path, verbose, flags: { user, team }, host })] : []
}

/** The file to compare with, read before the first call; undefined when none was given. */
export async function loadFileBaseline(
  config: Config,
  host: Host,
  { problems, mayBeMissing }: { readonly problems: Problem[]; readonly mayBeMissing: boolean },
): Promise<LoadedBaseline | undefined> {
  const path = config.baseline
  if (path === '' || path === 'auto') return undefined
  const loaded = await fileBaseline(path, host).load()
  const isFirstRun = mayBeMissing || resolve(host.cwd, path) === resolve(host.cwd, config['save-baseline'])
  if (loaded.kind === 'none' && !isFirstRun) {
    problems.push({ field: '--baseline', message: loaded.detail, hint: 'write one with --save-baseline' })
  }
  if (loaded.kind === 'unreadable' && config['on-baseline-error'] === 'fail') {
    problems.push({ field: '--baseline', message: loaded.detail })
  }
  return loaded
}

/** The file to save to, its folder checked before the first call; undefined when none was given. */
export async function openFileToSave(
  config: Config,
  host: Host,
  problems: Problem[],
): Promise<BaselineStore | undefined> {
  const path = config['save-baseline']
  if (path === '' || path === 'auto') return undefined
  const obstacle = await obstacleToSaving(path, host)
  if (obstacle) problems.push({ field: '--save-baseline', ...obstacle })
  return fileBaseline(path, host)
}

/** What keeps the gathered results from being written, known before they are paid for. */
export async function blobProblems({ blob }: Pick<Config, 'blob'>, host: Host): Promise<Problem[]> {
  const obstacle = blob === undefined ? undefined : await obstacleToSaving(blob, host)
  return obstacle ? [{ field: '--blob', ...obstacle }] : []
}

/** It is written beside the old one and put in its place, so that the folder is what must be writable. */
async function obstacleToSaving(path: string, { cwd }: Host): Promise<Problem | undefined> {
  const absolute = resolve(cwd, path)
  const folder = await stat(dirname(absolute)).catch(() => undefined)
  if (!folder?.isDirectory()) return { message: `there is no folder ${dirname(path)}`, hint: 'make it first' }
  const existing = await stat(absolute).catch(() => undefined)
  if (existing?.isDirectory()) return { message: `${path} is a folder`, hint: 'name a file in it' }
  const isWritable = await access(dirname(absolute), constants.W_OK).then(
    () => true,
    () => false,
  )
  return isWritable ? undefined : { message: `the folder ${dirname(path)} is not writable` }
}
