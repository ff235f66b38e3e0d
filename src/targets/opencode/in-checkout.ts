import { resolve } from 'node:path'
import { quote } from '../../core/kind.ts'
import type { Checkout, MovedSettings, TargetContext } from '../target.ts'
import { findBinary } from './binary.ts'
import { gitRootOf } from './git.ts'
import type { Settings } from './settings.ts'

/**
 * The project of the checkout in place of the tested one. Fixtures and the model catalogue are no part of the agent and
 * stay what they are; so does the program, where the checkout has none of its own.
 */
export async function settingsInCheckout(
  settings: Settings,
  { host }: TargetContext,
  checkout: Checkout,
): Promise<MovedSettings> {
  const { url, bin, directory, workspace, catalogue, ...rest } = settings
  if (url !== undefined) {
    return {
      reason:
        'the target is the address of a server, the same on every commit: name that of the base with control-target',
    }
  }
  const project = directory === undefined ? await gitRootOf(host.cwd) : resolve(host.cwd, directory)
  const moved = project === undefined ? undefined : checkout.pathOf(project)
  if (moved === undefined) {
    return {
      reason: `the project ${quote(directory ?? '.')} lies outside of the repository: name the agent of the base with control-target`,
    }
  }
  const own = await findBinary(bin, checkout.host)
  const program = 'file' in own ? own : await findBinary(bin, host)
  return {
    settings: {
      ...rest,
      directory: moved,
      ...('file' in program ? { bin: program.file } : {}),
      ...(workspace === undefined ? {} : { workspace: resolve(host.cwd, workspace) }),
      ...(catalogue === undefined ? {} : { catalogue: resolve(host.cwd, catalogue) }),
    },
  }
}
