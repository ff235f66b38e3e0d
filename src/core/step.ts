/** One tool call of a run, so that two runs can be laid side by side without what was said in them. */
export interface Step {
  readonly tool: string
  /** Hash of the parameters, sixteen hexadecimal digits; equal parameters have equal hashes. */
  readonly parameters: string
  /** The parameters for people, redacted and cut; of runs of this commit only. */
  readonly shown?: string
}

/** Where two runs part: the first step that is not the same. */
export interface Parting {
  /** From 1. */
  readonly at: number
  /** `tool`: another tool; `parameters`: the same tool with others; `extra`, `missing`: one run has no step there. */
  readonly kind: 'tool' | 'parameters' | 'extra' | 'missing'
  /** Absent where that run had ended. */
  readonly before?: Step
  readonly here?: Step
}

/** The first step at which a run here leaves the way of the base branch's; undefined where the calls are the same. */
export function firstParting(before: readonly Step[], here: readonly Step[]): Parting | undefined {
  const length = Math.max(before.length, here.length)
  for (let index = 0; index < length; index += 1) {
    const [was, is] = [before[index], here[index]]
    const at = index + 1
    if (!was && is) return { at, kind: 'extra', here: is }
    if (was && !is) return { at, kind: 'missing', before: was }
    if (!was || !is) continue
    if (was.tool !== is.tool) return { at, kind: 'tool', before: was, here: is }
    if (was.parameters !== is.parameters) return { at, kind: 'parameters', before: was, here: is }
  }
  return undefined
}
