import { registry } from '../core/kind.ts'
import * as all from './all.ts'
import type { EvaluatorKind } from './evaluator.ts'

export const evaluators = registry<EvaluatorKind>(Object.values(all))
