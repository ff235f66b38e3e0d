import type { OutsideCall } from '../../../sandbox/sandbox.ts'
import type { AgentRequest, AgentResponse } from '../agent/request.ts'
import type { AgentContext, RunScope } from '../agent/scope.ts'

/** Code that calls out, and for what request. */
export interface Caller {
  readonly scope: RunScope
  readonly context: AgentContext
  /** The assistant whose code it is. */
  readonly assistant: { readonly id: string; readonly hasSandbox: boolean }
  /** Agents and scripts from the tested agent to this code. */
  readonly trail: readonly string[]
  /** Namespaces of this request. */
  readonly memory: RunScope['memory']
  /** Lets another agent answer. */
  readonly answer: (request: AgentRequest, scope: RunScope) => Promise<AgentResponse>
  /** Answers the calls of code that this code calls. */
  readonly calls: (caller: Caller) => OutsideCall
}

/** How several requests end: all of them, the first that succeeds, or the first that ends. */
export type BatchMethod = 'All' | 'Any' | 'Race'
