import type { Config } from '../../config/config.ts'
import type { Host } from '../../core/host.ts'
import type { GitHubClient, GitHubContext } from '../../github/index.ts'
import type { Results } from './results.ts'

/** What commands work with. */
export interface BotWorld {
  readonly client: GitHubClient
  readonly host: Host
  readonly config: Config
  /** Of the pull request as it stands now, tested by `workflow`. */
  readonly pull: GitHubContext & { readonly headSha: string; readonly headBranch: string }
  /** File name of the workflow that tests pull requests. */
  readonly workflow: string
  /** The newest results for the head of the pull request, looked up once; throws a UserError. */
  readonly results: () => Promise<Results | undefined>
}
