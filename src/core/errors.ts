/** Something in the user's files or settings that must be mended; found before any model call. */
export interface Problem {
  /** Path as the user knows it, when the problem is in a file. */
  readonly file?: string
  /** 1-based. */
  readonly line?: number
  /** Path of the field, such as `assert[0].type`. */
  readonly field?: string
  readonly message: string
  /** What to do about it. */
  readonly hint?: string
  /** Name of the environment variable that would hold a secret and is not set or empty; nothing else is wrong. */
  readonly unset?: string
}

/**
 * Why there is no verdict: mistakes that were found before the first call, a failure of agent-test itself, or secrets
 * that GitHub withholds from this run, which is nobody's mistake.
 */
export type Refusal =
  | { readonly cause: 'mistakes' | 'bug'; readonly problems: readonly Problem[] }
  | { readonly cause: 'no_secrets'; readonly origin: RestrictedOrigin; readonly problems: readonly Problem[] }

/** Whose runs GitHub gives no secrets and a read-only token. */
export type RestrictedOrigin = 'fork' | 'dependabot'

export function describeProblem({ file, line, field, message, hint }: Problem): string {
  const where = [file, line].filter((part) => part !== undefined).join(':')
  const subject = [where, field].filter((part) => part !== undefined && part !== '').join(': ')
  const text = subject === '' ? message : `${subject}: ${message}`
  return hint === undefined ? text : `${text} (${hint})`
}

export type UserErrorCode =
  | 'INVALID_OPTIONS'
  | 'INVALID_SUITE'
  | 'INVALID_TARGET'
  | 'INVALID_BASELINE'
  | 'ARTIFACT_UNREADABLE'
  | 'OUTPUT_NOT_WRITABLE'
  | 'GITHUB_PERMISSION'
  | 'GITHUB_UNAVAILABLE'

interface UserErrorOptions {
  readonly code: UserErrorCode
  readonly problems?: readonly Problem[]
  readonly hint?: string
  readonly cause?: unknown
}

/** The user can mend it. Printed as message and hint, without a stack. */
export class UserError extends Error {
  readonly code: UserErrorCode
  readonly problems: readonly Problem[]

  constructor(message: string, { code, problems, hint, cause }: UserErrorOptions) {
    super(message, cause === undefined ? {} : { cause })
    this.name = 'UserError'
    this.code = code
    this.problems = problems ?? [{ message, ...(hint === undefined ? {} : { hint }) }]
  }
}

/** One error that carries every problem found, so that the user mends them in one go. */
export function problemsError(code: UserErrorCode, problems: readonly Problem[]): UserError {
  return new UserError(problems.map(describeProblem).join('\n'), { code, problems })
}

/** Collects the problems of `attempt` instead of throwing them; anything but a UserError goes on. */
export async function collectProblems<T>(problems: Problem[], attempt: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await attempt()
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    problems.push(...error.problems)
    return undefined
  }
}

/** Why a target could not be run. None of these says anything about the agent's quality. */
export type TargetErrorCode =
  | 'TIMEOUT'
  | 'ABORTED'
  | 'RATE_LIMITED'
  | 'PROVIDER_ERROR'
  | 'CONNECTION'
  | 'AUTHENTICATION'
  | 'BAD_REQUEST'
  | 'BAD_RESPONSE'
  | 'PROCESS_FAILED'
  | 'CASSETTE_MISS'
  | 'NOT_RECORDED'
  | 'UNSUPPORTED'
  | 'SCRIPT_ERROR'
  /** An evaluator failed itself, so the run has no verdict. */
  | 'EVALUATOR_FAILED'
  /** Nothing that was asked of the run applies to it. */
  | 'NOT_JUDGED'

interface TargetErrorOptions {
  readonly code: TargetErrorCode
  readonly retryable?: boolean
  /** Milliseconds the provider asked us to wait before the next attempt. */
  readonly retryAfterMs?: number
  readonly cause?: unknown
}

/** The agent could not be run: the run becomes `errored`, never failed and never passed. */
export class TargetError extends Error {
  readonly code: TargetErrorCode
  readonly retryable: boolean
  readonly retryAfterMs: number | undefined

  constructor(message: string, { code, retryable = false, retryAfterMs, cause }: TargetErrorOptions) {
    super(message, cause === undefined ? {} : { cause })
    this.name = 'TargetError'
    this.code = code
    this.retryable = retryable
    this.retryAfterMs = retryAfterMs
  }
}
