import { z } from 'zod'
import { UserError } from '../core/errors.ts'

/** Where a workflow run happens and what it tests. Built once from environment and event payload. */
export interface GitHubContext {
  readonly owner: string
  readonly repo: string
  readonly repositoryId?: number
  /** Such as `https://github.com`, without a slash at the end. */
  readonly serverUrl: string
  readonly apiUrl: string
  /** Checkout folder: annotation paths are relative to it. */
  readonly workspace?: string
  readonly eventName: string
  readonly runId: number
  /** From 1. */
  readonly runAttempt: number
  /** The run whose end started this one. */
  readonly triggeringRunId?: number
  /** Such as `.github/workflows/eval.yml`. */
  readonly workflowPath?: string
  /** The tested commit: a pull request's own head, not the merge commit GitHub makes of it. */
  readonly headSha?: string
  /** The branch whose commit is tested; absent for pull requests and tags, whatever ref their run has. */
  readonly branch?: string
  readonly defaultBranch?: string
  readonly prNumber?: number
  /** Labels of the pull request when the event happened; absent where it has none or the event tells of none. */
  readonly prLabels?: readonly string[]
  /** Branch that the tested commit is going into; the default branch where there is no pull request. */
  readonly baseBranch?: string
  /** Tip of the base branch as the event names it; for a push the commit before it. */
  readonly baseSha?: string
  /** The tested commit comes from another repository, or from one that cannot be told. */
  readonly isFork: boolean
  /** Dependabot's runs get the rights of a fork though the branch is in this repository. */
  readonly isDependabot: boolean
}

type Environment = Readonly<Record<string, string | undefined>>

/** Fields are read one by one: a payload of another shape loses what cannot be read, and nothing throws. */
const lenient = <S extends z.ZodType>(schema: S) => schema.optional().catch(undefined)

const text = lenient(z.string().min(1).max(1_000))
const id = lenient(z.number().int().positive())
const sha = lenient(z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i))
const repository = lenient(
  z.object({ id, default_branch: text, name: text, owner: lenient(z.object({ login: text })) }),
)
const side = lenient(z.object({ ref: text, sha, repo: repository }))
const labels = lenient(z.array(z.object({ name: z.string().max(200) })))
const payloadSchema = z.object({
  repository,
  before: sha,
  pull_request: lenient(
    z.object({ number: id, head: side, base: side, labels, user: lenient(z.object({ login: text })) }),
  ),
  merge_group: lenient(z.object({ head_sha: sha, base_sha: sha, base_ref: text })),
  workflow_run: lenient(
    z.object({
      id,
      head_sha: sha,
      head_repository: repository,
      pull_requests: lenient(z.array(z.object({ number: id, base: side }))),
    }),
  ),
  issue: lenient(z.object({ number: id, pull_request: z.unknown() })),
})

type Payload = z.infer<typeof payloadSchema>

/** Reads environment and event payload; throws a UserError only when the environment is not that of a workflow. */
export function githubContext(env: Environment, payload: unknown): GitHubContext {
  const event = payloadSchema.safeParse(payload).data ?? {}
  const { owner, repo } = repositoryOf(env, event)
  const eventName = env['GITHUB_EVENT_NAME'] ?? ''
  const branch = branchOf(env)
  // A schedule's payload does not name the default branch, and a schedule runs on no other.
  const defaultBranch = event.repository?.default_branch ?? (eventName === 'schedule' ? branch : undefined)
  const sha = given(env['GITHUB_SHA'])
  const tested = testedBy(eventName, event, {
    headSha: sha,
    defaultBranch,
    prNumber: wholeNumber(/^refs\/pull\/(\d+)\//.exec(env['GITHUB_REF'] ?? '')?.[1]),
    baseRef: given(env['GITHUB_BASE_REF']),
  })
  return compact({
    owner,
    repo,
    repositoryId: wholeNumber(env['GITHUB_REPOSITORY_ID']) ?? event.repository?.id,
    serverUrl: withoutSlash(env['GITHUB_SERVER_URL'] ?? 'https://github.com'),
    apiUrl: withoutSlash(env['GITHUB_API_URL'] ?? 'https://api.github.com'),
    workspace: given(env['GITHUB_WORKSPACE']),
    eventName,
    runId: wholeNumber(env['GITHUB_RUN_ID']) ?? 0,
    runAttempt: wholeNumber(env['GITHUB_RUN_ATTEMPT']) ?? 1,
    workflowPath: workflowPathOf(env['GITHUB_WORKFLOW_REF'], `${owner}/${repo}/`),
    // Some runs have the ref of the base branch and test another's commit.
    branch: tested.headSha === sha ? branch : undefined,
    defaultBranch,
    prLabels: labelsOf(event),
    isDependabot: env['GITHUB_ACTOR'] === DEPENDABOT || event.pull_request?.user?.login === DEPENDABOT,
    ...tested,
  })
}

function labelsOf({ pull_request: pull }: Payload): readonly string[] | undefined {
  const names = pull?.labels?.map(({ name }) => name) ?? []
  return names.length === 0 ? undefined : names
}

const DEPENDABOT = 'dependabot[bot]'

interface Tested {
  readonly headSha: string | undefined
  readonly prNumber?: number | undefined
  readonly baseBranch: string | undefined
  readonly baseSha?: string | undefined
  readonly isFork: boolean
  readonly triggeringRunId?: number | undefined
}

/** What the event is about: the commit under test and what it will be merged into. */
function testedBy(eventName: string, event: Payload, fallback: Fallback): Tested {
  if (eventName.startsWith('pull_request')) return testedInPull(event, fallback)
  if (event.merge_group) return testedInQueue(event.merge_group, fallback)
  if (event.workflow_run) return testedInRun(event.workflow_run, event, fallback)
  const { headSha, defaultBranch } = fallback
  if (event.issue?.pull_request !== undefined) {
    // The event names a commit of the default branch, which is not what is tested.
    return { headSha: undefined, prNumber: event.issue.number, baseBranch: defaultBranch, isFork: true }
  }
  const before = eventName === 'push' && !/^0+$/.test(event.before ?? '0') ? event.before : undefined
  return { headSha, baseBranch: defaultBranch, baseSha: before, isFork: false }
}

interface Fallback {
  readonly headSha: string | undefined
  readonly defaultBranch: string | undefined
  /** Of pull requests alone. */
  readonly prNumber: number | undefined
  readonly baseRef: string | undefined
}

function testedInPull({ pull_request: pull, repository: own }: Payload, fallback: Fallback): Tested {
  const { number, head, base } = pull ?? {}
  return {
    headSha: head?.sha ?? fallback.headSha,
    prNumber: number ?? fallback.prNumber,
    baseBranch: base?.ref ?? fallback.baseRef ?? fallback.defaultBranch,
    baseSha: base?.sha,
    isFork: head?.repo?.id === undefined || head.repo.id !== (base?.repo?.id ?? own?.id),
  }
}

function testedInQueue(group: NonNullable<Payload['merge_group']>, { headSha, defaultBranch }: Fallback): Tested {
  return {
    headSha: group.head_sha ?? headSha,
    baseBranch: group.base_ref?.replace(/^refs\/heads\//, '') ?? defaultBranch,
    baseSha: group.base_sha,
    isFork: false,
  }
}

/** A run that another one started: it reports on what that one tested. */
function testedInRun(
  run: NonNullable<Payload['workflow_run']>,
  { repository: own }: Payload,
  { headSha, defaultBranch }: Fallback,
): Tested {
  const pull = run.pull_requests?.[0]
  return {
    headSha: run.head_sha ?? headSha,
    prNumber: pull?.number,
    baseBranch: pull?.base?.ref ?? defaultBranch,
    baseSha: pull?.base?.sha,
    isFork: run.head_repository?.id === undefined || run.head_repository.id !== own?.id,
    triggeringRunId: run.id,
  }
}

function repositoryOf(env: Environment, { repository: found }: Payload): { owner: string; repo: string } {
  const [owner, repo, ...rest] = (
    env['GITHUB_REPOSITORY'] ?? `${found?.owner?.login ?? ''}/${found?.name ?? ''}`
  ).split('/')
  if (owner && repo && rest.length === 0) return { owner, repo }
  throw new UserError('GITHUB_REPOSITORY does not name a repository as owner/name', {
    code: 'INVALID_OPTIONS',
    hint: 'the action runs inside a GitHub workflow; elsewhere use the command line',
  })
}

function branchOf(env: Environment): string | undefined {
  const ref = env['GITHUB_REF'] ?? ''
  return ref.startsWith('refs/heads/') ? given(ref.slice('refs/heads/'.length)) : undefined
}

/** From `owner/name/.github/workflows/eval.yml@refs/heads/main`; both sides of `@` may hold anything. */
function workflowPathOf(ref: string | undefined, repositoryPrefix: string): string | undefined {
  if (!ref?.toLowerCase().startsWith(repositoryPrefix.toLowerCase())) return undefined
  return /^(.+?\.ya?ml)@/i.exec(ref.slice(repositoryPrefix.length))?.[1]
}

function wholeNumber(value: string | undefined): number | undefined {
  return value !== undefined && /^\d{1,15}$/.test(value) ? Number(value) : undefined
}

function given(value: string | undefined): string | undefined {
  return value === '' ? undefined : value
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '')
}

type Compact<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}

function compact<T extends object>(record: T): Compact<T> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as Compact<T>
}
