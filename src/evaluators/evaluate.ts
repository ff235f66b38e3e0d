import type { Evaluation } from '../core/evaluation.ts'
import type { KindConfig } from '../core/kind.ts'
import type { Trace } from '../core/trace.ts'
import type { EvaluatorKind } from './evaluator.ts'
import { evaluators } from './registry.ts'

export type FindEvaluator = (type: string) => EvaluatorKind | undefined

/** Every evaluator's word on a trace, in the order of the settings; one that throws says so and hinders no other. */
export function evaluateTrace(
  trace: Trace,
  configs: readonly KindConfig[],
  find: FindEvaluator = (type) => evaluators.get(type),
): Promise<readonly Evaluation[]> {
  return Promise.all(configs.map((config) => evaluateOne(trace, config, find)))
}

async function evaluateOne(trace: Trace, config: KindConfig, find: FindEvaluator): Promise<Evaluation> {
  const kind = find(config.type)
  if (!kind) return { status: 'errored', evaluator: config.type, message: 'there is no such evaluator' }
  try {
    return await kind.evaluate(trace, config)
  } catch (error) {
    // Also a bug of ours: the others' word is worth having, and the run is errored whatever they say.
    return {
      status: 'errored',
      evaluator: config.type,
      message: error instanceof Error ? error.message : String(error),
    }
  }
}
