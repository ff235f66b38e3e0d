import type { ArtifactService } from './artifacts.ts'
import { findOperation, loadDescription } from './description.ts'
import { type Answer, ApiError, notFound } from './route.ts'
import { actionsRoutes } from './routes/actions.ts'
import { checkRoutes } from './routes/checks.ts'
import { commentRoutes } from './routes/comments.ts'
import { conversationRoutes } from './routes/conversation.ts'
import { repositoryRoutes } from './routes/repository.ts'
import type { State } from './state.ts'
import { authorize, type TokenStore } from './tokens.ts'
import { parseBody, type RawRequest } from './transport.ts'
import type { Violation } from './validate.ts'
import { createViews } from './views.ts'

const ROUTES = new Map(
  [...repositoryRoutes, ...commentRoutes, ...conversationRoutes, ...checkRoutes, ...actionsRoutes].map((route) => [
    route.on,
    route,
  ]),
)

interface ApiContext {
  readonly state: State
  readonly tokens: TokenStore
  readonly artifacts: ArtifactService
  readonly violations: Violation[]
}

/** The REST half of our GitHub. */
export function answerApi(request: RawRequest, context: ApiContext): Answer {
  try {
    return handle(request, context)
  } catch (error) {
    if (error instanceof ApiError) return error.answer
    throw error
  }
}

function handle({ method, url, headers, body }: RawRequest, context: ApiContext): Answer {
  const { state, tokens, artifacts, violations } = context
  const token = tokens.authenticate(headers['authorization']?.toString())
  const match = findOperation(loadDescription(), method, url.pathname)
  if (!match) throw notFound()
  const route = ROUTES.get(`${method} ${match.operation.template}`)
  if (!route) {
    violations.push({ method, path: url.pathname, reason: 'our GitHub does not play this operation' })
    throw notFound()
  }
  const { parameters } = match
  if (parameters['owner'] !== undefined && !isHere(parameters, state)) throw notFound()
  authorize(token, route.needs, { isPublic: !state.repository.private })
  return route.handle({
    state,
    token,
    parameters,
    views: createViews(state, url.origin),
    query: url.searchParams,
    body: (parseBody(body) ?? {}) as Record<string, unknown>,
    url: url.href,
    signedUrl: (artifact) => artifacts.signedUrl(artifact, 'read'),
  })
}

function isHere({ owner, repo }: Readonly<Record<string, string>>, { repository }: State): boolean {
  const same = (left: string | undefined, right: string) => left?.toLowerCase() === right.toLowerCase()
  return same(owner, repository.owner) && same(repo, repository.name)
}
