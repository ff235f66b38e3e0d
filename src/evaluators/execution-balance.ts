import { z } from 'zod'
import { isJsonObject } from '../core/json.ts'
import { defineEvaluator, type Finding } from './evaluator.ts'
import {
  changedFiles,
  describeCall,
  isEditing,
  isExecution,
  isReading,
  isShell,
  type Placed,
  rootCallsOf,
  type ToolCall,
  wasExecuted,
} from './tools.ts'

/** The agent looks before it changes, and looks enough. Source: spec opencode-evals C.9. */
export const executionBalance = defineEvaluator({
  type: 'execution-balance',
  schema: z.object({
    /** Reads for each execution. */
    minRatio: z.number().min(0).default(1),
  }),
  violations: { 'execution-before-read': 'error', 'insufficient-read': 'warning' },
  judge({ minRatio }, trace) {
    const calls = rootCallsOf(trace).filter(({ event }) => wasExecuted(event))
    const reads = calls.filter(({ event }) => isReading(event))
    const executions = calls.filter(({ event }) => isExecution(event))
    const changes = executions.filter(({ event }) => isEditing(event))
    const facts = { readCount: reads.length, execCount: executions.length }
    if (changes.length === 0) return { kind: 'not_applicable', reason: whyNot(executions), facts }
    return {
      kind: 'judged',
      inspections: [
        { name: 'read-before-execution', weight: 50, findings: tooEarly(executions, reads) },
        { name: 'read-execution-ratio', weight: 50, findings: tooFew(executions, reads, minRatio) },
      ],
      facts,
    }
  },
})

function whyNot(executions: readonly Placed<ToolCall>[]): string {
  if (executions.length === 0) return 'nothing was executed'
  return executions.every(({ event }) => isShell(event)) ? 'only commands were run' : 'the work was left to subagents'
}

/** Who only makes new files has nothing to read, and is not held to it strictly. */
function tooEarly(executions: readonly Placed<ToolCall>[], reads: readonly Placed<ToolCall>[]): Finding[] {
  const [first] = executions
  const [firstRead] = reads
  if (!first || (firstRead && firstRead.index < first.index)) return []
  const isStrict = reads.length > 0 || changesExisting(executions)
  const message = `${describeCall(first.event)} ran before anything was read`
  const severity = isStrict ? {} : { severity: 'warning' as const }
  return [{ type: 'execution-before-read', message, timestamp: first.event.timestamp, ...severity }]
}

/** An edit needs something to edit that was not made here; a server may say of a write that the file was there. */
function changesExisting(executions: readonly Placed<ToolCall>[]): boolean {
  const made = new Set<string>()
  return executions.some(({ event }) => {
    const files = changedFiles(event)
    if (event.tool.toLowerCase() !== 'write')
      return isEditing(event) && !(files.length > 0 && files.every((file) => made.has(file)))
    for (const file of files) made.add(file)
    return isJsonObject(event.result) && event.result['exists'] === true
  })
}

function tooFew(executions: readonly Placed<ToolCall>[], reads: readonly Placed<ToolCall>[], ratio: number): Finding[] {
  if (reads.length >= ratio * executions.length) return []
  const message = `${reads.length} reads for ${executions.length} executions, expected at least ${ratio} each`
  return [{ type: 'insufficient-read', message, evidence: { reads: reads.length, executions: executions.length } }]
}
