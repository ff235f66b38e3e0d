import type { Problem } from '../core/errors.ts'
import { didYouMean, quote } from '../core/kind.ts'
import type { Case, Suite } from '../core/suite.ts'
import { compilePattern } from '../lib/regex.ts'

export interface SelectedCase {
  readonly item: Case
  readonly suite: Suite
}

/** The cases that `--run` and `--tag` leave: both must fit, and any of several tags. */
export function selectCases(
  suites: readonly Suite[],
  { run, tag }: { readonly run: string | undefined; readonly tag: readonly string[] },
  problems: Problem[],
): SelectedCase[] {
  const all = suites.flatMap((suite) => suite.cases.map((item) => ({ item, suite })))
  return byId(byTag(all, tag, problems), run, problems)
}

function byTag(all: readonly SelectedCase[], wanted: readonly string[], problems: Problem[]): readonly SelectedCase[] {
  if (wanted.length === 0 || all.length === 0) return all
  const known = new Set(all.flatMap(({ item }) => item.tags ?? []))
  for (const tag of wanted) {
    if (known.has(tag)) continue
    const message = `no case has the tag ${quote(tag)}`
    problems.push({ field: '--tag', message, hint: didYouMean(tag, [...known]) ?? tagHint([...known]) })
  }
  return all.filter(({ item }) => item.tags?.some((tag) => wanted.includes(tag)) ?? false)
}

function tagHint(known: readonly string[]): string {
  return known.length === 0 ? 'no case has a tag; YAML suites give them as "tags"' : `tags are ${listed(known)}`
}

function byId(cases: readonly SelectedCase[], pattern: string | undefined, problems: Problem[]): SelectedCase[] {
  if (pattern === undefined) return [...cases]
  const compiled = compilePattern(pattern)
  const selected = cases.filter(({ item }) => compiled.test(item.id))
  if (selected.length === 0 && cases.length > 0) {
    const ids = cases.map(({ item }) => item.id)
    problems.push({ field: '--run', message: `no case id matches ${quote(pattern)}`, hint: `ids are ${listed(ids)}` })
  }
  return selected
}

function listed(names: readonly string[]): string {
  return `${names.slice(0, 5).join(', ')}${names.length > 5 ? ', …' : ''}`
}
