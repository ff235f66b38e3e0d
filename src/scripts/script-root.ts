import { existsSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { Host } from '../core/host.ts'

const APP_FILES = ['app.yao', 'app.json', 'app.jsonc']

/**
 * The folder that scripts are named from and may not leave: the application's root. Without one it is what the
 * nearest `assistants` lies in, else the folder itself. Source: spec yao 2.3.
 */
export function scriptRoot(start: string, { cwd, env }: Pick<Host, 'cwd' | 'env'>): string {
  const given = env['YAO_ROOT'] ?? ''
  if (given !== '') return resolve(cwd, given)
  const folder = resolve(cwd, start)
  const inside = above(folder, (path) => basename(path) === 'assistants')
  return (
    above(folder, (path) => APP_FILES.some((name) => existsSync(join(path, name)))) ??
    (inside === undefined ? undefined : dirname(inside)) ??
    above(folder, (path) => isFolder(join(path, 'assistants'))) ??
    above(folder, (path) => existsSync(join(path, 'package.yao'))) ??
    folder
  )
}

function above(start: string, test: (path: string) => boolean): string | undefined {
  for (let path = start; ; path = dirname(path)) {
    if (test(path)) return path
    if (dirname(path) === path) return undefined
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}
