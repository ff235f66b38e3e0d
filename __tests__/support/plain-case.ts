import type { Case } from '../../src/core/suite.ts'

/** A loaded case as a plain object: most of a packed one is computed, and equality looks at own members only. */
export function plainCase(item: Case): Case {
  const { key, id, suite, location, input, messages, assertions, options, metadata, fingerprint } = item
  const { user, team, timeoutMs, conversation, session, evaluations, tags, skip } = item
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
    ...(conversation === undefined ? {} : { conversation }),
    ...(session === undefined ? {} : { session }),
    ...(evaluations === undefined ? {} : { evaluations }),
    ...(tags === undefined ? {} : { tags }),
    ...(skip === undefined ? {} : { skip }),
  }
}
