/** How a case is put to an agent that works in a session: who answers, where, and what it may do. */
export interface SessionPlan {
  readonly agent?: string
  /** `provider/model`; the model may hold slashes. */
  readonly model?: string
  /** From a config file, for a case without one: what the command line and the target name outranks it. */
  readonly defaultModel?: string
  /** What is said, in order; more than one is a conversation in one session. */
  readonly turns: readonly Turn[]
  /** Absolute path of a folder to copy; a copy of what git tracks where absent. */
  readonly workspace?: string
  /** Whether a fixture workspace gets the tested project's agents and rules laid over it. */
  readonly inherit: boolean
  readonly setup: readonly SetupStep[]
  readonly approval: ApprovalPolicy
  /** Limit of one turn, in milliseconds. */
  readonly turnTimeoutMs?: number
  /** Files that must be as said after the run. */
  readonly files: readonly FileExpectation[]
}

export interface Turn {
  readonly text: string
  readonly delayMs?: number
  /** Said only when the agent has asked for approval in words; otherwise it is left out. */
  readonly onlyWhenAsked?: boolean
}

/** Done in the copy before the first turn; paths stay inside it. */
export type SetupStep =
  | { readonly action: 'write'; readonly file: string; readonly content: string }
  | { readonly action: 'delete'; readonly file: string }
  | { readonly action: 'mkdir'; readonly file: string }

export type ApprovalPolicy =
  | { readonly kind: 'approve' }
  | { readonly kind: 'deny'; readonly message?: string }
  | SmartApproval

/** Source: spec opencode-evals A.3; the first rule that fits decides. */
export interface SmartApproval {
  readonly kind: 'smart'
  readonly allowedTools: readonly string[]
  readonly deniedTools: readonly string[]
  /** RE2 patterns, matched against message, patterns and metadata of the request. */
  readonly approvePatterns: readonly string[]
  readonly denyPatterns: readonly string[]
  readonly maxApprovals?: number
  readonly defaultDecision: boolean
  /** Operations approved on the base branch are approved again. */
  readonly learn: boolean
}

/** Source: spec opencode-evals A.4, `contentExpectations`. */
export interface FileExpectation {
  readonly filePath: string
  readonly mustContain: readonly string[]
  readonly mustNotContain: readonly string[]
  /** RE2. */
  readonly mustMatch?: string
  readonly minLength?: number
  readonly maxLength?: number
}
