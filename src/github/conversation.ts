import { UserError } from '../core/errors.ts'
import type { GitHubClient } from './client.ts'
import type { GitHubContext } from './context.ts'
import { type Attempt, isNotFound } from './failure.ts'

type Reaction = '+1' | '-1' | 'confused' | 'eyes'

const READING_PULL: Attempt = { action: 'read the pull request', needs: 'pull-requests: read' }
const READING_PERMISSION: Attempt = { action: 'read who may write to the repository', needs: 'contents: read' }
const REACTING: Attempt = { action: 'react to the comment', needs: 'pull-requests: write' }
const LABELLING: Attempt = { action: 'label the pull request', needs: 'pull-requests: write' }
const READING_LABELS: Attempt = { action: 'read the labels of the pull request', needs: 'pull-requests: read' }

/**
 * Whether GitHub lets this user push to the repository. What a comment says of its author (`author_association`) is no
 * answer: a contributor or a member may well not be allowed to.
 */
export async function mayWrite(client: GitHubClient, login: string): Promise<boolean> {
  try {
    const { data } = await client.ask(READING_PERMISSION, () =>
      client.rest.repos.getCollaboratorPermissionLevel({ ...client.repository, username: login }),
    )
    return data.permission === 'admin' || data.permission === 'write'
  } catch (error) {
    if (isNotFound(error)) return false
    throw error
  }
}

/** Of a kind there is one by us: asking for it again changes nothing. */
export async function react(client: GitHubClient, commentId: number, content: Reaction): Promise<void> {
  await client.ask(REACTING, () =>
    client.rest.reactions.createForIssueComment({ ...client.repository, comment_id: commentId, content }),
  )
}

/** Names of the labels; where they cannot be asked for, those that the event tells of, which may be out of date. */
export async function pullLabels(client: GitHubClient | undefined, context: GitHubContext): Promise<readonly string[]> {
  const { prNumber, prLabels = [] } = context
  if (!client || prNumber === undefined) return prLabels
  const { rest, paginate, repository } = client
  try {
    const found = await client.ask(READING_LABELS, () =>
      paginate(rest.issues.listLabelsOnIssue, { ...repository, issue_number: prNumber, per_page: 100 }),
    )
    return found.map(({ name }) => name)
  } catch (error) {
    if (error instanceof UserError) return prLabels
    throw error
  }
}

/** GitHub makes a label that the repository does not have yet. */
export async function addLabel(client: GitHubClient, prNumber: number, label: string): Promise<void> {
  await client.ask(LABELLING, () =>
    client.rest.issues.addLabels({ ...client.repository, issue_number: prNumber, labels: [label] }),
  )
}

/** The context of the pull request as it stands now: what a comment on it is about. */
export async function contextOfPull(
  client: GitHubClient,
  context: GitHubContext,
  prNumber: number,
): Promise<GitHubContext & { readonly headSha: string; readonly headBranch: string }> {
  const { data } = await client.ask(READING_PULL, () =>
    client.rest.pulls.get({ ...client.repository, pull_number: prNumber }),
  )
  const { branch: _branch, ...rest } = context
  return {
    ...rest,
    prNumber,
    headSha: data.head.sha,
    headBranch: data.head.ref,
    baseBranch: data.base.ref,
    baseSha: data.base.sha,
    // null once a fork is deleted.
    isFork: (data.head.repo as { readonly id: number } | null)?.id !== data.base.repo.id,
  }
}
