import { existsSync, readdirSync } from 'node:fs'
import { join, sep } from 'node:path'
import type { Host } from '../../core/host.ts'
import { didYouMean, quote } from '../../core/kind.ts'
import { type FoundConnector, readConnector } from './connector-file.ts'
import { shownPath } from './locate.ts'

/** The connectors of an application; each is read when it is first asked for. */
export interface Connectors {
  find(id: string): FoundConnector
}

const EXTENSION = /\.conn\.(?:yao|jsonc|json)$/

/** Source: spec yao 11.4. */
export function openConnectors(root: string, host: Host): Connectors {
  const folder = join(root, 'connectors')
  const paths = existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((path) => EXTENSION.test(path))
        .sort()
    : []
  const files = new Map(paths.map((path) => [connectorId(path), join(folder, path)]))
  const found = new Map<string, FoundConnector>()
  return {
    find(id) {
      const known = found.get(id)
      if (known) return known
      const path = files.get(id)
      const result =
        path === undefined
          ? unknownConnector(id, [...files.keys()], shownPath(folder, host))
          : readConnector(id, { path, host })
      found.set(id, result)
      return result
    },
  }
}

/** Only folder separators become dots; dots in names become underscores. */
function connectorId(path: string): string {
  return path
    .replace(EXTENSION, '')
    .split(sep)
    .map((part) => part.replaceAll('.', '_'))
    .join('.')
}

function unknownConnector(id: string, ids: readonly string[], folder: string): FoundConnector {
  const known = ids.length === 0 ? `there are none in ${folder}` : `known connectors: ${ids.slice(0, 12).join(', ')}`
  return { problems: [{ message: `unknown connector ${quote(id)}`, hint: didYouMean(id, ids) ?? known }] }
}
