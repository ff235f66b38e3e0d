import type { Case } from '../../src/core/suite.ts'

/** A loaded case as a plain object: most of a packed one is computed, and equality looks at own members only. */
export function plainCase(item: Case): Case {
  const { key, id, suite, location, input, messages, assertions, options, metadata, fingerprint } = item
  const { user, team, timeoutMs, skip } = item
  return {
    key,
    id,
    suite,
    location,
    input,
    messages,
    assertions,
    options,
    metadata,
    fingerprint,
    ...(user === undefined ? {} : { user }),
    ...(team === undefined ? {} : { team }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(skip === undefined ? {} : { skip }),
  }
}
