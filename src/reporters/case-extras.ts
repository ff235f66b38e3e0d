import type { Case } from '../core/suite.ts'
import type { CaseExtras } from '../render/index.ts'

export type CaseExtrasByKey = ReadonlyMap<string, CaseExtras>

/** What records say beside their input, of those that say something: reports do not keep it. */
export function collectExtras(cases: readonly Case[]): CaseExtrasByKey {
  const extras = new Map<string, CaseExtras>()
  for (const { key, options, metadata } of cases) {
    const hasOptions = Object.keys(options).length > 0
    const hasMetadata = Object.keys(metadata).length > 0
    if (hasOptions || hasMetadata)
      extras.set(key, { ...(hasOptions ? { options } : {}), ...(hasMetadata ? { metadata } : {}) })
  }
  return extras
}
