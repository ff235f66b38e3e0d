import { createHash } from 'node:crypto'
import type { Case } from '../core/suite.ts'
import type { Waiver } from '../core/waiver.ts'

/**
 * Which cases had a change accepted by a committed entry, each with a hash of it: another hash on the base branch means
 * that another change was let through, and that runs from before it are no measure any more. An entry that is renewed,
 * or has expired, is the same one. Of several the nearest counts. Source: spec verdict 6.
 */
export function acceptedHashes(
  waivers: readonly Waiver[],
  cases: readonly Pick<Case, 'key' | 'id'>[],
): Record<string, string> {
  // A label is on a pull request, and never on the base branch.
  const committed = waivers.filter(({ kind, until }) => kind === 'accepted' && until !== undefined)
  if (committed.length === 0) return {}
  const hashes = new Map(committed.map((waiver) => [waiver.case, hashOf(waiver)]))
  return Object.fromEntries(
    cases.flatMap(({ key, id }) => {
      const hash = hashes.get(key) ?? hashes.get(id) ?? hashes.get('*')
      return hash === undefined ? [] : [[key, hash]]
    }),
  )
}

function hashOf({ case: named, reason }: Waiver): string {
  return createHash('sha256')
    .update(JSON.stringify([named, reason]))
    .digest('hex')
    .slice(0, 16)
}
