import type { KindConfig } from '../core/kind.ts'
import type { AskedAgent } from './assertion.ts'
import { assertions } from './registry.ts'

/** An agent that an assertion asks. */
export interface AskedAt extends AskedAgent {
  /** Position of the assertion in its list. */
  readonly index: number
}

/** The agents that these assertions ask. */
export function askedAgents(configs: readonly KindConfig[]): AskedAt[] {
  return configs.flatMap((config, index) => {
    const asked = assertions.get(config.type)?.asked?.(config)
    return asked ? [{ ...asked, index }] : []
  })
}
