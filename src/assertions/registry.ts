import { registry } from '../core/kind.ts'
import * as all from './all.ts'
import type { AssertionKind } from './assertion.ts'

export const assertions = registry<AssertionKind>(Object.values(all))
