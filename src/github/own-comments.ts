import type { Host } from '../core/host.ts'
import type { GitHubClient } from './client.ts'
import { createOnce } from './create-once.ts'
import { type Attempt, isNotFound } from './failure.ts'

export interface Comment {
  readonly id: number
  readonly html_url: string
  readonly body?: string | undefined
  readonly user: { readonly login: string } | null
  readonly minimized?: unknown
}

/** The comments of a pull request that we wrote and that begin with one marker. */
export interface OwnComments {
  /** Oldest first; more than one only after two were posted at the same time. */
  list(): Promise<Comment[]>
  /** Undefined where there is none or more than one. */
  only(): Promise<Comment | undefined>
  /** Undefined where it was deleted. */
  get(id: number): Promise<Comment | undefined>
  /** `isIt` finds it again after an answer that leaves open whether it was posted. */
  create(body: string, isIt: (comment: Comment) => boolean): Promise<Comment>
  /** Is not repeated by itself, since others may write in between. */
  update(id: number, body: string): Promise<Comment>
  remove(id: number): Promise<void>
  /** By `create` here. */
  wasCreated(id: number): boolean
}

const READING: Attempt = { action: 'read the comments of the pull request', needs: 'pull-requests: write' }
const WRITING: Attempt = { action: 'comment on the pull request', needs: 'pull-requests: write' }

export async function openOwnComments(
  client: GitHubClient,
  host: Host,
  { prNumber, marker }: { readonly prNumber: number; readonly marker: string },
): Promise<OwnComments> {
  const { rest, repository } = client
  let { login } = await client.author()
  const created = new Map<number, Comment>()

  const listMarked = async () => (await listComments(client, prNumber)).filter((comment) => isMarked(comment, marker))
  const get = (id: number) =>
    orNothing(() =>
      client.ask(READING, async () => (await rest.issues.getComment({ ...repository, comment_id: id })).data),
    )
  const list = async () => {
    const found = (await listMarked()).filter((comment) => comment.user?.login === login)
    // A list may lag behind what was posted.
    for (const id of created.keys()) {
      const missing = found.some((comment) => comment.id === id) ? undefined : await get(id)
      if (missing && isMarked(missing, marker)) found.push(missing)
    }
    return found.sort((left, right) => left.id - right.id)
  }
  return {
    list,
    get,
    async only() {
      const found = await list()
      return found.length === 1 ? found[0] : undefined
    },
    async create(body, isIt) {
      const request = { issue_number: prNumber, body, request: { retries: 0 } }
      const comment = await client.ask(WRITING, () =>
        createOnce<Comment>(host, {
          create: async () => (await rest.issues.createComment({ ...repository, ...request })).data,
          find: async () => (await listMarked()).find(isIt),
        }),
      )
      // An app's token does not say whose it is until it has written: only now can an older comment be known as ours.
      login = comment.user?.login ?? login
      created.set(comment.id, comment)
      return comment
    },
    update: (id, body) =>
      client.ask(WRITING, async () => {
        const request = { retries: 0, mayWait: false }
        return (await rest.issues.updateComment({ ...repository, comment_id: id, body, request })).data
      }),
    async remove(id) {
      created.delete(id)
      await orNothing(() => client.ask(WRITING, () => rest.issues.deleteComment({ ...repository, comment_id: id })))
    },
    wasCreated: (id) => created.has(id),
  }
}

/** A page holds 100 at most, and a long discussion has several. */
function listComments(client: GitHubClient, prNumber: number): Promise<Comment[]> {
  const { rest, paginate, repository } = client
  return client.ask(READING, () =>
    paginate(rest.issues.listComments, { ...repository, issue_number: prNumber, per_page: 100 }),
  )
}

/** A comment that somebody hid is left alone: changing it would not be seen. */
function isMarked({ body, minimized }: Comment, marker: string): boolean {
  return body?.split(/\r?\n/, 1)[0] === marker && (minimized ?? null) === null
}

async function orNothing<T>(request: () => Promise<T>): Promise<T | undefined> {
  try {
    return await request()
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}
