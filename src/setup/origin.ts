import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import type { BaselineOrigin } from '../core/baseline.ts'
import type { Host } from '../core/host.ts'

/** Commit and branch of the checkout the command runs in; unknown outside of git. */
export async function originOfCheckout({ cwd }: Host): Promise<BaselineOrigin> {
  const [commit, branch] = await Promise.all([
    git(cwd, ['rev-parse', 'HEAD']),
    git(cwd, ['symbolic-ref', '--short', '--quiet', 'HEAD']),
  ])
  return { id: randomUUID(), ...(commit === undefined ? {} : { commit }), ...(branch === undefined ? {} : { branch }) }
}

function git(cwd: string, args: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile('git', args, { cwd, timeout: 10_000 }, (error, stdout) => {
      const text = stdout.trim()
      resolve(error || text === '' ? undefined : text)
    })
  })
}
