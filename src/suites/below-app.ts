import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Host } from '../core/host.ts'

/**
 * The path itself, or the one below the application that was named (`-a`, YAO_ROOT) where only that is there. The real
 * tool looks there first; but what lies in the working directory is what its user sees.
 */
export function belowApp(path: string, { cwd, env }: Pick<Host, 'cwd' | 'env'>): string {
  const root = env['YAO_ROOT'] ?? ''
  if (root === '' || !isPathLike(path) || existsSync(resolve(cwd, path))) return path
  const below = join(root, path)
  return existsSync(resolve(cwd, below)) ? below : path
}

/** A word of a message may be the name of a folder. */
function isPathLike(text: string): boolean {
  return /^\S*(?:[/\\]|\.(?:jsonl?|ya?ml)$)/.test(text)
}
