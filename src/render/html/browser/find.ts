import type { PageCase } from '../page-data.ts'
import type { Page } from './page.ts'

/** Groups that a case is in, by the names of the filters. */
export function groupsOf({ status, change, passed, runs }: PageCase): string[] {
  const groups: string[] = ['all', status]
  if (change) groups.push(change.kind)
  if (passed > 0 && passed < runs) groups.push('flaky')
  return groups
}

/** Every text in a value, whatever its shape. */
export function textsIn(page: Pick<Page, 'parts'>, value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap((member) => page.parts.textsIn(page, member))
}

/** Positions of the cases that fit filter, suite and search, as they are to be shown. */
export function findCases(page: Page): number[] {
  const { cases, facts, texts, parts, view } = page
  const found: number[] = []
  for (const [index, item] of cases.entries()) {
    if (!parts.groupsOf(item).includes(view.filter)) continue
    if (view.suite !== '' && String(item.suite) !== view.suite) continue
    if (view.words.length > 0) {
      const suite = item.suite === undefined ? '' : facts.suites[item.suite]
      texts[index] ??= [suite, ...parts.textsIn(page, item)].join('\n').toLowerCase()
      const text = texts[index]
      if (!view.words.every((word) => text.includes(word))) continue
    }
    found.push(index)
  }
  return parts.sortCases(page, found)
}

/** The data come worst first, so that the status needs no comparing. */
export function sortCases({ cases, view }: Page, found: number[]): number[] {
  const { sortBy, descending } = view
  if (sortBy === 'status') return descending ? found.reverse() : found
  const names = new Intl.Collator('en', { numeric: true })
  const rate = (item: PageCase) => (item.runs === 0 ? -1 : item.passed / item.runs)
  const compare = (left: PageCase, right: PageCase): number => {
    switch (sortBy) {
      case 'case':
        return names.compare(left.name, right.name)
      case 'passed':
        return rate(left) - rate(right)
      case 'change':
        return (left.change?.points ?? 0) - (right.change?.points ?? 0)
      case 'time':
        return left.ms - right.ms
    }
  }
  const sign = descending ? -1 : 1
  return found.sort((left, right) => {
    const [one, other] = [cases[left], cases[right]]
    return one && other ? sign * compare(one, other) || left - right : 0
  })
}
