/** What our GitHub remembers. Tests may read and change it between requests. */
export interface State {
  readonly repository: Repository
  /** By sha; `parents` make the graph that comparisons walk. */
  readonly commits: Map<string, Commit>
  /** Branch to sha. */
  readonly branches: Map<string, string>
  readonly pulls: Pull[]
  readonly comments: Comment[]
  readonly reactions: Reaction[]
  /** By login; whoever is not here is no collaborator. */
  readonly collaborators: Map<string, Access>
  readonly dispatches: Dispatch[]
  readonly checkRuns: CheckRun[]
  readonly runs: WorkflowRun[]
  readonly artifacts: Artifact[]
  nextId(): number
  /** RFC 3339 without fractions, as GitHub writes times. */
  now(): string
}

export interface Actor {
  readonly id: number
  readonly login: string
  readonly type: 'User' | 'Bot'
}

export interface Repository {
  readonly id: number
  readonly owner: string
  readonly name: string
  readonly fork: boolean
  readonly private: boolean
  readonly defaultBranch: string
}

export interface Commit {
  readonly sha: string
  readonly parents: readonly string[]
  readonly message: string
  readonly date: string
}

export interface Tip {
  readonly branch: string
  readonly sha: string
  readonly repository: Repository
}

export interface Pull {
  readonly number: number
  title: string
  state: 'open' | 'closed'
  head: Tip
  base: Tip
  /** Names. */
  labels?: readonly string[]
  readonly author: Actor
  readonly createdAt: string
}

export interface Comment {
  readonly id: number
  readonly issue: number
  body: string
  readonly author: Actor
  readonly createdAt: string
  updatedAt: string
  minimized?: { readonly reason: string }
}

/** What the API calls `permission`: maintain is write, triage is read. */
type Access = 'admin' | 'write' | 'read' | 'none'

export interface Reaction {
  readonly id: number
  /** Of a comment. */
  readonly comment: number
  readonly content: string
  readonly author: Actor
  readonly createdAt: string
}

/** A workflow that was started by hand. */
interface Dispatch {
  /** Number or file name, as asked for. */
  readonly workflow: string
  readonly ref: string
  readonly inputs: Readonly<Record<string, unknown>>
}

export interface Annotation {
  readonly path: string
  readonly start_line: number
  readonly end_line: number
  readonly start_column?: number
  readonly end_column?: number
  readonly annotation_level: 'notice' | 'warning' | 'failure'
  readonly message: string
  readonly title?: string
  readonly raw_details?: string
}

export interface CheckRun {
  readonly id: number
  readonly headSha: string
  readonly startedAt: string
  name: string
  status: string
  conclusion: string | null
  completedAt: string | null
  detailsUrl: string | null
  externalId: string | null
  title: string | null
  summary: string | null
  text: string | null
  readonly annotations: Annotation[]
}

export interface Workflow {
  readonly id: number
  readonly name: string
  readonly path: string
}

export interface WorkflowRun {
  readonly id: number
  readonly number: number
  attempt: number
  readonly workflow: Workflow
  readonly event: string
  status: 'queued' | 'in_progress' | 'completed'
  conclusion: string | null
  readonly headBranch: string
  readonly headSha: string
  readonly headRepository: Repository
  readonly pulls: readonly number[]
  readonly createdAt: string
  /** How the artifact service knows the run and its job. */
  readonly backendId: string
  readonly jobBackendId: string
}

export interface Artifact {
  readonly id: number
  readonly name: string
  readonly run: WorkflowRun
  readonly createdAt: string
  expiresAt: string
  expired: boolean
  readonly mimeType: string
  /** Uploaded bytes; tests may spoil them. */
  content: Buffer
  /** `sha256:` and hex, as the client reported it. */
  digest: string | null
  finalized: boolean
}

export const ACTIONS_BOT: Actor = { id: 41_898_282, login: 'github-actions[bot]', type: 'Bot' }

export function createState(repository: Omit<Repository, 'id' | 'fork'>): State {
  let id = 1000
  const nextId = () => ++id
  return {
    repository: { ...repository, id: nextId(), fork: false },
    commits: new Map(),
    branches: new Map(),
    pulls: [],
    comments: [],
    reactions: [],
    collaborators: new Map(),
    dispatches: [],
    checkRuns: [],
    runs: [],
    artifacts: [],
    nextId,
    now: () => formatTime(Date.now()),
  }
}

export function formatTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d+Z$/, 'Z')
}
