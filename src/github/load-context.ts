import { readFile } from 'node:fs/promises'
import type { Host } from '../core/host.ts'
import { plainText } from '../lib/escape.ts'
import { type GitHubContext, githubContext } from './context.ts'

/** The context of this workflow run. An event file that cannot be read leaves what the environment says, with a warning. */
export async function loadGitHubContext(host: Host): Promise<GitHubContext> {
  return githubContext(host.env, await readEvent(host))
}

async function readEvent({ env, log }: Host): Promise<unknown> {
  const path = env['GITHUB_EVENT_PATH']
  if (path === undefined || path === '') return {}
  try {
    return JSON.parse(await readFile(path, 'utf8')) as unknown
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    log.warn(
      `The event of this workflow run could not be read, so neither pull request nor base branch is known: ${plainText(why)}`,
    )
    return {}
  }
}
