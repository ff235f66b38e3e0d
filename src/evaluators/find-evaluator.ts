import type { Means } from '../core/means.ts'
import { customWith } from './custom.ts'
import type { FindEvaluator } from './evaluate.ts'
import { evaluators } from './registry.ts'

/** Evaluators by their type, with what those of the author's own are called by. */
export function evaluatorsWith({ plugin }: Pick<Means, 'plugin'>): FindEvaluator {
  const custom = customWith(plugin)
  return (type) => (type === custom.type ? custom : evaluators.get(type))
}
