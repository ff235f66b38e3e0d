/**
 * The agent's own code or files are broken, or its model does what its tools cannot: evidence against the agent. The run
 * fails with one check of this name; it is not `errored`, for everything around the agent worked. Source: spec yao 11.5.
 */
export class AgentFault extends Error {
  /** What failed, as reports name it: `hook Create`, `tools`, `delegate`. */
  readonly check: string
  /** A hook that called this agent cannot go on without it: nobody may catch a call without end. */
  readonly isFinal: boolean

  constructor(check: string, message: string, { isFinal = false } = {}) {
    super(message)
    this.name = 'AgentFault'
    this.check = check
    this.isFinal = isFinal
  }
}
