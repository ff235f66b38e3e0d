import { readFile, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { type ParseError, parse } from 'jsonc-parser'
import { isJsonObject, type JsonObject } from '../core/json.ts'

/** `compilerOptions.paths` of the tsconfig.json that is nearest to a script. */
export interface PathMappings {
  /** Absolute paths that an import may mean, the best first; none when no pattern matches. */
  targetsOf(specifier: string, from: string): Promise<readonly string[]>
}

interface Mapping {
  /** At most one `*`. */
  readonly pattern: string
  /** Absolute. */
  readonly targets: readonly string[]
}

const MAX_BYTES = 1024 * 1024

/** Looks from a script's folder up to `root`, and no further. */
export function pathMappings(root: string): PathMappings {
  const known = new Map<string, Promise<readonly Mapping[]>>()
  const mappingsFor = (folder: string): Promise<readonly Mapping[]> => {
    const earlier = known.get(folder)
    if (earlier) return earlier
    const found = readMappings(folder).then((mappings) => {
      if (mappings) return mappings
      return folder === root || dirname(folder) === folder ? [] : mappingsFor(dirname(folder))
    })
    known.set(folder, found)
    return found
  }
  return {
    async targetsOf(specifier, from) {
      const matching = (await mappingsFor(dirname(from))).flatMap(({ pattern, targets }) => {
        const star = starOf(pattern, specifier)
        return star === undefined
          ? []
          : [{ pattern, targets: targets.map((target) => target.replace('*', () => star)) }]
      })
      // TypeScript takes the pattern with the longest text before its star.
      const best = matching.sort((left, right) => prefixOf(right.pattern).length - prefixOf(left.pattern).length)[0]
      return best?.targets ?? []
    },
  }
}

function prefixOf(pattern: string): string {
  return pattern.split('*')[0] ?? ''
}

/** What the star stands for; '' for a pattern without one. */
function starOf(pattern: string, specifier: string): string | undefined {
  const star = pattern.indexOf('*')
  if (star === -1) return pattern === specifier ? '' : undefined
  const [before, after] = [pattern.slice(0, star), pattern.slice(star + 1)]
  const fits = specifier.length >= before.length + after.length
  if (!fits || !specifier.startsWith(before) || !specifier.endsWith(after)) return undefined
  return specifier.slice(before.length, specifier.length - after.length)
}

/** Undefined when the folder has no tsconfig.json; a broken one maps nothing. */
async function readMappings(folder: string): Promise<readonly Mapping[] | undefined> {
  const file = join(folder, 'tsconfig.json')
  const found = await stat(file).catch(() => undefined)
  if (!found?.isFile() || found.size > MAX_BYTES) return undefined
  const errors: ParseError[] = []
  const value: unknown = parse(await readFile(file, 'utf8'), errors, { allowTrailingComma: true })
  const options = isJsonObject(value) ? value['compilerOptions'] : undefined
  if (!isJsonObject(options)) return []
  const { baseUrl, paths } = options
  const base = resolve(folder, typeof baseUrl === 'string' ? baseUrl : '.')
  return isJsonObject(paths) ? mappingsOf(paths, base) : []
}

function mappingsOf(paths: JsonObject, base: string): Mapping[] {
  return Object.entries(paths).map(([pattern, targets]) => ({
    pattern,
    targets: (Array.isArray(targets) ? targets : []).flatMap((target: unknown) =>
      typeof target === 'string' ? [resolve(base, target)] : [],
    ),
  }))
}
