import { UserError } from '../core/errors.ts'
import { plainText } from '../lib/escape.ts'

/** What was tried, in words that follow "could not". */
export interface Attempt {
  readonly action: string
  /** Line of a `permissions` block that allows it, such as `checks: write`. */
  readonly needs: string
}

/** Everything the action does; the README shows the same block. */
export const PERMISSIONS = ['contents: read', 'actions: read', 'checks: write', 'pull-requests: write'] as const

/** Octokit's error, known by its shape: the package is loaded lazily and a connection that broke has status 500. */
interface RequestFailure extends Error {
  readonly status: number
  readonly response?: { readonly headers: Readonly<Record<string, unknown>> }
}

/** GitHub's refusal as an error that says what to do; anything that is no answer of GitHub goes on unchanged. */
export function asUserError(error: unknown, { action, needs }: Attempt): unknown {
  if (!isRequestFailure(error)) return error
  const said = plainText(error.message.replace(/ - https:\/\/docs\.github\.com\S*$/, ''), { maxLength: 500 })
  const fail = (code: UserError['code'], message: string, hint?: string) =>
    new UserError(message, { code, cause: error, ...(hint === undefined ? {} : { hint }) })
  if (!error.response) return fail('GITHUB_UNAVAILABLE', `could not ${action}: GitHub was not reached (${said})`)
  const answer = `could not ${action}: GitHub answered ${error.status} (${said})`
  if (isRateLimit(error))
    return fail('GITHUB_UNAVAILABLE', answer, 'the rate limit of the token is used up; run the job again later')
  if (error.status === 401) return fail('GITHUB_PERMISSION', answer, 'github-token is not valid or has expired')
  // A locked conversation is refused with 403 too, and no permission helps.
  if (/\blocked\b/i.test(said)) return fail('GITHUB_UNAVAILABLE', answer)
  if (error.status === 403 || (error.status === 404 && needs.endsWith('write'))) {
    return fail('GITHUB_PERMISSION', answer, `give the job "permissions:" with "${needs}"`)
  }
  return fail('GITHUB_UNAVAILABLE', answer)
}

/** Of GitHub's answer; undefined where there was none. */
export function statusOf({ cause }: UserError): number | undefined {
  return isRequestFailure(cause) && cause.response ? cause.status : undefined
}

/** GitHub says that the thing is not there, as opposed to any other refusal. */
export function isNotFound(error: unknown): boolean {
  return error instanceof UserError && isRequestFailure(error.cause) && error.cause.status === 404
}

/** The token is good and may not do this: what a read-only token gets. */
export function isDenied(error: UserError): boolean {
  return error.code === 'GITHUB_PERMISSION' && isRequestFailure(error.cause) && error.cause.status !== 401
}

/** Message and cure in one line. */
export function describeFailure(error: UserError): string {
  const hint = error.problems[0]?.hint
  return hint === undefined ? error.message : `${error.message}; ${hint}`
}

export function isGone(error: unknown): boolean {
  return error instanceof UserError && isRequestFailure(error.cause) && error.cause.status === 410
}

/** The request may have been carried out although no good answer came. */
export function leavesOpen(error: unknown): boolean {
  const cause = error instanceof UserError ? error.cause : error
  return isRequestFailure(cause) && cause.status >= 500
}

const LONGEST_WAIT_SECONDS = 60

/** Seconds that GitHub asks to wait before the next request; undefined where it asks for none, or for a long time. */
export function waitAskedFor(error: unknown): number | undefined {
  const cause = error instanceof UserError ? error.cause : error
  if (!isRequestFailure(cause) || !isRateLimit(cause)) return undefined
  const seconds = Number(cause.response?.headers['retry-after'] ?? Number.NaN)
  return seconds >= 0 && seconds <= LONGEST_WAIT_SECONDS ? seconds : undefined
}

function isRequestFailure(error: unknown): error is RequestFailure {
  return error instanceof Error && 'status' in error && typeof error.status === 'number'
}

function isRateLimit({ status, message, response }: RequestFailure): boolean {
  if (status === 429) return true
  return status === 403 && (response?.headers['x-ratelimit-remaining'] === '0' || /rate limit/i.test(message))
}
