import type { Json } from '../../core/json.ts'
import { shown } from '../../core/reading/fields.ts'
import type { Place } from '../../core/reading/values.ts'

/** A path that stays inside of the workspace of a run. */
export function readInnerPath(path: Json | undefined, { notes, at }: Place): string | undefined {
  if (typeof path !== 'string' || path === '') {
    notes.problem(at, path === undefined ? 'required' : `expected a path, got ${shown(path)}`)
    return undefined
  }
  const parts = path.split(/[/\\]/)
  if (parts.includes('..') || /^(?:[/\\~]|[a-z]:)/i.test(path) || path.includes('\0')) {
    notes.problem(at, `${shown(path)} leads out of the workspace`, 'paths start at the workspace of the run')
    return undefined
  }
  if (parts.some((part) => part.toLowerCase() === '.git')) {
    notes.problem(at, `${shown(path)} lies in .git, which belongs to the run`)
    return undefined
  }
  return path
}
