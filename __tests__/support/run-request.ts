import { resolveIdentity } from '../../src/core/identity.ts'
import type { EmittedEvent } from '../../src/core/trace.ts'
import type { RunRequest, Target } from '../../src/targets/target.ts'
import { aCase } from './builders.ts'

/** The first run of one case by the default identity, without a time limit. */
export function runRequest(overrides: Partial<RunRequest> = {}): RunRequest {
  const item = overrides.case ?? aCase()
  return {
    case: item,
    run: 1,
    identity: resolveIdentity({ flags: {}, case: item }),
    options: item.options,
    signal: new AbortController().signal,
    ...overrides,
  }
}

/** Everything a run yields, and what it threw at the end. */
export async function collect(
  target: Target,
  overrides: Partial<RunRequest> = {},
): Promise<{ readonly events: readonly EmittedEvent[]; readonly error?: unknown }> {
  const events: EmittedEvent[] = []
  try {
    for await (const event of target.execute(runRequest(overrides))) events.push(event)
    return { events }
  } catch (error) {
    return { events, error }
  }
}
