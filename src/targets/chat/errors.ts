import { TargetError } from '../../core/errors.ts'
import { isJsonObject } from '../../core/json.ts'

interface ErrorContext {
  /** Milliseconds since the epoch, for `retry-after` as a date. */
  readonly now: number
  /** Names the setting that holds the key, such as `"key" of the http target ($ENV.API_KEY)`. */
  readonly keySetting: string
  readonly baseURL: string
  /** What the URL is asked for; default: `the model`. */
  readonly asked?: string
}

/** What is known of an answer with a status that is no success; an APIError of the `openai` package is one. */
export interface StatusFailure {
  /** Absent when there was no answer. */
  readonly status: number | undefined
  readonly message: string
  readonly code?: string | null | undefined
  readonly headers?: { get(name: string): string | null } | undefined
}

/** An answer with a status that is no success. */
export function statusError(error: StatusFailure, context: ErrorContext): TargetError {
  const { status } = error
  if (status === undefined) return connectionError(error, context)
  const said = providerMessage(error)
  const fail = (code: TargetError['code'], message: string, retryable = false) => {
    const retryAfterMs = retryable ? retryAfter(error.headers, context.now) : undefined
    return new TargetError(message, {
      code,
      retryable,
      cause: error,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    })
  }
  if (status === 401 || status === 403) {
    return fail('AUTHENTICATION', `the provider refused the key (${status}): ${said}; check ${context.keySetting}`)
  }
  if (status === 429) {
    // Waiting does not bring back a budget that is used up.
    const isUsedUp = error.code === 'insufficient_quota'
    return fail('RATE_LIMITED', `the provider limits the rate of calls (429): ${said}`, !isUsedUp)
  }
  if (status === 408 || status === 409 || status >= 500) {
    return fail('PROVIDER_ERROR', `the provider failed (${status}): ${said}`, true)
  }
  if (status < 400) {
    const to = error.headers?.get('location') ?? 'elsewhere'
    return fail('BAD_REQUEST', `${context.baseURL} redirects (${status}) to ${shorten(to)}; name the final URL`)
  }
  const hint = status === 404 ? `; check the URL ${context.baseURL} and ${context.asked ?? 'the model'}` : ''
  return fail('BAD_REQUEST', `the provider refused the request (${status}): ${said}${hint}`)
}

/** An error that the provider reports inside of a stream, or in place of an answer. */
export function reportedError(reported: unknown): TargetError {
  const error: Readonly<Record<string, unknown>> = isJsonObject(reported) ? reported : { message: reported }
  const said = shorten(typeof error['message'] === 'string' ? error['message'] : JSON.stringify(reported))
  const codes = [error['code'], error['type']].map((code) => (typeof code === 'number' ? String(code) : code))
  const says = (pattern: RegExp) => codes.some((code) => typeof code === 'string' && pattern.test(code))
  if (says(/^429$|rate_limit/i)) {
    return new TargetError(`the provider limits the rate of calls: ${said}`, { code: 'RATE_LIMITED', retryable: true })
  }
  if (says(/^40[13]$|authentication|permission|unauthorized|api_key/i)) {
    return new TargetError(`the provider refused the key while it answered: ${said}`, { code: 'AUTHENTICATION' })
  }
  if (says(/^4(?!0[89])\d\d$|invalid_request/i)) {
    return new TargetError(`the provider refused the request: ${said}`, { code: 'BAD_REQUEST' })
  }
  return new TargetError(`the provider failed while it answered: ${said}`, { code: 'PROVIDER_ERROR', retryable: true })
}

/** Refused, reset, not found, cut: nothing that the agent said. A certificate does not get better by waiting. */
export function connectionError(error: unknown, { baseURL }: { readonly baseURL: string }): TargetError {
  const reason = innermost(error)
  const isCertificate = /CERT|SIGNATURE/.test(String((reason as NodeJS.ErrnoException | undefined)?.code ?? ''))
  const hint = isCertificate ? '; NODE_EXTRA_CA_CERTS names a file with further authorities' : ''
  return new TargetError(`no connection to ${baseURL}: ${reasonOf(reason)}${hint}`, {
    code: 'CONNECTION',
    retryable: !isCertificate,
    cause: error,
  })
}

export function cutError(cause?: unknown): TargetError {
  const why = cause === undefined ? '' : `: ${reasonOf(cause)}`
  return new TargetError(`the answer broke off before it was finished${why}`, {
    code: 'CONNECTION',
    retryable: true,
    ...(cause === undefined ? {} : { cause }),
  })
}

export function badResponse(message: string, cause?: unknown): TargetError {
  return new TargetError(message, { code: 'BAD_RESPONSE', ...(cause === undefined ? {} : { cause }) })
}

/** At most 300 characters on one line, for quoting what a provider sent. */
export function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length <= 300 ? line : `${line.slice(0, 299)}…`
}

function providerMessage({ status, message }: StatusFailure): string {
  const prefix = `${status} `
  return shorten(message.startsWith(prefix) ? message.slice(prefix.length) : message)
}

/** The innermost cause says most: "connect ECONNREFUSED 127.0.0.1:9". */
function innermost(error: unknown): unknown {
  return error instanceof Error && error.cause instanceof Error ? innermost(error.cause) : error
}

function reasonOf(error: unknown): string {
  const reason = innermost(error)
  if (!(reason instanceof Error)) return shorten(String(reason))
  // Node reports several addresses of one name as one error without a message.
  if (reason instanceof AggregateError && reason.message === '') return reason.errors.map(reasonOf).join('; ')
  return shorten(reason.message)
}

/** Source: RFC 9110, section 10.2.3: seconds or a date; `retry-after-ms` is OpenAI's finer form. */
function retryAfter(headers: { get(name: string): string | null } | undefined, now: number): number | undefined {
  const fine = headers?.get('retry-after-ms')?.trim()
  if (fine !== undefined && /^\d+(?:\.\d+)?$/.test(fine)) return Math.ceil(Number(fine))
  const value = headers?.get('retry-after')?.trim() ?? ''
  if (/^\d+(?:\.\d+)?$/.test(value)) return Math.ceil(Number(value) * 1_000)
  const date = Date.parse(value)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
