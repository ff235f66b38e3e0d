import type { CaseStatus } from '../../../core/case-report.ts'
import type { PageCase } from '../page-data.ts'
import type { Page, PageElement } from './page.ts'

/** Cases shown at a time. */
export function pageSize(): number {
  return 100
}

/** Shows what is found, from `view.first` on, and says how much it is. */
export function drawList(page: Page): void {
  const { document, parts, view, facts } = page
  const { found, first } = view
  const shown = found.slice(first, first + parts.pageSize())
  const rows = shown.flatMap((index) => {
    const row = parts.caseRow(page, index)
    return view.open.has(index) ? [row, parts.detailsRow(page, index)] : [row]
  })
  document.getElementById('cases')?.replaceChildren(...rows)
  const words = (count: number) => count.toLocaleString('en')
  const all = `${words(facts.cases)} ${facts.cases === 1 ? 'case' : 'cases'}`
  const range = shown.length < found.length ? `, ${words(first + 1)} to ${words(first + shown.length)} shown` : ''
  const count = found.length === facts.cases ? all : `${words(found.length)} of ${all}`
  const status = document.getElementById('count')
  if (status) status.textContent = found.length === 0 ? 'No case fits. Clear the search or the filter.' : count + range
  parts.drawPager(page)
}

export function drawPager(page: Page): void {
  const { document, parts, view } = page
  const pager = document.getElementById('pager')
  if (!pager) return
  const size = parts.pageSize()
  const last = Math.max(0, Math.floor((view.found.length - 1) / size) * size)
  pager.hidden = last === 0
  const steps: [id: string, first: number][] = [
    ['first', 0],
    ['previous', view.first - size],
    ['next', view.first + size],
    ['last', last],
  ]
  for (const [id, first] of steps) {
    const isHere = first < 0 || first > last || first === view.first
    // Not `disabled`, which would take the focus away from whoever pages with the keyboard.
    document.getElementById(id)?.setAttribute('aria-disabled', String(isHere))
  }
}

/** Goes to the page that `id` names, unless it is there already. */
export function turnPage(page: Page, id: string): void {
  const { document, parts, view } = page
  if (document.getElementById(id)?.getAttribute('aria-disabled') === 'true') return
  const size = parts.pageSize()
  const last = Math.floor((view.found.length - 1) / size) * size
  const firsts: Readonly<Record<string, number>> = {
    first: 0,
    previous: view.first - size,
    next: view.first + size,
    last,
  }
  view.first = firsts[id] ?? 0
  parts.drawList(page)
  document.getElementById('list')?.scrollIntoView({ block: 'start' })
}

export function caseRow(page: Page, index: number): PageElement {
  const { parts, view, cases } = page
  const item = cases[index]
  if (!item) return parts.element(page, 'tr', {})
  const isOpen = view.open.has(index)
  const button = parts.element(
    page,
    'button',
    { type: 'button', id: `case-${index}`, 'aria-expanded': String(isOpen) },
    item.name,
  )
  const row = parts.element(page, 'tr', { class: 'case' }, ...parts.caseCells(page, item, button))
  button.addEventListener('click', () => parts.toggleCase(page, index, row))
  return row
}

export function caseCells(page: Page, item: PageCase, name: PageElement): PageElement[] {
  const { parts } = page
  const cell = (kind: string, ...children: readonly (PageElement | string)[]) =>
    parts.element(page, 'td', { class: kind }, ...children)
  const { change, runs, passed, errored = 0, about, why } = item
  const line = (type: string, text: string | undefined) =>
    text === undefined ? [] : [parts.element(page, 'span', { class: type }, text)]
  const words = change ? `${change.kind.replace('_', ' ')} ${change.rates}` : ''
  const kind = change ? `change-${change.kind}` : ''
  const dots = runs > 1 && runs <= 10 ? [parts.dotsOf(page, passed, runs - passed - errored, errored)] : []
  return [
    cell('status', parts.statusOf(page, item.status)),
    cell(
      'name',
      name,
      ...line(`narrow ${kind}`, change && words),
      ...line('about', about),
      ...line(`why ${item.status}`, why),
    ),
    cell('passed', runs === 0 ? '–' : `${passed}/${runs}`, ...dots),
    ...(parts.hasColumn(page, 'class') ? [cell('class', item.class ?? '–')] : []),
    ...(parts.hasColumn(page, 'change') ? [cell(`change ${kind}`, words)] : []),
    cell('time', runs === 0 ? '–' : parts.formatDuration(item.ms)),
  ]
}

export function hasColumn({ document }: Page, name: string): boolean {
  return document.getElementById(`column-${name}`) !== null
}

/** A square for each run, for the eye alone: the figures beside it say the same. */
export function dotsOf(page: Page, passed: number, failed: number, errored: number): PageElement {
  const { parts } = page
  const some = (count: number, status: string) =>
    Array.from({ length: count }, () => parts.element(page, 'i', { class: status }))
  const dots = [...some(passed, 'passed'), ...some(failed, 'failed'), ...some(errored, 'error')]
  return parts.element(page, 'span', { class: 'dots', 'aria-hidden': 'true' }, ...dots)
}

export function statusOf(page: Page, status: CaseStatus): PageElement {
  return page.parts.element(page, 'span', { class: `mark ${status}` }, status.replace('_', ' '))
}

export function detailsRow(page: Page, index: number): PageElement {
  const { parts, cases } = page
  const item = cases[index]
  const columns = 4 + ['class', 'change'].filter((name) => parts.hasColumn(page, name)).length
  const content = item ? parts.caseDetails(page, item) : []
  const cell = parts.element(page, 'td', { colspan: String(columns) }, ...content)
  return parts.element(page, 'tr', { class: 'more', id: `more-${index}` }, cell)
}

export function toggleCase(page: Page, index: number, row: PageElement): void {
  const { document, parts, view } = page
  const isOpen = view.open.has(index)
  if (isOpen) view.open.delete(index)
  else view.open.add(index)
  document.getElementById(`case-${index}`)?.setAttribute('aria-expanded', String(!isOpen))
  if (isOpen) document.getElementById(`more-${index}`)?.remove()
  else row.after(parts.detailsRow(page, index))
}
