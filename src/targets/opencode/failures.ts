import { TargetError, type TargetErrorCode } from '../../core/errors.ts'
import { shorten } from '../chat/errors.ts'
import type { Failure, MessageInfo } from './raw.ts'

/** Words of providers for "too often". */
const LIMITED = /rate.?limit|too many requests|\b429\b|quota|overloaded/i
const REFUSED_KEY = /invalid api key|unauthori[sz]ed|\b401\b|authentication/i

/**
 * Why nobody answered. None of these is the agent's failure, and none is tried again: OpenCode itself has tried five
 * times by then. Source: spec opencode-server 0.9, 4.
 */
export function failureError(failure: Failure): TargetError {
  const { name, data } = failure
  const said = shorten(data.message ?? name)
  const status = data.statusCode
  const fail = (code: TargetErrorCode, what: string) => new TargetError(`${what}: ${said}`, { code })
  if (name === 'MessageAbortedError') return fail('BAD_RESPONSE', 'the session was stopped by somebody else')
  if (name === 'ProviderAuthError' || status === 401 || status === 403)
    return fail('AUTHENTICATION', 'the provider refused the key')
  if (status === 429 || (status === undefined && LIMITED.test(said)))
    return fail('RATE_LIMITED', 'the provider limits the rate of calls')
  if (name === 'ContextOverflowError') return fail('BAD_REQUEST', 'the conversation is too long for the model')
  if (name === 'MessageOutputLengthError') return fail('BAD_RESPONSE', 'the answer was cut off at its longest length')
  if (name === 'ContentFilterError') return fail('PROVIDER_ERROR', 'the provider filtered the answer')
  if (status !== undefined && status >= 400 && status < 500 && status !== 408 && status !== 409)
    return fail('BAD_REQUEST', `the provider refused the request (${status})`)
  if (status !== undefined) return fail('PROVIDER_ERROR', `the provider failed (${status})`)
  return fail('PROVIDER_ERROR', name === 'APIError' ? 'the provider did not answer' : 'the session failed')
}

/** A limit was reached while the provider was being asked again: it is the provider that is slow, not the agent. */
export function retryError(message: string, limit: string): TargetError {
  const said = `${shorten(message)}; given up after ${limit}`
  if (LIMITED.test(message))
    return new TargetError(`the provider limits the rate of calls: ${said}`, { code: 'RATE_LIMITED' })
  if (REFUSED_KEY.test(message))
    return new TargetError(`the provider refused the key: ${said}`, { code: 'AUTHENTICATION' })
  return new TargetError(`the provider fails: ${said}`, { code: 'PROVIDER_ERROR' })
}

/** What keeps a turn from being good; undefined when it is. Source: spec opencode-server 4, "A turn is good only if". */
export function turnFault(last: MessageInfo | undefined, reported: Failure | undefined): TargetError | undefined {
  if (last?.error) return failureError(last.error)
  if (last?.finish === 'error')
    return new TargetError('the provider failed while it answered', { code: 'PROVIDER_ERROR' })
  if (last?.time.completed !== undefined && last.finish !== undefined) return undefined
  if (reported) return failureError(reported)
  const message = last ? 'the session ended in the middle of an answer' : 'the session ended without an answer'
  return new TargetError(message, { code: 'BAD_RESPONSE' })
}
