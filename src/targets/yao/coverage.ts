import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Problem } from '../../core/errors.ts'
import { isJsonObject } from '../../core/json.ts'
import type { Scripts } from '../../scripts/scripts.ts'
import type { Application } from './application.ts'
import type { Assistant } from './assistant.ts'
import { findOutsideUses, isProcessRun } from './context/outside.ts'
import { shownPath } from './locate.ts'
import { offerTools } from './mcp/offered-tools.ts'

/**
 * Everything the assistant would use on a Yao server and that is not run here, so that nobody reads too much into a green
 * run. Found by its files and by the text of its scripts, before anything runs. Source: spec yao 11.6.
 */
export async function missingParts(assistant: Assistant, application: Application): Promise<string[]> {
  const { package: settings, hooks, hasSandbox } = assistant
  const { uses, search, kb, db, workflow } = settings
  const used = Object.entries(uses ?? {}).flatMap(([key, value]) => (value === 'disabled' ? [] : [key]))
  const tools = await missingTools(assistant, application)
  const outside = outsideUses(assistant, application)
  return [
    ...(settings.hooks && hooks === undefined ? ['hooks (package.yao names them, and there is no src/index.ts)'] : []),
    ...(tools.length > 0 ? [`MCP servers (${tools.join('; ')})`] : []),
    ...(used.length > 0 ? [`uses (${used.join(', ')})`] : []),
    ...(isJsonObject(search) ? ['search'] : []),
    ...(kb ? ['kb'] : []),
    ...(db ? ['db'] : []),
    ...(workflow ? ['workflow'] : []),
    ...(hasSandbox ? ['sandbox'] : []),
    ...outside,
  ]
}

/** Mistakes in the files of the servers that package.yao names, such as a tool without an input schema. */
export function serverProblems({ servers }: Assistant, application: Application): Problem[] {
  return offerTools(servers, application.servers).missing.flatMap(({ kind, problems = [] }) =>
    kind === 'broken' ? problems : [],
  )
}

/** Servers and tools that cannot be offered, and tools whose function is not there or is no script. */
async function missingTools({ servers }: Assistant, application: Application): Promise<string[]> {
  const offer = offerTools(servers, application.servers)
  const broken: string[] = []
  for (const { server, tool } of offer.tools) {
    const why = await missingFunction(tool.process, application.scripts)
    if (why !== undefined) broken.push(`${server.id}.${tool.name}: ${why}`)
  }
  return [...offer.missing.map(({ text }) => text), ...broken]
}

async function missingFunction(process: string, scripts: Scripts): Promise<string | undefined> {
  if (!isProcessRun(process) || !/^(?:scripts|agents)\./.test(process)) return process
  const found = await scripts.findProcess(process)
  return found.kind === 'found' ? undefined : found.problem.message
}

/** More places of one name say nothing more. */
const MAX_PLACES = 3

/** `http (src/index.ts:3)`, one entry a name. */
function outsideUses(assistant: Assistant, { host }: Application): string[] {
  const places = new Map<string, string[]>()
  for (const path of scriptsOf(assistant)) {
    for (const { name, line } of findOutsideUses(readFileSync(path, 'utf8'))) {
      const known = places.get(name) ?? []
      places.set(name, [...known, `${shownPath(path, host)}:${line}`])
    }
  }
  return [...places].map(([name, at]) => {
    const more = at.length > MAX_PLACES ? ', …' : ''
    return `${name} (${at.slice(0, MAX_PLACES).join(', ')}${more})`
  })
}

/** Absolute paths of the assistant's own scripts; tests of it are no part of it. */
function scriptsOf({ folder }: Assistant): string[] {
  return filesBelow(join(folder, 'src')).filter((path) => /\.[jt]s$/.test(path) && !/_test\.[jt]s$|\.d\.ts$/.test(path))
}

/** Absolute paths of everything that runs of the assistant may read: its scripts, those of its application, and servers. */
export function filesRead({ folder, root }: Assistant): string[] {
  return [join(folder, 'src'), join(folder, 'mcps'), join(root, 'scripts'), join(root, 'mcps')].flatMap(filesBelow)
}

function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}
