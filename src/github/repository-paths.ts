import { realpath } from 'node:fs/promises'
import { isAbsolute, relative, resolve, sep } from 'node:path'
import type { GitHubContext } from './context.ts'

/** The path in the repository of a file named relative to the working directory; undefined outside of the checkout. */
export type RepositoryPath = (file: string) => string | undefined

/** The links of a report, in the shape the renderers take. */
export interface RunLinks {
  readonly runUrl: string
  readonly headSha?: string
  readonly fileUrl?: (location: { readonly file: string; readonly line: number }) => string
}

/** Real paths on both sides: a runner's workspace may lie behind a symbolic link. */
export async function repositoryPaths({ workspace }: GitHubContext, cwd: string): Promise<RepositoryPath> {
  const [root, base] = await Promise.all(
    [workspace ?? cwd, cwd].map((path) => realpath(path).catch(() => resolve(path))),
  )
  return (file) => {
    const path = relative(root ?? '', resolve(base ?? '', file))
    const isOutside = path === '' || path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path)
    return isOutside ? undefined : path.split(sep).join('/')
  }
}

/** Files link to the tested commit, at their line. A file outside of the checkout links to the run. */
export function runLinks(context: GitHubContext, pathOf: RepositoryPath): RunLinks {
  const runUrl = runUrlOf(context)
  const { serverUrl, owner, repo, headSha } = context
  if (headSha === undefined) return { runUrl }
  return {
    runUrl,
    headSha,
    fileUrl({ file, line }) {
      const path = pathOf(file)
      if (path === undefined) return runUrl
      const encoded = path.split('/').map(encodeURIComponent).join('/')
      return `${serverUrl}/${owner}/${repo}/blob/${headSha}/${encoded}#L${line}`
    },
  }
}

export function runUrlOf({ serverUrl, owner, repo, runId }: GitHubContext): string {
  return `${serverUrl}/${owner}/${repo}/actions/runs/${runId}`
}
