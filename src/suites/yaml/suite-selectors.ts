import { isJsonObject, type Json } from '../../core/json.ts'
import { readFields, shown } from '../../core/reading/fields.ts'
import { type Place, readTexts } from '../../core/reading/values.ts'
import { readInnerPath } from './inner-path.ts'

/** A named choice of tests: each of them gets the name as a tag, which `--tag` selects. */
export interface SuiteSelector {
  readonly name: string
  /** Folders and files, seen from the config's folder; undefined where the name says it. */
  readonly paths?: readonly string[]
  readonly tags: readonly string[]
}

/** `suites`: names alone, or a map from names to paths, or to paths and tags. */
export function readSuiteSelectors(value: Json, { notes, at }: Place): SuiteSelector[] {
  if (Array.isArray(value)) return readTexts(value, { notes, at }).map((name) => ({ name, tags: [name] }))
  if (!isJsonObject(value)) {
    notes.problem(at, `expected names, or a map from names to paths, got ${shown(value)}`)
    return []
  }
  return Object.entries(value).flatMap(([name, item]) => {
    const place = { notes, at: `${at}.${name}` }
    if (Array.isArray(item)) return [{ name, paths: readPaths(item, place), tags: [] }]
    if (!isJsonObject(item)) {
      notes.problem(place.at, `expected a list of paths, or {paths, tags}, got ${shown(item)}`)
      return []
    }
    const { paths, tags } = readFields(item, { paths: 'list', tags: 'list' } as const, { ...place, unknown: 'problem' })
    if (paths === undefined && tags === undefined) notes.problem(place.at, 'chooses nothing', 'give paths or tags')
    return [
      {
        name,
        paths: readPaths(paths ?? [], { notes, at: `${place.at}.paths` }),
        tags: readTexts(tags, { notes, at: `${place.at}.tags` }),
      },
    ]
  })
}

function readPaths(list: readonly Json[], { notes, at }: Place): string[] {
  return list.flatMap((item, index) => {
    const path = readInnerPath(item, { notes, at: `${at}[${index}]` })
    return path === undefined ? [] : [path.replaceAll('\\', '/').replace(/^\.\//, '').replace(/\/+$/, '')]
  })
}

/** `path` is the test's file, seen from the config's folder, with `/`. */
export function isSelected(
  { name, paths, tags }: SuiteSelector,
  { path, tags: own }: { readonly path: string; readonly tags: readonly string[] },
): boolean {
  if (tags.some((tag) => own.includes(tag))) return true
  if (paths) return paths.some((wanted) => path === wanted || path.startsWith(`${wanted}/`))
  return path.split('/').some((part) => plainName(part) === plainName(name))
}

/** `01-critical-rules` and `smoke-test.yaml` are what people call `critical-rules` and `smoke`. */
function plainName(part: string): string {
  return part
    .toLowerCase()
    .replace(/\.ya?ml$/, '')
    .replace(/^\d+-/, '')
    .replace(/-tests?$/, '')
}
