import { z } from 'zod'
import { dedicatedToolFor } from './dedicated-tools.ts'
import { defineEvaluator, type Finding, type Inspection } from './evaluator.ts'
import {
  callsOf,
  commandOf,
  describeCall,
  isDelegating,
  isEditing,
  isReading,
  isShell,
  type Placed,
  rootCallsOf,
  shortened,
  type ToolCall,
  wasExecuted,
} from './tools.ts'

/** Tools made for it are preferred to commands. Source: spec opencode-evals C.4. */
export const toolUsage = defineEvaluator({
  type: 'tool-usage',
  schema: z.object({
    /** Most looks around (glob, grep, list, read) before the first change without a task for them. */
    maxExplorationCalls: z.int().min(0).optional(),
  }),
  violations: { 'suboptimal-tool-usage': 'warning', 'exploration-without-task': 'warning' },
  judge({ maxExplorationCalls }, trace) {
    const shells = callsOf(trace).filter(({ event }) => isShell(event) && wasExecuted(event))
    const inspections: Inspection[] = shells.map((call) => ({
      name: `command-${call.event.timestamp}`,
      findings: commandFindings(call),
    }))
    if (maxExplorationCalls !== undefined) inspections.push(exploration(rootCallsOf(trace), maxExplorationCalls))
    const facts = { commands: shells.length }
    if (inspections.length === 0) return { kind: 'not_applicable', reason: 'no command was run', facts }
    return { kind: 'judged', inspections, facts }
  },
})

function commandFindings({ event }: Placed<ToolCall>): Finding[] {
  const better = dedicatedToolFor(event)
  if (!better) return []
  const { tool, severity, example } = better
  return [
    {
      type: 'suboptimal-tool-usage',
      severity,
      message: `${describeCall(event)} does with ${better.command} what the tool "${tool}" is for`,
      timestamp: event.timestamp,
      evidence: { command: shortened(commandOf(event)), suggestedTool: tool, example: shortened(example) },
    },
  ]
}

function exploration(calls: readonly Placed<ToolCall>[], most: number): Inspection {
  const firstChange = calls.findIndex(({ event }) => isEditing(event))
  const before = firstChange === -1 ? calls : calls.slice(0, firstChange)
  const looks = before.filter(({ event }) => isReading(event))
  const isDelegated = before.some(({ event }) => isDelegating(event))
  const message = `${looks.length} looks around before the first change, more than ${most}, and none was left to a task`
  const findings = looks.length > most && !isDelegated ? [{ type: 'exploration-without-task', message }] : []
  return { name: 'exploration', findings }
}
