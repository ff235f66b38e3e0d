import type { Trace } from '../core/trace.ts'
import { requestOf, type TextState, textStates } from './dialogue.ts'
import { type Permission, type Permissions, permissionsOf } from './permissions.ts'
import type { ApprovalRequest } from './requests.ts'
import { isRoot, type Placed, type ToolCall, wasCompleted, wasExecuted } from './tools.ts'
import type { Waivers } from './waivers.ts'

/** Where approval is looked for: in what is said, in the permission gate, or in either. */
export type ApprovalMode = 'text' | 'permission' | 'either'
/** `plan`: what was approved once covers the calls after it; `per-call`: every call needs its own. */
type ApprovalScope = 'plan' | 'per-call'

export interface ApprovalRule {
  readonly mode: ApprovalMode
  readonly scope: ApprovalScope
  readonly waivers?: Waivers
}

export type Approval =
  | {
      readonly kind: 'approved'
      readonly by: 'text' | 'permission' | 'waiver'
      readonly request?: ApprovalRequest
      /** It covered an earlier call already. */
      readonly isReused: boolean
    }
  | { readonly kind: 'denied'; readonly by: 'text' | 'permission'; readonly answer?: string }
  | { readonly kind: 'unanswered'; readonly request?: ApprovalRequest }
  /** `isUsedUp`: the approval before it was for another call. */
  | { readonly kind: 'unasked'; readonly isUsedUp?: boolean }
  /** The gate stopped it, or it still waited at the gate: nothing was done. */
  | { readonly kind: 'not_executed' }

/** Says of each call, in the order of the trace, whether it was approved before it ran. */
export function approvalsOf(
  trace: Trace,
  { mode, scope, waivers }: ApprovalRule,
): (call: Placed<ToolCall>) => Approval {
  const states = textStates(trace, waivers)
  const permissions = permissionsOf(trace)
  const byText = textApproval(scope)
  const isCovered = (call: Placed<ToolCall>) => scope === 'plan' && coversLater(permissions, call)
  const judged = {
    text: (call: Placed<ToolCall>) => byText(states[call.index] ?? NONE),
    permission: (call: Placed<ToolCall>) => {
      const gated = gateApproval(permissions.of(call.index))
      return gated.kind !== 'approved' && gated.kind !== 'denied' && isCovered(call) ? COVERED : gated
    },
    either: (call: Placed<ToolCall>) => {
      const gated = gateApproval(permissions.of(call.index))
      if (gated.kind === 'approved' || gated.kind === 'denied') return gated
      const said = judged.text(call)
      if (said.kind === 'approved' || said.kind === 'denied') return said
      if (isCovered(call)) return COVERED
      return said.kind === 'unasked' ? gated : said
    },
  }
  return (call) => (hasRun(call.event, permissions.of(call.index)) ? judged[mode](call) : { kind: 'not_executed' })
}

const COVERED: Approval = { kind: 'approved', by: 'permission', isReused: true }

/** A call that waits at the gate has not begun. */
function hasRun(call: ToolCall, own: Permission): boolean {
  return wasExecuted(call) && (own.kind !== 'unanswered' || wasCompleted(call))
}

function gateApproval(own: Permission): Approval {
  switch (own.kind) {
    case 'denied':
      return { kind: 'denied', by: 'permission' }
    case 'approved':
      return { kind: 'approved', by: 'permission', isReused: false }
    case 'unanswered':
      return { kind: 'unanswered' }
    case 'none':
      return { kind: 'unasked' }
  }
}

const NONE: TextState = { kind: 'none' }

function textApproval(scope: ApprovalScope): (state: TextState) => Approval {
  // Places of the answers that a call has used up.
  const used = new Set<number>()
  return (state) => {
    if (state.kind === 'none') return { kind: 'unasked' }
    if (state.kind === 'open') return { kind: 'unanswered', request: state.request }
    if (state.kind === 'denied') return { kind: 'denied', by: 'text', answer: state.answer }
    if (state.kind === 'waived') return { kind: 'approved', by: 'waiver', isReused: false }
    const isReused = used.has(state.at)
    if (isReused && scope === 'per-call') return { kind: 'unasked', isUsedUp: true }
    used.add(state.at)
    return { kind: 'approved', by: 'text', request: state.request, isReused }
  }
}

/** "Always" is answered once; and a subagent works under the approval of its task. */
function coversLater(permissions: Permissions, { event, index }: Placed<ToolCall>): boolean {
  if (permissions.wasApprovedBefore(event, index)) return true
  return !isRoot(event) && permissions.wasApprovedBefore({ ...event, tool: 'task' }, index)
}

/** Whether the agent asked for approval at all, in words or at the gate. */
export function wasApprovalAsked({ events }: Trace, mode: ApprovalMode = 'either'): boolean {
  return events.some((event) => {
    if (event.type === 'approval_request') return mode !== 'text'
    return mode !== 'permission' && isRoot(event) && requestOf(event) !== undefined
  })
}
