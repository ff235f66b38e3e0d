import { existsSync, readdirSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import type { Host } from '../../../core/host.ts'
import { didYouMean, quote } from '../../../core/kind.ts'
import { shownPath } from '../locate.ts'
import { type FoundServer, readServer } from './server-file.ts'

/** The MCP servers of an application; each is read when it is first asked for. */
export interface Servers {
  find(id: string): FoundServer
}

const EXTENSION = /\.mcp\.(?:yao|jsonc|json)$/

/**
 * Servers of `mcps/`, and those beside an assistant under `agents.<assistant>.<server>`: the bare name of such a one is
 * unknown to Yao. Source: spec yao 11.5.
 */
export function openServers(root: string, host: Host): Servers {
  let index: ReadonlyMap<string, ServerPlace> | undefined
  const found = new Map<string, FoundServer>()
  return {
    find(id) {
      const known = found.get(id)
      if (known) return known
      index ??= indexServers(root)
      const place = index.get(id)
      const result = place
        ? readServer({ id, host, ...place })
        : unknownServer(id, index, shownPath(join(root, 'mcps'), host))
      found.set(id, result)
      return result
    },
  }
}

interface ServerPlace {
  readonly path: string
  readonly mapping: string
}

function indexServers(root: string): ReadonlyMap<string, ServerPlace> {
  const assistants = join(root, 'assistants')
  const own = filesBelow(assistants, (path) => path.endsWith('package.yao')).flatMap((path) => {
    const folder = dirname(path)
    return serversIn(join(assistants, folder, 'mcps'), `agents.${folder.split(sep).join('.')}.`)
  })
  return new Map([...serversIn(join(root, 'mcps'), ''), ...own])
}

function serversIn(folder: string, prefix: string): [string, ServerPlace][] {
  return filesBelow(folder, (path) => EXTENSION.test(path) && !path.startsWith(`mapping${sep}`)).map((path) => {
    const name = path.replace(EXTENSION, '').split(sep)
    const places = [
      join(folder, 'mapping', ...name),
      join(folder, 'mapping', ...`${prefix}${name.join('.')}`.split('.')),
    ]
    const mapping = places.find((place) => existsSync(place)) ?? join(folder, 'mapping', ...name)
    return [`${prefix}${name.join('.')}`, { path: join(folder, path), mapping }]
  })
}

function filesBelow(folder: string, isWanted: (path: string) => boolean): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(isWanted).sort()
}

function unknownServer(id: string, index: ReadonlyMap<string, ServerPlace>, folder: string): FoundServer {
  const ids = [...index.keys()]
  const local = ids.find((known) => known.startsWith('agents.') && known.endsWith(`.${id}`))
  const known = ids.length === 0 ? `there are none in ${folder}` : `known servers: ${ids.slice(0, 12).join(', ')}`
  const meant = local === undefined ? didYouMean(id, ids) : `did you mean ${quote(local)}?`
  return { problems: [{ message: `unknown MCP server ${quote(id)}`, hint: meant ?? known }] }
}
