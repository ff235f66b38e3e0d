import { resolve } from 'node:path'
import type { Config } from '../config/config.ts'
import type { Problem } from '../core/errors.ts'
import type { Host } from '../core/host.ts'
import { identityOf } from '../reporters/index.ts'

interface FileUse {
  readonly path: string
  /** Such as "a results file". */
  readonly role: string
}

interface UsedPaths {
  /** Absolute paths of suites and of what targets read. */
  readonly reads: readonly string[]
  /** Absolute paths of results files. */
  readonly outputs: readonly string[]
}

/** What is written replaces what stood there: a file with two roles would cost the suite, the cassette, the baseline. */
export async function fileCollisions(config: Config, host: Host, { reads, outputs }: UsedPaths): Promise<Problem[]> {
  const { ctx, env, baseline, 'save-baseline': saved, record } = config
  const given = (path: string | undefined, role: string): FileUse[] =>
    path === undefined || path === '' || path === 'auto' ? [] : [{ path: resolve(host.cwd, path), role }]
  const used = new Map<string, string>()
  const readUses = [
    ...reads.map((path) => ({ path, role: 'read by this run' })),
    ...given(ctx, 'the context file'),
    ...given(env, 'the file of variables'),
  ]
  for (const { path, role } of readUses) used.set(await identityOf(path), role)
  // Where a baseline is read it may also be saved.
  for (const { path, role } of given(baseline, 'the baseline')) {
    if (path !== resolve(host.cwd, saved)) used.set(await identityOf(path), role)
  }
  const written = [
    ...given(record, 'the cassette to record').map((use) => ({ ...use, field: '--record' })),
    ...given(saved, 'where the baseline is saved').map((use) => ({ ...use, field: '--save-baseline' })),
    ...outputs.map((path) => ({ path, role: 'a results file', field: '--output' })),
  ]
  const problems: Problem[] = []
  for (const { path, role, field } of written) {
    const identity = await identityOf(path)
    const other = used.get(identity)
    // Two results files in one place have been told of.
    if (other !== undefined && other !== role) {
      problems.push({ field, message: `${path} is ${other} and would be overwritten`, hint: 'name another file' })
    }
    used.set(identity, role)
  }
  return problems
}
