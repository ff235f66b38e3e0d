import { type Dirent, existsSync } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'

/** What of an application an agent may depend on. */
export interface AgentReach {
  /** Agents in whose files it is decided what they do, each by its folder; the agent itself is among them. */
  readonly folders: ReadonlySet<string>
  /** Code of theirs may reach any other agent by a name that is made up while it runs. */
  readonly isUnbounded: boolean
}

const UNBOUNDED: AgentReach = { folders: new Set(), isUnbounded: true }

const SCRIPTS = new Set(['.ts', '.tsx', '.mts', '.js', '.mjs', '.cjs'])
const MOST_FILES = 5_000
const MOST_BYTES = 32 * 1024 * 1024

/**
 * The agents that one of them, or its suites, name in any of their files, and those that these name. In doubt it is
 * unbounded: where there is code, a link, or more than can be looked through.
 */
export async function reachOf(agent: string, application: string, suites: readonly string[]): Promise<AgentReach> {
  const budget = { files: MOST_FILES, bytes: MOST_BYTES }
  const all = await agentsBelow(application, budget)
  if (!all) return UNBOUNDED
  const folders = new Set<string>([agent])
  for (const folder of folders) {
    const texts = await textsOf(folder, budget)
    const asked = folder === agent ? await textsOfFiles(suites, budget) : []
    if (!texts || !asked) return UNBOUNDED
    const said = [...texts, ...asked]
    for (const other of all) if (said.some((text) => text.includes(basename(other)))) folders.add(other)
  }
  return { folders, isUnbounded: false }
}

/** The nearest agent that a file belongs to; undefined for what belongs to the application. */
export function agentOfFile(file: string, application: string): string | undefined {
  for (let folder = dirname(file); folder.length > application.length; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.yao'))) return folder
  }
  return undefined
}

interface Budget {
  files: number
  bytes: number
}

async function agentsBelow(application: string, budget: Budget): Promise<string[] | undefined> {
  const found: string[] = []
  const isWhole = await eachBelow(join(application, 'assistants'), budget, (entry, path) => {
    if (entry.name === 'package.yao') found.push(dirname(path))
    return true
  })
  return isWhole ? found : undefined
}

/** Of an agent's folder; those of agents below it, too. */
async function textsOf(folder: string, budget: Budget): Promise<string[] | undefined> {
  const files: string[] = []
  const isPlain = await eachBelow(folder, budget, (entry, path) => {
    files.push(path)
    return !entry.isSymbolicLink() && !SCRIPTS.has(extname(entry.name))
  })
  return isPlain ? await textsOfFiles(files, budget) : undefined
}

async function textsOfFiles(files: readonly string[], budget: Budget): Promise<string[] | undefined> {
  const texts: string[] = []
  for (const file of files) {
    const found = await stat(file).catch(() => undefined)
    budget.bytes -= found?.size ?? 0
    if (!found?.isFile() || budget.bytes < 0) return undefined
    texts.push(await readFile(file, 'utf8'))
  }
  return texts
}

/** False when `look` said so, or when there was too much. */
async function eachBelow(
  folder: string,
  budget: Budget,
  look: (entry: Dirent, path: string) => boolean,
): Promise<boolean> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  for (const entry of entries) {
    const path = join(folder, entry.name)
    budget.files -= 1
    if (budget.files < 0) return false
    if (entry.isDirectory() ? !(await eachBelow(path, budget, look)) : !look(entry, path)) return false
  }
  return true
}
