export {
  CHECK_SUMMARY_LIMIT,
  type CheckAnnotation,
  type CheckRun,
  type PublishedCheckRun,
  publishCheckRun,
} from './check-runs.ts'
export { type GitHubClient, openGitHub } from './client.ts'
export type { GitHubContext } from './context.ts'
export { createDenials, type Denials, tellFailure } from './denials.ts'
export { describeFailure, isGone } from './failure.ts'
export { loadGitHubContext } from './load-context.ts'
export { type RepositoryPath, repositoryPaths, runLinks, runUrlOf } from './repository-paths.ts'
export { COMMENT_LIMIT, type CommentOutcome, putStickyComment, type StickyComment } from './sticky-comment.ts'
export {
  artifactAddress,
  artifactsNamed,
  artifactsOfRun,
  historyOf,
  mergeBaseOf,
  type StoredArtifact,
  type TrustedRun,
  trustedRuns,
} from './workflow-runs.ts'
