import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { problemsError } from '../../core/errors.ts'
import type { Host } from '../../core/host.ts'
import { didYouMean, quote } from '../../core/kind.ts'

/** An assistant and the application it belongs to. */
export interface Located {
  /** Absolute path of the application's root. */
  readonly root: string
  /** Absolute path of the folder with package.yao. */
  readonly folder: string
  /** Folder names below `assistants`, joined by dots. */
  readonly id: string
}

const APP_FILES = ['app.yao', 'app.json', 'app.jsonc']
const ASSISTANTS = 'assistants'

interface WantedAssistant {
  readonly folder?: string | undefined
  readonly name?: string | undefined
  /** Where an id is looked for. */
  readonly root?: string | undefined
}

/**
 * Finds an assistant by folder or id; throws a UserError when there is none. Source: spec yao 2.3. With `root` an id is
 * looked for there and nowhere else.
 */
export function locateAssistant({ folder, name, root: own }: WantedAssistant, host: Host): Located {
  const given = own === undefined ? yaoRoot(host) : resolve(host.cwd, own)
  if (folder !== undefined) return locateFolder(resolve(host.cwd, folder), given, host)
  const root = given ?? above(host.cwd, isApp) ?? above(host.cwd, (path) => isFolder(join(path, ASSISTANTS)))
  if (root !== undefined && name !== undefined && isId(name)) {
    const found = join(root, ASSISTANTS, ...name.split('.'))
    if (hasPackage(found)) return { root, folder: found, id: name }
  }
  if (own !== undefined) throw unknownAssistant(name ?? '', root, host)
  // `--target yao:folder` cannot be told from an id before the working directory is known.
  const asFolder = resolve(host.cwd, name ?? '.')
  if (hasPackage(asFolder)) return locateFolder(asFolder, given, host)
  throw unknownAssistant(name ?? '', root, host)
}

function locateFolder(folder: string, given: string | undefined, host: Host): Located {
  if (!hasPackage(folder)) throw invalid('target.folder', `there is no package.yao in ${shownPath(folder, host)}`)
  const root = given ?? above(folder, isApp) ?? aboveAssistants(folder)
  return { root, folder, id: idOf(folder, root) }
}

/** Paths in messages are relative to the working directory, with `/`. */
export function shownPath(path: string, { cwd }: Host): string {
  const shown = relative(cwd, path).split(sep).join('/')
  return shown === '' ? '.' : shown.startsWith('../../..') ? path : shown
}

/** True when `path`, links followed, lies in `folder`. */
export function isInside(path: string, folder: string): boolean {
  const way = relative(realpathSync(folder), realpathSync(path))
  return way !== '..' && !way.startsWith(`..${sep}`)
}

function yaoRoot(host: Host): string | undefined {
  const written = host.env['YAO_ROOT'] ?? ''
  if (written === '') return undefined
  const root = resolve(host.cwd, written)
  if (isFolder(root)) return root
  throw invalid('YAO_ROOT', `${quote(written)} is not a folder`)
}

function isApp(folder: string): boolean {
  return APP_FILES.some((name) => existsSync(join(folder, name)))
}

/** Part of an application, as in a repository of assistants: what `assistants` lies in stands for the root. */
function aboveAssistants(folder: string): string {
  const inside = above(folder, (path) => basename(path) === ASSISTANTS)
  return inside === undefined ? folder : dirname(inside)
}

/** Below the root the last `assistants` counts: a checkout may itself lie in a folder of that name. */
function idOf(folder: string, root: string): string {
  const parts = relative(root, folder).split(sep)
  const start = parts.lastIndexOf(ASSISTANTS)
  const id = start === -1 ? '' : parts.slice(start + 1).join('.')
  return id === '' ? basename(folder) : id
}

function isId(name: string): boolean {
  return /^[^./\\\s]+(?:\.[^./\\\s]+)*$/.test(name)
}

function above(start: string, test: (path: string) => boolean): string | undefined {
  for (let path = start; ; path = dirname(path)) {
    if (test(path)) return path
    if (dirname(path) === path) return undefined
  }
}

function unknownAssistant(name: string, root: string | undefined, host: Host) {
  if (root === undefined) {
    return invalid(
      'target.name',
      `no Yao application found for assistant ${quote(name)}: no app.yao in ${host.cwd} or above it`,
      'run inside of the application, or name its root with -a or YAO_ROOT',
    )
  }
  const ids = assistantIds(join(root, ASSISTANTS))
  const known = ids.length === 0 ? 'there are no assistants' : `known assistants: ${ids.slice(0, 10).join(', ')}`
  return invalid(
    'target.name',
    `no assistant ${quote(name)} in ${shownPath(join(root, ASSISTANTS), host)}`,
    didYouMean(name, ids) ?? known,
  )
}

function assistantIds(folder: string): string[] {
  if (!isFolder(folder)) return []
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => basename(path) === 'package.yao')
    .map((path) => dirname(path).split(sep).join('.'))
    .sort()
}

function hasPackage(folder: string): boolean {
  return existsSync(join(folder, 'package.yao'))
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

function invalid(field: string, message: string, hint?: string) {
  return problemsError('INVALID_TARGET', [{ field, message, ...(hint === undefined ? {} : { hint }) }])
}
