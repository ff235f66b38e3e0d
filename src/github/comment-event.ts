import { z } from 'zod'

/** A comment as the event of its creation tells of it. All of it is somebody's words but the numbers. */
export interface CommentEvent {
  readonly action: string
  readonly id: number
  readonly body: string
  readonly author: { readonly login: string; readonly isBot: boolean }
  /** Absent for a comment on an issue. */
  readonly prNumber?: number
}

const id = z.number().int().positive()
const schema = z.object({
  action: z.string(),
  comment: z.object({
    id,
    body: z.string().nullish(),
    user: z.object({ login: z.string().min(1).max(100), type: z.string() }),
  }),
  issue: z.object({ number: id, pull_request: z.object({}).optional() }),
})

/** Undefined for any other payload. */
export function commentEventOf(payload: unknown): CommentEvent | undefined {
  const event = schema.safeParse(payload).data
  if (!event) return undefined
  const { action, comment, issue } = event
  const { login, type } = comment.user
  return {
    action,
    id: comment.id,
    body: comment.body ?? '',
    author: { login, isBot: type !== 'User' || login.endsWith('[bot]') },
    ...(issue.pull_request === undefined ? {} : { prNumber: issue.number }),
  }
}
