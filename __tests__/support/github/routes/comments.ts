import { type Answer, ApiError, type Call, pageOf, type Route, required } from '../route.ts'
import type { Comment } from '../state.ts'

const LONGEST_BODY = 65_536

const ISSUE = '/repos/{owner}/{repo}/issues/{issue_number}/comments'
const COMMENT = '/repos/{owner}/{repo}/issues/comments/{comment_id}'
const READ = ['issues:read', 'pull-requests:read'] as const
const WRITE = ['issues:write', 'pull-requests:write'] as const

export const commentRoutes: readonly Route[] = [
  { on: `GET ${ISSUE}`, needs: READ, handle: listComments },
  { on: `POST ${ISSUE}`, needs: WRITE, handle: createComment },
  {
    on: `GET ${COMMENT}`,
    needs: READ,
    handle: (call) => ({ status: 200, body: call.views.comment(findComment(call)) }),
  },
  { on: `PATCH ${COMMENT}`, needs: WRITE, handle: updateComment },
  { on: `DELETE ${COMMENT}`, needs: WRITE, handle: deleteComment },
]

function listComments(call: Call): Answer {
  const { items, headers } = pageOf(
    call,
    call.state.comments.filter((comment) => comment.issue === issueOf(call)),
  )
  return { status: 200, body: items.map(call.views.comment), headers }
}

function createComment(call: Call): Answer {
  const { state, token, views } = call
  const now = state.now()
  const comment: Comment = {
    id: state.nextId(),
    issue: issueOf(call),
    body: bodyOf(call),
    author: token.actor,
    createdAt: now,
    updatedAt: now,
  }
  state.comments.push(comment)
  return { status: 201, body: views.comment(comment) }
}

function updateComment(call: Call): Answer {
  const comment = findComment(call)
  comment.body = bodyOf(call)
  comment.updatedAt = call.state.now()
  return { status: 200, body: call.views.comment(comment) }
}

function deleteComment(call: Call): Answer {
  const { comments } = call.state
  comments.splice(comments.indexOf(findComment(call)), 1)
  return { status: 204 }
}

function findComment({ state, parameters }: Call): Comment {
  return required(state.comments.find((comment) => comment.id === Number(parameters['comment_id'])))
}

function issueOf({ state, parameters }: Call): number {
  return required(state.pulls.find((pull) => pull.number === Number(parameters['issue_number']))).number
}

function bodyOf({ body }: Call): string {
  const text = body['body']
  if (typeof text !== 'string' || text === '') {
    throw new ApiError(422, 'Validation Failed', {
      errors: [{ resource: 'IssueComment', code: 'missing_field', field: 'body' }],
    })
  }
  if (text.length > LONGEST_BODY) {
    const message = `Body is too long (maximum is ${LONGEST_BODY} characters)`
    throw new ApiError(422, 'Validation Failed', {
      errors: [{ resource: 'IssueComment', code: 'unprocessable', field: 'data', message }],
    })
  }
  return text
}
