export {
  CHECK_SUMMARY_LIMIT,
  type CheckAnnotation,
  type CheckRun,
  type PublishedCheckRun,
  publishCheckRun,
} from './check-runs.ts'
export { type GitHubClient, openGitHub } from './client.ts'
export type { CommentEvent } from './comment-event.ts'
export type { CommentSection } from './comment-sections.ts'
export type { GitHubContext } from './context.ts'
export { addLabel, contextOfPull, mayWrite, pullLabels, react } from './conversation.ts'
export { createDenials, type Denials, tellFailure } from './denials.ts'
export { describeFailure, isGone } from './failure.ts'
export { loadCommentEvent, loadGitHubContext } from './load-context.ts'
export { type Comment, openOwnComments } from './own-comments.ts'
export { type RepositoryPath, repositoryPaths, runLinks, runUrlOf } from './repository-paths.ts'
export { withheldFrom } from './restricted.ts'
export { type FoundRun, newestRunOf, rerun, startWorkflow } from './start-runs.ts'
export { COMMENT_LIMIT, type CommentOutcome, putStickyComment } from './sticky-comment.ts'
export { type FoundPull, pullOfRun } from './tested-pulls.ts'
export { runsOfCommit, storedInRun, type TestedRun, workflowRun } from './tested-runs.ts'
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
