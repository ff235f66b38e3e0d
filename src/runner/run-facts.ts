import type { Prices } from '../core/budget.ts'
import type { RunResult } from '../core/result.ts'
import { type Trace, type TraceEvent, usageOf } from '../core/trace.ts'
import { stepsOf } from './steps.ts'

/** What a run used and how it went, as far as its trace says. */
type RunFacts = Pick<RunResult, 'usage' | 'answeredModel' | 'turns' | 'steps'>

export function factsOf(trace: Trace, prices: Prices | undefined): RunFacts {
  const usage = usageOf(trace, prices)
  const answers = rootEvents(trace, ['usage'])
  const model = modelsOf(answers) ?? modelsOf(rootEvents(trace, ['assistant_message', 'tool_call']))
  return {
    ...(usage === undefined ? {} : { usage }),
    ...(model === undefined ? {} : { answeredModel: model }),
    // Models tell what they used once with each answer.
    ...(answers.length === 0 ? {} : { turns: answers.length }),
    steps: stepsOf(trace),
  }
}

/** Of the session that was prompted: what it delegates may end in any order. */
function rootEvents({ events }: Trace, types: readonly TraceEvent['type'][]): TraceEvent[] {
  return events.filter(({ type, session }) => types.includes(type) && (session === undefined || session.depth === 0))
}

function modelsOf(events: readonly TraceEvent[]): string | undefined {
  const models = new Set(events.flatMap(({ model = '' }) => (model === '' ? [] : [model])))
  return models.size === 0 ? undefined : [...models].join(', ')
}
