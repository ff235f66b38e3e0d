import type { ThrottlingOptions } from '@octokit/plugin-throttling'
import type { Octokit } from '@octokit/rest'
import { UserError } from '../core/errors.ts'
import type { Host } from '../core/host.ts'
import type { GitHubContext } from './context.ts'
import { type Attempt, asUserError } from './failure.ts'

type Fetch = typeof globalThis.fetch

/** GitHub's API for one repository, with the manners GitHub asks for. */
export interface GitHubClient {
  readonly rest: Octokit['rest']
  readonly paginate: Octokit['paginate']
  /** Goes through the runner's proxy; sends no token and has no time limit of its own. */
  readonly fetch: Fetch
  readonly repository: { readonly owner: string; readonly repo: string }
  /** Runs `call`; an answer that is no success becomes a UserError that names what was tried and the cure. */
  ask<T>(attempt: Attempt, call: () => Promise<T>): Promise<T>
  /** Login under which this token writes, as far as it can be told. */
  author(): Promise<Author>
  /** An answer named the app behind the token. */
  sawApp(slug: string | undefined): void
}

interface Author {
  readonly login: string
  /** False when the token is some app's and nothing has said which. */
  readonly isCertain: boolean
}

/** One attempt may take this long; GitHub itself gives up after ten seconds. */
const REQUEST_TIMEOUT_MS = 30_000
/** A wait that GitHub asks for is honoured up to here; a longer one would only burn the job's minutes. */
const LONGEST_WAIT_SECONDS = 60
const MOST_RATE_LIMIT_WAITS = 2

/**
 * Opens the API at the context's address. Reads are repeated after a 5xx; creates are not (see `createOnce`). With
 * AGENT_TEST_GITHUB_PACE=instant writes are not spaced and repeats do not wait: for tests against a local server.
 */
export async function openGitHub(context: GitHubContext, token: string | undefined, host: Host): Promise<GitHubClient> {
  if (token === undefined || token.trim() === '') {
    throw new UserError('there is no token for GitHub', {
      code: 'GITHUB_PERMISSION',
      hint: 'leave github-token at its default, ${{ github.token }}, or give it a token that is not empty',
    })
  }
  host.secrets.add(token)
  const fetch = await proxyFetch()
  const octokit = await createOctokit(context, token, {
    fetch,
    isInstant: host.env['AGENT_TEST_GITHUB_PACE'] === 'instant',
  })
  const { owner, repo } = context
  const author = authorOf(octokit, token)
  return {
    rest: octokit.rest,
    paginate: octokit.paginate,
    fetch,
    repository: { owner, repo },
    async ask(attempt, call) {
      try {
        return await call()
      } catch (error) {
        throw asUserError(error, attempt)
      }
    },
    ...author,
  }
}

async function createOctokit(
  { apiUrl }: GitHubContext,
  token: string,
  { fetch, isInstant }: { fetch: Fetch; isInstant: boolean },
): Promise<Octokit> {
  const [rest, { retry }, { throttling }] = await Promise.all([
    import('@octokit/rest'),
    import('@octokit/plugin-retry'),
    import('@octokit/plugin-throttling'),
  ])
  const shouldWait = (seconds: number, options: WaitingRequest, _octokit: unknown, waits: number) =>
    options.request?.mayWait !== false && seconds <= LONGEST_WAIT_SECONDS && waits < MOST_RATE_LIMIT_WAITS
  const PoliteOctokit = rest.Octokit.plugin(retry, throttling)
  return new PoliteOctokit({
    auth: token,
    baseUrl: apiUrl,
    userAgent: 'agent-test',
    request: { fetch: guarded(fetch) },
    // Octokit would print every refusal; ours are told once, with their cure.
    log: { debug: ignore, info: ignore, warn: ignore, error: ignore },
    retry: {
      // 429 is the throttling plugin's: two repeaters would multiply.
      doNotRetry: [400, 401, 403, 404, 410, 422, 429, 451],
      ...(isInstant ? { retryAfterBaseValue: 1 } : {}),
    },
    throttle: {
      onRateLimit: shouldWait,
      onSecondaryRateLimit: shouldWait,
      ...(isInstant ? { write: UNSPACED, notifications: UNSPACED } : {}),
    },
  })
}

interface WaitingRequest {
  /** `mayWait: false`: what is sent would be stale after a wait, so whoever asks waits and makes it anew. */
  readonly request?: { readonly mayWait?: boolean }
}

function ignore(): void {}

/** Stands where the plugin has a queue that spaces writes. */
const UNSPACED = {
  key: () => ({ schedule: (_job: unknown, task: () => unknown) => task() }),
} as unknown as NonNullable<ThrottlingOptions['write']>

/**
 * The fetch of @actions/github, which honours the runner's proxy settings. Loaded at call time: the package reads
 * GITHUB_API_URL and the event file as soon as it is imported.
 */
async function proxyFetch(): Promise<Fetch> {
  const { defaults } = await import('@actions/github/lib/utils')
  return defaults.request?.fetch as Fetch
}

/**
 * Octokit takes a body that breaks off, or is no JSON, for an answer of another shape: then a list would read as empty,
 * and "no baseline yet" would open the gate. Here it is a request that failed, and is repeated.
 */
function guarded(fetch: Fetch): Fetch {
  return async (url, options) => {
    const response = await fetch(url, { ...options, signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) })
    if (response.ok && /\bjson\b/.test(response.headers.get('content-type') ?? '')) await response.clone().json()
    return response
  }
}

function authorOf(octokit: Octokit, token: string): Pick<GitHubClient, 'author' | 'sawApp'> {
  let known: Author | undefined
  return {
    async author() {
      known ??= (await login(octokit, token)) ?? { login: 'github-actions[bot]', isCertain: false }
      return known
    },
    sawApp(slug) {
      if (slug !== undefined && !known?.isCertain) known = { login: `${slug}[bot]`, isCertain: true }
    },
  }
}

/** An app's token, such as a workflow's own, has no user: GitHub answers 403. */
async function login(octokit: Octokit, token: string): Promise<Author | undefined> {
  if (token.startsWith('ghs_')) return undefined
  const answer = await octokit.rest.users.getAuthenticated().catch(() => undefined)
  return answer && { login: answer.data.login, isCertain: true }
}
