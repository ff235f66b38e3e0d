import { fill } from '../filler.ts'
import { historyOf, mergeBase, resolveRef } from '../graph.ts'
import { type Answer, ApiError, type Call, pageOf, type Route, required } from '../route.ts'
import type { Commit, Pull } from '../state.ts'
import { user } from '../views.ts'

const REPO = '/repos/{owner}/{repo}'

export const repositoryRoutes: readonly Route[] = [
  { on: 'GET /rate_limit', needs: [], handle: rateLimit },
  { on: 'GET /user', needs: [], handle: currentUser },
  {
    on: `GET ${REPO}`,
    needs: ['metadata:read'],
    handle: ({ state, views }) => ({ status: 200, body: views.repository(state.repository) }),
  },
  { on: `GET ${REPO}/commits`, needs: ['contents:read'], handle: listCommits },
  { on: `GET ${REPO}/commits/{ref}`, needs: ['contents:read'], handle: getCommit },
  { on: `GET ${REPO}/compare/{basehead}`, needs: ['contents:read'], handle: compareCommits },
  { on: `GET ${REPO}/pulls`, needs: ['pull-requests:read'], handle: listPulls },
  { on: `GET ${REPO}/pulls/{pull_number}`, needs: ['pull-requests:read'], handle: getPull },
  { on: `GET ${REPO}/commits/{commit_sha}/pulls`, needs: ['pull-requests:read'], handle: pullsOfCommit },
]

function rateLimit(): Answer {
  const limit = { limit: 1000, remaining: 999, used: 1, reset: Math.ceil(Date.now() / 1000) + 3600 }
  return { status: 200, body: fill('rate-limit-overview', { rate: limit, resources: { core: limit } }) }
}

/** A workflow's token is no user: GitHub refuses it here. */
function currentUser({ token }: Call): Answer {
  if (token.kind === 'installation') throw new ApiError(403, 'Resource not accessible by integration')
  return { status: 200, body: fill('public-user', { ...user(token.actor), user_view_type: 'public' }) }
}

function listCommits(call: Call): Answer {
  const { state, query, views } = call
  const sha = required(resolveRef(state, query.get('sha') ?? state.repository.defaultBranch))
  const { items, headers } = pageOf(call, historyOf(state, sha))
  return { status: 200, body: items.map(views.commit), headers }
}

function getCommit({ state, parameters, views }: Call): Answer {
  const ref = parameters['ref'] ?? ''
  const commit = state.commits.get(resolveRef(state, ref) ?? '')
  if (!commit) throw new ApiError(422, `No commit found for SHA: ${ref}`)
  return { status: 200, body: views.commit(commit) }
}

function compareCommits(call: Call): Answer {
  const { state, parameters, views } = call
  const { base, head } = endsOf(call)
  const common = required(mergeBase(state, base.sha, head.sha))
  const beyond = (tip: Commit, other: Commit) => {
    const known = new Set(historyOf(state, other.sha).map((commit) => commit.sha))
    return historyOf(state, tip.sha).filter((commit) => !known.has(commit.sha))
  }
  const [ahead, behind] = [beyond(head, base), beyond(base, head)]
  const { items, headers } = pageOf(call, ahead.toReversed())
  const body = fill('commit-comparison', {
    url: `https://api.github.com/compare/${parameters['basehead']}`,
    base_commit: views.commit(base),
    merge_base_commit: views.commit(common),
    status: statusOf(ahead.length, behind.length),
    ahead_by: ahead.length,
    behind_by: behind.length,
    total_commits: ahead.length,
    commits: items.map(views.commit),
    files: [],
  })
  return { status: 200, body, headers }
}

function endsOf({ state, parameters }: Call): { base: Commit; head: Commit } {
  const [base = '', head = ''] = (parameters['basehead'] ?? '').split('...')
  const commitAt = (ref: string) => required(state.commits.get(resolveRef(state, ref) ?? ''))
  return { base: commitAt(base), head: commitAt(head) }
}

function statusOf(ahead: number, behind: number): string {
  if (ahead > 0) return behind > 0 ? 'diverged' : 'ahead'
  return behind > 0 ? 'behind' : 'identical'
}

function listPulls(call: Call): Answer {
  const { state, query, views } = call
  const wanted = query.get('state') ?? 'open'
  const found = state.pulls.filter(
    ({ state: pullState, head, base }) =>
      (wanted === 'all' || pullState === wanted) &&
      (query.get('base') ?? base.branch) === base.branch &&
      [null, `${head.repository.owner}:${head.branch}`].includes(query.get('head')),
  )
  const { items, headers } = pageOf(call, found.toReversed())
  return { status: 200, body: items.map(views.pullSummary), headers }
}

function getPull({ state, parameters, views }: Call): Answer {
  const pull = required(state.pulls.find((item) => item.number === Number(parameters['pull_number'])))
  return { status: 200, body: views.pull(pull) }
}

function pullsOfCommit(call: Call): Answer {
  const { state, parameters, views } = call
  const holds = (pull: Pull) =>
    historyOf(state, pull.head.sha).some((commit) => commit.sha === parameters['commit_sha'])
  const { items, headers } = pageOf(call, state.pulls.filter(holds))
  return { status: 200, body: items.map(views.pullSummary), headers }
}
