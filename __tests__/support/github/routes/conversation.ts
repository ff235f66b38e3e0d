import { fill } from '../filler.ts'
import { type Answer, ApiError, type Call, pageOf, type Route, required } from '../route.ts'
import type { Pull, Reaction } from '../state.ts'
import { user } from '../views.ts'

const REPO = '/repos/{owner}/{repo}'
const REACTIONS = `${REPO}/issues/comments/{comment_id}/reactions`
const LABELS = `${REPO}/issues/{issue_number}/labels`
const READ = ['issues:read', 'pull-requests:read'] as const
const WRITE = ['issues:write', 'pull-requests:write'] as const

/** Reactions, labels and who may do what: the talk around a pull request. */
export const conversationRoutes: readonly Route[] = [
  { on: `GET ${REACTIONS}`, needs: READ, handle: listReactions },
  { on: `POST ${REACTIONS}`, needs: WRITE, handle: createReaction },
  { on: `DELETE ${REACTIONS}/{reaction_id}`, needs: WRITE, handle: deleteReaction },
  { on: `GET ${LABELS}`, needs: READ, handle: (call) => listLabels(call, pullOf(call)) },
  { on: `POST ${LABELS}`, needs: WRITE, handle: addLabels },
  { on: `DELETE ${LABELS}/{name}`, needs: WRITE, handle: removeLabel },
  { on: `GET ${REPO}/collaborators/{username}/permission`, needs: ['metadata:read'], handle: getPermission },
]

function listReactions(call: Call): Answer {
  const { query, views } = call
  const content = query.get('content')
  const found = reactionsOf(call).filter((reaction) => content === null || reaction.content === content)
  const { items, headers } = pageOf(call, found)
  return { status: 200, body: items.map(views.reaction), headers }
}

/** One of a kind and author: asking again answers 200 with the one that is there. */
function createReaction(call: Call): Answer {
  const { state, body, token, views } = call
  const content = String(body['content'])
  const earlier = reactionsOf(call).find((item) => item.content === content && item.author.id === token.actor.id)
  if (earlier) return { status: 200, body: views.reaction(earlier) }
  const reaction: Reaction = {
    id: state.nextId(),
    comment: Number(call.parameters['comment_id']),
    content,
    author: token.actor,
    createdAt: state.now(),
  }
  state.reactions.push(reaction)
  return { status: 201, body: views.reaction(reaction) }
}

function deleteReaction(call: Call): Answer {
  const { reactions } = call.state
  const found = reactionsOf(call).find((reaction) => reaction.id === Number(call.parameters['reaction_id']))
  reactions.splice(reactions.indexOf(required(found)), 1)
  return { status: 204 }
}

function reactionsOf({ state, parameters }: Call): Reaction[] {
  const comment = Number(parameters['comment_id'])
  required(state.comments.find(({ id }) => id === comment))
  return state.reactions.filter((reaction) => reaction.comment === comment)
}

function listLabels(call: Call, { labels = [] }: Pull): Answer {
  const { items, headers } = pageOf(call, labels)
  return { status: 200, body: items.map(call.views.label), headers }
}

function addLabels(call: Call): Answer {
  const pull = pullOf(call)
  const added = call.body['labels'] as readonly (string | { readonly name: string })[]
  const names = added.map((label) => (typeof label === 'string' ? label : label.name))
  pull.labels = [...new Set([...(pull.labels ?? []), ...names])]
  return { status: 200, body: pull.labels.map(call.views.label) }
}

function removeLabel(call: Call): Answer {
  const pull = pullOf(call)
  const name = call.parameters['name'] ?? ''
  if (!pull.labels?.includes(name)) throw new ApiError(404, 'Label does not exist')
  pull.labels = pull.labels.filter((label) => label !== name)
  return { status: 200, body: pull.labels.map(call.views.label) }
}

function pullOf({ state, parameters }: Call): Pull {
  return required(state.pulls.find((pull) => pull.number === Number(parameters['issue_number'])))
}

/** Everybody may read a public repository, so `permission` alone says who may write. */
function getPermission({ state, parameters }: Call): Answer {
  const login = parameters['username'] ?? ''
  const permission = state.collaborators.get(login) ?? (state.repository.private ? 'none' : 'read')
  const body = {
    permission,
    role_name: permission,
    user: { ...user({ id: 99, login, type: 'User' }), role_name: permission },
  }
  return { status: 200, body: fill('repository-collaborator-permission', body) }
}
