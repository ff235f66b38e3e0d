import { realpathSync } from 'node:fs'
import { isAbsolute, relative, resolve, sep } from 'node:path'
import type { Host } from '../core/host.ts'

/** Says what is wrong with handing a file or folder to an agent; `real` is its path without links. */
export type Confinement = (
  real: string,
  noun: 'file' | 'folder',
) => { readonly message: string; readonly hint?: string } | undefined

/**
 * In CI suites come from pull requests: what they may send to a model ends at the workspace. There is no input of the
 * action for `allowOutside`: a pull request could then send any file of the runner to a model.
 */
export function openConfinement(
  { env, cwd }: Pick<Host, 'cwd' | 'env'>,
  { allowOutside = false }: { readonly allowOutside?: boolean } = {},
): Confinement {
  const isCi = !['', '0', 'false'].includes((env['CI'] ?? '').toLowerCase())
  if (!isCi) return () => undefined
  const workspace = realOf(resolve(env['GITHUB_WORKSPACE'] || cwd))
  return (real, noun) => {
    const inside = relative(workspace, real)
    if (!allowOutside && (inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside))) {
      return {
        message: `the ${noun} lies outside of the workspace, which is not allowed in CI`,
        hint: `keep ${KEPT[noun]} in the repository; the command line takes --allow-outside`,
      }
    }
    // A checkout keeps its token there.
    if (real.split(sep).includes('.git')) return { message: 'files of the .git folder are not allowed in CI' }
    return undefined
  }
}

const KEPT = { file: 'attachments', folder: 'fixtures' } as const

function realOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
