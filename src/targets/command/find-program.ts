import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { delimiter, isAbsolute, resolve } from 'node:path'
import type { Host } from '../../core/host.ts'

export type FoundProgram = { readonly file: string } | { readonly problem: string }

/**
 * The file that a command's first word names: with a slash a path from the working directory, else the first match in
 * PATH. An empty or relative entry of PATH is passed over: it would search the working directory, where a pull request
 * could put a program of the same name.
 */
export async function findProgram(word: string, { cwd, env }: Pick<Host, 'cwd' | 'env'>): Promise<FoundProgram> {
  if (word.includes('/')) {
    const file = resolve(cwd, word)
    const fault = await faultOf(file)
    return fault === undefined ? { file } : { problem: fault }
  }
  for (const folder of (env['PATH'] ?? '').split(delimiter)) {
    const file = resolve(folder, word)
    if (isAbsolute(folder) && (await faultOf(file)) === undefined) return { file }
  }
  return { problem: 'is not in PATH' }
}

async function faultOf(file: string): Promise<string | undefined> {
  const found = await stat(file).catch(() => undefined)
  if (!found) return 'does not exist'
  if (!found.isFile()) return 'is not a file'
  return await access(file, constants.X_OK).then(
    () => undefined,
    () => 'is not executable',
  )
}
