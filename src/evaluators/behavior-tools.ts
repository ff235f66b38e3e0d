import type { BehaviorSettings } from './behavior-settings.ts'
import { dedicatedToolFor } from './dedicated-tools.ts'
import type { Inspection } from './evaluator.ts'
import { inspect } from './inspect.ts'
import { describeCall, isCallOf, isShell, type Placed, type ToolCall } from './tools.ts'

type Calls = readonly Placed<ToolCall>[]

/** What is asked of the tools, in the order of the public suites' checks; an empty list asks nothing. */
export function toolInspections(settings: BehaviorSettings, calls: Calls): Inspection[] {
  const { mustUseTools, mustUseAnyOf, mustNotUseTools, minToolCalls, maxToolCalls } = settings
  const used = (name: string) => calls.some(({ event }) => isCallOf(event, name))
  const unused = mustUseTools
    .filter((name) => !used(name))
    .map((name) => `the tool ${JSON.stringify(name)} was not used`)
  const isAnySetUsed = mustUseAnyOf.some((set) => set.every(used))
  const sets = mustUseAnyOf.map((set) => set.join(' + ')).join(' or ')
  const forbidden = mustNotUseTools.filter(used).map((name) => `the tool ${JSON.stringify(name)} was used`)
  const count = calls.length
  const few =
    minToolCalls !== undefined && count < minToolCalls ? [`${count} tool calls, expected at least ${minToolCalls}`] : []
  const many =
    maxToolCalls !== undefined && count > maxToolCalls ? [`${count} tool calls, expected at most ${maxToolCalls}`] : []
  return [
    ...(mustUseTools.length === 0 ? [] : [inspect('must-use-tools', 100, 'missing-required-tool', unused)]),
    ...(mustUseAnyOf.length === 0
      ? []
      : [
          inspect(
            'must-use-any-of',
            100,
            'missing-required-tool-set',
            isAnySetUsed ? [] : [`none of these was used whole: ${sets}`],
          ),
        ]),
    ...(mustNotUseTools.length === 0 ? [] : [inspect('must-not-use-tools', 100, 'forbidden-tool-used', forbidden)]),
    ...(minToolCalls === undefined ? [] : [inspect('min-tool-calls', 50, 'insufficient-tool-calls', few)]),
    ...(maxToolCalls === undefined ? [] : [inspect('max-tool-calls', 50, 'excessive-tool-calls', many)]),
    ...orderInspections(settings, calls),
    ...dedicatedInspections(settings, calls),
  ]
}

function orderInspections({ mustUseInOrder, mustNotUseInFirstN: early }: BehaviorSettings, calls: Calls): Inspection[] {
  const broken = mustUseInOrder.flatMap((order) => {
    const missing = firstMissing(order, calls)
    return missing === undefined
      ? []
      : [`expected ${order.join(', then ')}, but no ${JSON.stringify(missing)} came in its turn`]
  })
  const first = early ? calls.slice(0, early.n) : []
  const tooEarly = (early?.tools ?? []).flatMap((name) => {
    const at = first.findIndex(({ event }) => isCallOf(event, name))
    return at === -1
      ? []
      : [`the tool ${JSON.stringify(name)} was call ${at + 1}, expected not among the first ${early?.n}`]
  })
  return [
    ...(mustUseInOrder.length === 0 ? [] : [inspect('must-use-in-order', 100, 'tools-out-of-order', broken)]),
    ...(early ? [inspect('must-not-use-in-first', 100, 'tool-used-too-early', tooEarly)] : []),
  ]
}

/** The first name of the order that no call has after those before it. */
function firstMissing(order: readonly string[], calls: Calls): string | undefined {
  let at = 0
  for (const { event } of calls) {
    if (at < order.length && isCallOf(event, order[at] ?? '')) at += 1
  }
  return order[at]
}

function dedicatedInspections({ mustUseDedicatedTools }: BehaviorSettings, calls: Calls): Inspection[] {
  if (!mustUseDedicatedTools) return []
  const messages = calls.flatMap(({ event }) => {
    const better = isShell(event) ? dedicatedToolFor(event) : undefined
    return better ? [`${describeCall(event)} does what the tool "${better.tool}" is for`] : []
  })
  return [inspect('must-use-dedicated-tools', 50, 'bash-instead-of-dedicated-tool', messages)]
}
