import type { PlannedCase } from '../runner/plan.ts'

interface Unused {
  readonly suite: string
  readonly fate: string
  readonly fields: Set<string>
}

/** One warning for each suite and each thing that becomes of its options: nobody reads one for each of 10,000 cases. */
export function unusedOptions(cases: readonly PlannedCase[]): string[] {
  const found = new Map<string, Unused>()
  for (const { item, target } of cases) {
    if (item.skip !== undefined) continue
    for (const { field, fate } of target.unusedOptions?.(item) ?? []) {
      const key = JSON.stringify([item.suite, target.label, fate])
      const known = found.get(key) ?? { suite: item.suite, fate: `${fate} (${target.label})`, fields: new Set() }
      known.fields.add(field)
      found.set(key, known)
    }
  }
  return [...found.values()].map(({ suite, fate, fields }) => `${suite}: ${[...fields].sort().join(', ')}: ${fate}`)
}
