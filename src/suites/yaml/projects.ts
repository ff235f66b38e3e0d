import { existsSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import type { Problem } from '../../core/errors.ts'
import { collectFindings, type Findings } from '../../core/reading/findings.ts'
import type { Confinement } from '../confinement.ts'
import type { SuiteConfig } from './config.ts'
import { configPathIn, readConfigFile } from './config-file.ts'
import { openWorkspaces, type Workspaces } from './workspaces.ts'

interface FoundConfig {
  /** Absolute; what the file says goes for all below. */
  readonly folder: string
  readonly config: SuiteConfig
}

/** What lies around the suites: config files and fixtures, each of them read once. */
export interface Projects {
  readonly workspaces: Workspaces
  /** The config file that goes for the suites of this folder: the nearest, up to the root of the repository. */
  configFor(folder: string): FoundConfig | undefined
  /** What is wrong with the config files that were read. */
  problems(): readonly Problem[]
  warnings(): readonly string[]
}

interface Options {
  readonly cwd: string
  readonly confinement: Confinement
  /** Warnings are problems. */
  readonly strict: boolean
}

export function openProjects({ cwd, confinement, strict }: Options): Projects {
  const workspaces = openWorkspaces(confinement)
  const byFolder = new Map<string, FoundConfig | undefined>()
  const findings: Findings[] = []
  const configIn = (folder: string): FoundConfig | 'broken' | undefined => {
    const path = configPathIn(folder)
    if (path === undefined) return undefined
    const name = relative(cwd, path).replaceAll(sep, '/')
    const found = collectFindings(name, { strict })
    const place = { file: name, workspace: (written: string) => workspaces.find(written, folder) }
    const config = readConfigFile(path, place, found)
    if (config === undefined) return undefined
    findings.push(found)
    return config === 'broken' ? config : { folder, config }
  }
  const configFor = (folder: string): FoundConfig | undefined => {
    if (byFolder.has(folder)) return byFolder.get(folder)
    const own = configIn(folder)
    const parent = dirname(folder)
    const isTop = parent === folder || existsSync(join(folder, '.git'))
    const found = own === 'broken' ? undefined : (own ?? (isTop ? undefined : configFor(parent)))
    byFolder.set(folder, found)
    return found
  }
  return {
    workspaces,
    configFor,
    problems: () => findings.flatMap(({ problems }) => problems),
    warnings: () => findings.flatMap((found) => found.warnings()),
  }
}
