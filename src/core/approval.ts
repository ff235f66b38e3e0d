import { compilePattern } from '../lib/regex.ts'
import { isJsonObject, type Json, type JsonObject, sortedJson } from './json.ts'
import type { ApprovalPolicy, SmartApproval } from './session.ts'
import { eventsOf, type Trace } from './trace.ts'

/** What an agent asks leave for. */
export interface ApprovalRequest {
  /** The tool that would run; the permission's name where it is not known. */
  readonly tool: string
  /** Such as `bash`, `edit`, `external_directory`. */
  readonly permission: string
  readonly title?: string
  /** What exactly: each command of a command line, the paths that would be written. */
  readonly patterns: readonly string[]
  readonly metadata: JsonObject
}

export interface Decision {
  readonly approved: boolean
  /** The rule that decided, in words. */
  readonly because: string
}

interface DecisionState {
  /** Approvals given in this run so far. */
  readonly approvals: number
  /** Operations, as `operationOf` names them, that were approved on the base branch. */
  readonly learned?: ReadonlySet<string>
}

/** What is answered. Source: spec opencode-evals A.3; of the smart rules the first that fits decides. */
export function decide(policy: ApprovalPolicy, request: ApprovalRequest, state: DecisionState): Decision {
  switch (policy.kind) {
    case 'approve':
      return { approved: true, because: 'everything is approved' }
    case 'deny':
      return { approved: false, because: 'everything is denied' }
    case 'smart':
      return decideSmartly(policy, request, state)
  }
}

function decideSmartly(policy: SmartApproval, request: ApprovalRequest, state: DecisionState): Decision {
  const { maxApprovals, deniedTools, allowedTools, denyPatterns, approvePatterns, learn, defaultDecision } = policy
  const names = [request.tool, request.permission]
  if (maxApprovals !== undefined && state.approvals >= maxApprovals)
    return { approved: false, because: `${maxApprovals} approvals are the most` }
  const denied = deniedTools.find((tool) => names.includes(tool))
  if (denied !== undefined) return { approved: false, because: `the tool ${denied} is denied` }
  const allowed = allowedTools.find((tool) => names.includes(tool))
  if (allowed !== undefined) return { approved: true, because: `the tool ${allowed} is allowed` }
  const texts = textsOf(request)
  const deny = denyPatterns.find((pattern) => texts.some((text) => compilePattern(pattern).test(text)))
  if (deny !== undefined) return { approved: false, because: `it matches the deny pattern ${deny}` }
  const approve = approvedBy(approvePatterns, request)
  if (approve !== undefined) return { approved: true, because: `it matches the approve pattern ${approve}` }
  if (learn && state.learned?.has(operationOf(request)) === true)
    return { approved: true, because: 'the same operation was approved on the base branch' }
  return { approved: defaultDecision, because: `by default it is ${defaultDecision ? 'approved' : 'denied'}` }
}

/** Every part must match: in `npm test && rm -rf .` an approved first command does not cover the second. */
function approvedBy(patterns: readonly string[], request: ApprovalRequest): string | undefined {
  const matching = (text: string) => patterns.find((pattern) => compilePattern(pattern).test(text))
  if (request.patterns.length === 0)
    return textsOf(request)
      .map(matching)
      .find((found) => found !== undefined)
  const found = request.patterns.map(matching)
  return found.every((pattern) => pattern !== undefined) ? found[0] : undefined
}

function textsOf({ title, patterns, metadata }: ApprovalRequest): string[] {
  return [...(title === undefined ? [] : [title]), ...patterns, ...textsIn(metadata)]
}

function textsIn(value: Json): string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap((item: Json) => textsIn(item))
  return isJsonObject(value) ? Object.values(value).flatMap(textsIn) : []
}

/** One name for the same operation in every run. */
export function operationOf({ permission, patterns }: Pick<ApprovalRequest, 'permission' | 'patterns'>): string {
  return sortedJson([permission, [...patterns].sort()])
}

/** Nobody teaches an agent more by one case, and a hostile run may ask for any number. */
const MOST_OPERATIONS = 500
const LONGEST_OPERATION = 4_000

/** The operations that had leave in a run, as `operationOf` names them: what later runs may learn. */
export function approvedOperations(trace: Trace): string[] {
  const approved = new Set(eventsOf(trace, 'approval_response').flatMap((event) => (event.approved ? [event.id] : [])))
  const operations = eventsOf(trace, 'approval_request').flatMap(({ id, parameters }) => {
    if (!approved.has(id) || !isJsonObject(parameters)) return []
    const { permission, patterns } = parameters
    const isKnown = typeof permission === 'string' && Array.isArray(patterns)
    return isKnown ? [operationOf({ permission, patterns: patterns.filter((one) => typeof one === 'string') })] : []
  })
  return [...new Set(operations)].filter(({ length }) => length <= LONGEST_OPERATION).slice(0, MOST_OPERATIONS)
}
