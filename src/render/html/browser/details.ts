import type { PageCase, PageCheck, PageFacts, PageRun, Titled } from '../page-data.ts'
import type { Page, PageElement, Parts } from './page.ts'

type Attributes = Readonly<Record<string, string>>

/** An element whose children are elements or text; text never becomes markup. */
export function element(
  { document }: Pick<Page, 'document'>,
  tag: string,
  attributes: Attributes,
  ...children: readonly (PageElement | string)[]
): PageElement {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  made.append(...children)
  return made
}

/** Names and values that head the details of a case. */
export function figuresOf(
  { formatDuration, formatPercent }: Pick<Parts, 'formatDuration' | 'formatPercent'>,
  { suites }: PageFacts,
  item: PageCase,
): Titled[] {
  const { suite, line, target, passed, runs, errored = 0, skipped = 0, spread, change, findings = [] } = item
  const figures: Titled[] = []
  if (suite !== undefined) figures.push(['Defined in', `${suites[suite] ?? ''}:${line ?? 1}`])
  if (target !== undefined) figures.push(['Target', target])
  if (runs > 0) {
    const failed = runs - passed - errored
    const others: [count: number, what: string][] = [
      [failed, 'failed'],
      [errored, 'errored'],
      [skipped, 'skipped'],
    ]
    const counts = others.flatMap(([count, what]) => (count > 0 ? [`${count} ${what}`] : []))
    const rate = `${passed} of ${runs} passed (${formatPercent((passed * 100) / runs)})`
    figures.push([runs === 1 ? 'Run' : 'Runs', [rate, ...counts].join(', ')])
  }
  if (item.class !== undefined) figures.push(['Stability', item.class])
  if (spread) {
    const [min, max, stddev] = spread.map(formatDuration)
    figures.push(['Time', `mean ${formatDuration(item.ms)}, min ${min}, max ${max}, std dev ${stddev}`])
  }
  if (change) {
    const points = change.points === 0 ? '' : ` (${change.points > 0 ? '+' : ''}${change.points} pp)`
    figures.push(['Baseline', `${change.kind.replace('_', ' ')}: ${change.rates}${points}`])
  }
  return [...figures, ...findings]
}

export function caseDetails(page: Page, item: PageCase): PageElement[] {
  const { parts, facts } = page
  const figures = parts
    .figuresOf(parts, facts, item)
    .map(([title, text]) =>
      parts.element(page, 'div', {}, parts.element(page, 'dt', {}, title), parts.element(page, 'dd', {}, text)),
    )
  const details = item.details ?? []
  const link = parts.element(page, 'a', { href: `#case=${encodeURIComponent(item.name)}` }, 'Link to this case')
  const made = [parts.element(page, 'dl', { class: 'figures' }, ...figures)]
  if (item.why !== undefined && details.length === 0)
    made.push(parts.element(page, 'p', { class: `why ${item.status}` }, item.why))
  for (const given of item.given ?? []) made.push(parts.sectionOf(page, given))
  const opened = parts.opensRuns(details)
  for (const [index, run] of details.entries()) made.push(parts.runDetails(page, run, opened[index] ?? false))
  if (item.shortened) {
    const words = 'Shortened, so that this file stays small: a .json or .jsonl output has the rest.'
    made.push(parts.element(page, 'p', { class: 'note' }, words))
  }
  made.push(parts.element(page, 'p', { class: 'note' }, link))
  return made
}

/** Which runs to show open: the only one, or of those that did not pass the first that ended for its reason. */
export function opensRuns(runs: readonly PageRun[]): boolean[] {
  const reasons = new Set<string>()
  return runs.map(({ status, error, checks = [] }) => {
    if (runs.length === 1) return true
    if (status === 'passed') return false
    const failed = checks.filter(({ passed }) => !passed)
    const reason = JSON.stringify([status, error, failed.map(({ name, message }) => [name, message])])
    return reasons.size < reasons.add(reason).size
  })
}

export function runDetails(page: Page, run: PageRun, isOpen: boolean): PageElement {
  const { parts } = page
  const { status, ms, note, error, sections = [], steps = [] } = run
  const checks = parts.checksOf(run)
  const about = [parts.formatDuration(ms), ...(note === undefined ? [] : [note])].join(' · ')
  const words = [parts.statusOf(page, status), parts.element(page, 'span', { class: 'about' }, about)]
  const body: PageElement[] = []
  if (error !== undefined) body.push(parts.element(page, 'p', { class: `why ${status}` }, error))
  if (checks.length > 0) {
    const list = checks.map((check) => parts.checkDetails(page, check))
    body.push(parts.element(page, 'ul', { class: 'checks' }, ...list))
  }
  for (const section of sections) body.push(parts.sectionOf(page, section))
  if (steps.length > 0) {
    const list = steps.map((step) => parts.element(page, 'li', {}, parts.sectionOf(page, step)))
    const summary = parts.element(page, 'summary', {}, `Steps (${steps.length})`)
    body.push(parts.element(page, 'details', { class: 'steps' }, summary, parts.element(page, 'ol', {}, ...list)))
  }
  return parts.element(
    page,
    'details',
    { class: 'run', ...(isOpen ? { open: '' } : {}) },
    parts.element(page, 'summary', {}, parts.element(page, 'b', {}, `Run ${run.run}`), ' ', ...words),
    ...body,
  )
}

/** Every check of a run, those that failed first. */
export function checksOf({ checks = [], held = [] }: PageRun): PageCheck[] {
  return [...checks, ...held.map(([name, message]) => ({ name, passed: true, message }))]
}

export function checkDetails(page: Page, check: PageCheck): PageElement {
  const { parts } = page
  const { name, passed, message = '', expected, got, details } = check
  const made = [
    parts.element(page, 'span', { class: `mark ${passed ? 'passed' : 'failed'}` }, passed ? 'passed' : 'failed'),
    parts.element(page, 'code', {}, name),
    parts.element(page, 'span', { class: 'message' }, message),
  ]
  const sides: PageElement[] = []
  if (expected !== undefined) sides.push(parts.sectionOf(page, ['Expected', expected], got))
  if (got !== undefined) sides.push(parts.sectionOf(page, ['Got', got], expected))
  if (sides.length > 0) made.push(parts.element(page, 'div', { class: 'sides' }, ...sides))
  if (details !== undefined) made.push(parts.sectionOf(page, ['Details', details]))
  return parts.element(page, 'li', {}, ...made)
}

/** A text under its title. Where it stands beside another one and is like it, what differs is marked. */
export function sectionOf(page: Page, [title, text]: Titled, other?: string): PageElement {
  const { parts } = page
  // A box that scrolls must be reachable by keyboard, and so needs a name.
  const box = parts.element(page, 'pre', { tabindex: '0', role: 'group', 'aria-label': title })
  const [start, end] = other === undefined ? [0, 0] : parts.commonEnds(text, other)
  const isAlike = start + end > 0 && start + end >= Math.max(text.length, other?.length ?? 0) * 0.3
  if (isAlike && start + end < text.length) {
    const differing = parts.element(page, 'mark', {}, text.slice(start, text.length - end))
    box.append(text.slice(0, start), differing, text.slice(text.length - end))
  } else box.append(text)
  const heading = parts.element(page, 'h4', {}, title)
  return parts.element(page, 'div', { class: 'section' }, heading, box)
}

/** How many characters two texts begin and end with in common, none counted twice. */
export function commonEnds(text: string, other: string): [start: number, end: number] {
  const most = Math.min(text.length, other.length)
  let start = 0
  while (start < most && text[start] === other[start]) start += 1
  let end = 0
  while (end < most - start && text.at(-1 - end) === other.at(-1 - end)) end += 1
  return [start, end]
}
