import { z } from 'zod'
import type { Trace } from '../core/trace.ts'
import { defineEvaluator, type Finding, type Inspection } from './evaluator.ts'
import { isRoot } from './tools.ts'

/** Who really answered. Without expectations it only says so. Source: spec opencode-evals C.11. */
export const agentModel = defineEvaluator({
  type: 'agent-model',
  schema: z.object({
    expectedAgent: z.string().min(1).optional(),
    /** `provider/model`, or the model alone. */
    expectedModel: z.string().min(1).optional(),
  }),
  violations: { 'agent-mismatch': 'error', 'model-mismatch': 'error' },
  judge({ expectedAgent, expectedModel }, trace) {
    const agents = namesOf(trace, 'agent')
    const models = namesOf(trace, 'model')
    const facts = { agents, models }
    if (expectedAgent === undefined && expectedModel === undefined) {
      return { kind: 'judged', inspections: [], informational: true, facts }
    }
    const wrongAgent = expectedAgent === undefined ? [] : mismatch('agent', expectedAgent, agents)
    const isUnknown = wrongAgent.length > 0 && models.length === 0
    const inspections: Inspection[] = []
    if (expectedAgent !== undefined) inspections.push({ name: 'agent', findings: wrongAgent })
    // Where nobody is known to have answered, that is said once.
    if (expectedModel !== undefined) {
      inspections.push({ name: 'model', findings: isUnknown ? [] : mismatch('model', expectedModel, models) })
    }
    return { kind: 'judged', inspections, facts }
  },
})

function namesOf({ events }: Trace, member: 'agent' | 'model'): string[] {
  const names = events.flatMap((event) => {
    const name = isRoot(event) && event.type !== 'user_message' ? event[member] : undefined
    return name === undefined ? [] : [name]
  })
  return [...new Set(names)]
}

function mismatch(what: 'agent' | 'model', expected: string, actual: readonly string[]): Finding[] {
  const wrong = actual.filter((name) => !isSame(what, name, expected))
  if (actual.length > 0 && wrong.length === 0) return []
  const answered =
    wrong.length === 0 ? `nothing says which ${what} answered` : `${wrong.slice(0, 5).join(', ')} answered`
  return [
    {
      type: `${what}-mismatch`,
      message: `expected the ${what} ${expected}, ${answered}`,
      evidence: { expected, actual },
    },
  ]
}

/** A model may be named without its provider on either side; a model's own name may hold slashes. */
function isSame(what: 'agent' | 'model', name: string, expected: string): boolean {
  if (name === expected) return true
  if (what === 'agent') return name.toLowerCase() === expected.toLowerCase()
  return expected.endsWith(`/${name}`) || name.endsWith(`/${expected}`)
}
