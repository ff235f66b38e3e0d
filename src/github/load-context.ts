import { readFile } from 'node:fs/promises'
import type { Host } from '../core/host.ts'
import { plainText } from '../lib/escape.ts'
import { type CommentEvent, commentEventOf } from './comment-event.ts'
import { type GitHubContext, githubContext } from './context.ts'

/** The context of this workflow run. Without a readable event file the environment is all there is, with a warning. */
export async function loadGitHubContext(host: Host): Promise<GitHubContext> {
  return githubContext(host.env, await readEvent(host))
}

/** The comment that started this run; undefined where it was another event. */
export async function loadCommentEvent(host: Host): Promise<CommentEvent | undefined> {
  return host.env['GITHUB_EVENT_NAME'] === 'issue_comment' ? commentEventOf(await readEvent(host)) : undefined
}

async function readEvent({ env, log }: Host): Promise<unknown> {
  try {
    const path = env['GITHUB_EVENT_PATH'] ?? ''
    if (path === '') throw new Error('GITHUB_EVENT_PATH is not set')
    return JSON.parse(await readFile(path, 'utf8')) as unknown
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    log.warn(`The event of this workflow run could not be read, so little is known of it: ${plainText(why)}`)
    return {}
  }
}
