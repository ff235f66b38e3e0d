import { fill } from './filler.ts'
import type {
  Actor,
  Annotation,
  Artifact,
  CheckRun,
  Comment,
  Commit,
  Pull,
  Reaction,
  Repository,
  State,
  Tip,
  WorkflowRun,
} from './state.ts'

/** State as the bodies GitHub answers with. `api` is the address of the API. */
export interface Views {
  readonly repository: (repository: Repository) => object
  readonly commit: (commit: Commit) => object
  readonly comment: (comment: Comment) => object
  readonly reaction: (reaction: Reaction) => object
  readonly label: (name: string) => object
  readonly checkRun: (check: CheckRun) => object
  readonly annotation: (annotation: Annotation) => object
  readonly pull: (pull: Pull) => object
  readonly pullSummary: (pull: Pull) => object
  readonly run: (run: WorkflowRun) => object
  readonly artifact: (artifact: Artifact) => object
}

export function createViews(state: State, api: string): Views {
  const slug = `${state.repository.owner}/${state.repository.name}`
  const base = `${api}/repos/${slug}`
  const html = `https://github.com/${slug}`

  const pullFields = (pull: Pull) => ({
    id: pull.number + 500_000,
    number: pull.number,
    title: pull.title,
    state: pull.state,
    url: `${base}/pulls/${pull.number}`,
    html_url: `${html}/pull/${pull.number}`,
    user: user(pull.author),
    head: tip(pull.head),
    base: tip(pull.base),
    created_at: pull.createdAt,
    updated_at: pull.createdAt,
    draft: false,
    labels: (pull.labels ?? []).map((name) => labelView(name, base)),
  })

  return {
    repository: (repository) => fill('full-repository', repositoryFields(repository, api)),
    commit: (commit) => commitView(commit, base, html),
    comment: (comment) => commentView(comment, base, html),
    reaction: ({ id, content, author, createdAt }) =>
      fill('reaction', { id, content, user: user(author), created_at: createdAt }),
    label: (name) => labelView(name, base),
    checkRun: (check) => checkRunView(check, base, html),
    annotation: (annotation) =>
      fill('check-annotation', {
        start_column: null,
        end_column: null,
        title: null,
        raw_details: null,
        blob_href: html,
        ...annotation,
      }),
    pull: (pull) => fill('pull-request', pullFields(pull)),
    pullSummary: (pull) => fill('pull-request-simple', pullFields(pull)),
    run: (run) => runView(run, { state, base, html, api }),
    artifact: (artifact) => artifactView(artifact, state, base),
  }
}

export function user(actor: Actor): object {
  // A bot's page is that of its app.
  const page = actor.login.replace(/^(.+)\[bot\]$/, 'apps/$1')
  return fill('simple-user', { ...actor, html_url: `https://github.com/${page}` })
}

function repositoryFields(repository: Repository, api: string): object {
  const { id, owner, name, fork, defaultBranch } = repository
  return {
    id,
    name,
    full_name: `${owner}/${name}`,
    fork,
    private: repository.private,
    default_branch: defaultBranch,
    owner: user({ id: id + 7, login: owner, type: 'User' }),
    url: `${api}/repos/${owner}/${name}`,
    html_url: `https://github.com/${owner}/${name}`,
  }
}

function tip({ branch, sha, repository }: Tip): object {
  const owner = user({ id: repository.id + 7, login: repository.owner, type: 'User' })
  const repo = fill('repository', repositoryFields(repository, 'https://api.github.com'))
  return { label: `${repository.owner}:${branch}`, ref: branch, sha, repo, user: owner }
}

function commitView({ sha, parents, message, date }: Commit, base: string, html: string): object {
  const person = { name: 'Dev', email: 'dev@example.com', date }
  return fill('commit', {
    sha,
    url: `${base}/commits/${sha}`,
    html_url: `${html}/commit/${sha}`,
    commit: { message, author: person, committer: person, tree: { sha, url: `${base}/git/trees/${sha}` } },
    parents: parents.map((parent) => ({
      sha: parent,
      url: `${base}/commits/${parent}`,
      html_url: `${html}/commit/${parent}`,
    })),
  })
}

function commentView(
  { id, issue, body, author, createdAt, updatedAt, minimized }: Comment,
  base: string,
  html: string,
): object {
  return fill('issue-comment', {
    id,
    body,
    user: user(author),
    created_at: createdAt,
    updated_at: updatedAt,
    url: `${base}/issues/comments/${id}`,
    issue_url: `${base}/issues/${issue}`,
    html_url: `${html}/pull/${issue}#issuecomment-${id}`,
    author_association: author.type === 'Bot' ? 'NONE' : 'CONTRIBUTOR',
    performed_via_github_app: author.type === 'Bot' ? app() : null,
    minimized: minimized ?? null,
  })
}

function labelView(name: string, base: string): object {
  return fill('label', { name, url: `${base}/labels/${encodeURIComponent(name)}`, description: '', default: false })
}

function app(): object {
  return fill('nullable-integration', { id: 15_368, slug: 'github-actions', name: 'GitHub Actions' })
}

function checkRunView(check: CheckRun, base: string, html: string): object {
  const {
    id,
    name,
    headSha,
    status,
    conclusion,
    startedAt,
    completedAt,
    externalId,
    detailsUrl,
    title,
    summary,
    text,
  } = check
  const url = `${base}/check-runs/${id}`
  return fill('check-run', {
    id,
    name,
    head_sha: headSha,
    status,
    conclusion,
    started_at: startedAt,
    completed_at: completedAt,
    external_id: externalId,
    details_url: detailsUrl ?? `${html}/runs/${id}`,
    url,
    html_url: `${html}/runs/${id}`,
    check_suite: { id: 7 },
    app: app(),
    output: {
      title,
      summary,
      text,
      annotations_count: check.annotations.length,
      annotations_url: `${url}/annotations`,
    },
  })
}

function runView(
  run: WorkflowRun,
  { state, base, html, api }: { state: State; base: string; html: string; api: string },
): object {
  const url = `${base}/actions/runs/${run.id}`
  return fill('workflow-run', {
    id: run.id,
    name: run.workflow.name,
    path: run.workflow.path,
    workflow_id: run.workflow.id,
    workflow_url: `${base}/actions/workflows/${run.workflow.id}`,
    run_number: run.number,
    run_attempt: run.attempt,
    event: run.event,
    status: run.status,
    conclusion: run.conclusion,
    head_branch: run.headBranch,
    head_sha: run.headSha,
    head_repository: fill('minimal-repository', repositoryFields(run.headRepository, api)),
    head_repository_id: run.headRepository.id,
    repository: fill('minimal-repository', repositoryFields(state.repository, api)),
    display_title: run.workflow.name,
    created_at: run.createdAt,
    updated_at: run.createdAt,
    run_started_at: run.createdAt,
    url,
    html_url: `${html}/actions/runs/${run.id}`,
    artifacts_url: `${url}/artifacts`,
    jobs_url: `${url}/jobs`,
  })
}

function artifactView(artifact: Artifact, { repository }: State, base: string): object {
  const { id, name, run, content, digest, expired, createdAt, expiresAt } = artifact
  const url = `${base}/actions/artifacts/${id}`
  return fill('artifact', {
    id,
    name,
    size_in_bytes: content.length,
    url,
    archive_download_url: `${url}/zip`,
    expired,
    created_at: createdAt,
    updated_at: createdAt,
    expires_at: expiresAt,
    digest,
    workflow_run: {
      id: run.id,
      repository_id: repository.id,
      head_repository_id: run.headRepository.id,
      head_branch: run.headBranch,
      head_sha: run.headSha,
    },
  })
}
