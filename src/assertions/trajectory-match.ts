import { isCallOf, type ToolCall } from './tool-name.ts'
import { describeCall, describeStep, differenceOf, isStep, type Step } from './trajectory-step.ts'

export const TRAJECTORY_MODES = ['strict', 'unordered', 'subset', 'superset', 'in_order'] as const
export type TrajectoryMode = (typeof TRAJECTORY_MODES)[number]

type Steps = readonly Step[]
type Calls = readonly ToolCall[]

/** Where the calls first part from what is expected; undefined when they do not. */
export function partingOf(mode: TrajectoryMode, steps: Steps, calls: Calls): string | undefined {
  switch (mode) {
    case 'strict':
      return strictParting(steps, calls)
    case 'in_order':
      return orderParting(steps, calls)
    case 'superset':
      return missingStep(steps, calls)
    case 'subset':
      return unexpectedCall(steps, calls)
    case 'unordered':
      return missingStep(steps, calls) ?? unexpectedCall(steps, calls)
  }
}

function strictParting(steps: Steps, calls: Calls): string | undefined {
  for (const [index, step] of steps.entries()) {
    const call = calls[index]
    const place = `step ${index + 1} of ${steps.length}: expected ${describeStep(step)}`
    if (!call) return `${place}, but ${calls.length === 0 ? 'no tool was called' : `call ${calls.length} was the last`}`
    const difference = differenceOf(call, step)
    if (difference !== undefined) return `${place}, got ${describeCall(call)} (${difference})`
  }
  const extra = calls[steps.length]
  return extra && `call ${steps.length + 1}, ${describeCall(extra)}, comes after the ${steps.length} expected`
}

function orderParting(steps: Steps, calls: Calls): string | undefined {
  let after = 0
  for (const [index, step] of steps.entries()) {
    let at = after
    while (at < calls.length && !fits(step, calls[at])) at += 1
    if (at === calls.length) {
      const place = `step ${index + 1} of ${steps.length}: expected ${describeStep(step)}`
      const where = after === 0 ? '' : ` after call ${after}`
      return `${place}${where}, ${whyMissing(step, calls.slice(after))}`
    }
    after = at + 1
  }
  return undefined
}

function missingStep(steps: Steps, calls: Calls): string | undefined {
  const taken = assign(steps.length, calls.length, (step, call) => fits(steps[step], calls[call]))
  const index = taken.indexOf(undefined)
  const step = steps[index]
  if (!step) return undefined
  const place = `step ${index + 1} of ${steps.length}: expected ${describeStep(step)}`
  const isElsewhere = calls.some((call) => isStep(call, step))
  return isElsewhere ? `${place}, and every such call stands for another step` : `${place}, ${whyMissing(step, calls)}`
}

function unexpectedCall(steps: Steps, calls: Calls): string | undefined {
  const taken = assign(calls.length, steps.length, (call, step) => fits(steps[step], calls[call]))
  const index = taken.indexOf(undefined)
  const call = calls[index]
  if (!call) return undefined
  const place = `call ${index + 1} of ${calls.length}, ${describeCall(call)}, is not expected`
  const near = steps.find((step) => isCallOf(call, step.tool))
  if (!near) return place
  const difference = differenceOf(call, near)
  return difference === undefined ? `${place} so often` : `${place}: ${difference}`
}

function fits(step: Step | undefined, call: ToolCall | undefined): boolean {
  return step !== undefined && call !== undefined && isStep(call, step)
}

/** The nearest call says more than that there is none. */
function whyMissing(step: Step, calls: Calls): string {
  const near = calls.find((call) => isCallOf(call, step.tool))
  const difference = near && differenceOf(near, step)
  if (near && difference !== undefined) return `got ${describeCall(near)} (${difference})`
  return calls.length === 0 ? 'but no tool was called' : `but no such call was made`
}

/**
 * Gives each of `left` one of `right` of its own, as many as can be; the first that has none stays undefined. A call
 * that fits two steps must not take the one that another call needs, so earlier choices are changed where they can.
 */
function assign(left: number, right: number, isFit: (left: number, right: number) => boolean): (number | undefined)[] {
  const owner: (number | undefined)[] = Array.from({ length: right })
  const taken: (number | undefined)[] = Array.from({ length: left })
  for (let start = 0; start < left; start += 1) {
    if (!place(start, { owner, taken, right, isFit, seen: new Set() })) break
  }
  return taken
}

interface Assignment {
  readonly owner: (number | undefined)[]
  readonly taken: (number | undefined)[]
  readonly right: number
  readonly isFit: (left: number, right: number) => boolean
  readonly seen: Set<number>
}

function place(item: number, assignment: Assignment): boolean {
  const { owner, taken, right, isFit, seen } = assignment
  for (let candidate = 0; candidate < right; candidate += 1) {
    if (seen.has(candidate) || !isFit(item, candidate)) continue
    seen.add(candidate)
    const before = owner[candidate]
    if (before !== undefined && !place(before, assignment)) continue
    owner[candidate] = item
    taken[item] = candidate
    return true
  }
  return false
}
