import type { PageCase, PageFacts } from '../page-data.ts'
import type { Page, PageDocument, PageElement, PageWindow, Parts, SortKey } from './page.ts'

/** Reads the data, puts the controls in place of the plain list, and shows the first cases. */
export function startPage(document: PageDocument, window: PageWindow, parts: Parts): void {
  const cases: PageCase[] = []
  for (const block of document.querySelectorAll('script[data-cases]')) {
    cases.push(...(JSON.parse(block.textContent ?? '[]') as PageCase[]))
    // Its text is kept twice otherwise.
    block.textContent = ''
  }
  const facts = JSON.parse(document.getElementById('facts')?.textContent ?? '{}') as PageFacts
  const view: Page['view'] = {
    filter: 'all',
    suite: '',
    words: [],
    sortBy: 'status',
    descending: false,
    first: 0,
    found: [],
    open: new Set(),
  }
  const page: Page = { document, window, parts, facts, cases, texts: [], view }
  if (cases[0] !== undefined && cases[0].passed < cases[0].runs) view.open.add(0)
  parts.addFilters(page)
  parts.addSuites(page)
  parts.addSearch(page)
  parts.addSorting(page)
  for (const id of ['first', 'previous', 'next', 'last']) {
    document.getElementById(id)?.addEventListener('click', () => parts.turnPage(page, id))
  }
  document.getElementById('open-all')?.addEventListener('click', () => parts.openShown(page))
  for (const part of document.querySelectorAll('.scriptless')) part.remove()
  for (const part of document.querySelectorAll('.scripted')) part.hidden = false
  parts.search(page)
  parts.openLinked(page)
  window.addEventListener('hashchange', () => parts.openLinked(page))
}

/** Finds and shows again, from the first case on. */
export function search(page: Page): void {
  page.view.found = page.parts.findCases(page)
  page.view.first = 0
  page.parts.drawList(page)
}

/** A button for each group that has cases. */
export function addFilters(page: Page): void {
  const { document, parts, cases, view } = page
  const counts = new Map<string, number>()
  for (const item of cases) for (const group of parts.groupsOf(item)) counts.set(group, (counts.get(group) ?? 0) + 1)
  const buttons = new Map<string, PageElement>()
  const choose = (filter: string) => {
    view.filter = filter
    for (const [name, button] of buttons) button.setAttribute('aria-pressed', String(name === filter))
    parts.search(page)
  }
  for (const [name, label] of parts.filterNames()) {
    const count = counts.get(name) ?? 0
    if (count === 0 && name !== 'all') continue
    const attributes = { type: 'button', class: `filter ${name}`, 'aria-pressed': String(name === 'all') }
    const amount = parts.element(page, 'span', { class: 'amount' }, count.toLocaleString('en'))
    const button = parts.element(page, 'button', attributes, label, ' ', amount)
    button.addEventListener('click', () => choose(name))
    buttons.set(name, button)
  }
  document.getElementById('filters')?.append(...buttons.values())
}

/** Worst first. */
export function filterNames(): [name: string, label: string][] {
  return [
    ['all', 'All'],
    ['regressed', 'Regressed'],
    ['failed', 'Failed'],
    ['error', 'Errored'],
    ['timeout', 'Timed out'],
    ['flaky', 'Flaky'],
    ['dropped', 'Dropped'],
    ['not_judged', 'Not judged'],
    ['improved', 'Improved'],
    ['new', 'New'],
    ['redefined', 'Redefined'],
    ['passed', 'Passed'],
    ['skipped', 'Skipped'],
    ['not_run', 'Not run'],
  ]
}

/** A choice of the suite, where there are several. */
export function addSuites(page: Page): void {
  const { document, parts, facts, view } = page
  if (facts.suites.length < 2) return
  const choice = document.getElementById('suite')
  const options = facts.suites.map((suite, index) => parts.element(page, 'option', { value: String(index) }, suite))
  choice?.append(...options)
  choice?.addEventListener('change', () => {
    view.suite = choice.value ?? ''
    parts.search(page)
  })
  if (choice?.parentElement) choice.parentElement.hidden = false
}

export function addSearch(page: Page): void {
  const { document, window, parts, view } = page
  const field = document.getElementById('search')
  let timer: number | undefined
  const start = () => {
    view.words = (field?.value ?? '')
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== '')
    parts.search(page)
  }
  field?.addEventListener('input', () => {
    window.clearTimeout(timer)
    timer = window.setTimeout(start, 120)
  })
}

/** Makes buttons of the headings: the first click sorts upwards, the next one downwards. */
export function addSorting(page: Page): void {
  const { document, parts, view } = page
  const heads = [...document.querySelectorAll('th[data-sort]')]
  for (const head of heads) {
    const key = (head.getAttribute('data-sort') ?? 'status') as SortKey
    const button = parts.element(page, 'button', { type: 'button' }, head.textContent ?? '')
    head.replaceChildren(button)
    button.addEventListener('click', () => {
      view.descending = view.sortBy === key && !view.descending
      view.sortBy = key
      for (const other of heads) {
        const direction = view.descending ? 'descending' : 'ascending'
        other.setAttribute('aria-sort', other === head ? direction : 'none')
      }
      parts.search(page)
    })
    head.setAttribute('aria-sort', key === 'status' ? 'ascending' : 'none')
  }
}

/** Opens the details of every case on this page, or closes them where all are open. */
export function openShown(page: Page): void {
  const { parts, view } = page
  const shown = view.found.slice(view.first, view.first + parts.pageSize())
  const isClosing = shown.every((index) => view.open.has(index))
  for (const index of shown) {
    if (isClosing) view.open.delete(index)
    else view.open.add(index)
  }
  parts.drawList(page)
}

/** Shows the case that the address names: `#case=` and its name. */
export function openLinked(page: Page): void {
  const { document, window, parts, cases, view } = page
  const [, name] = /^#case=(.+)$/.exec(window.location.hash) ?? []
  if (name === undefined) return
  const index = cases.findIndex((item) => encodeURIComponent(item.name) === name)
  if (index < 0) return
  // What is filtered away is shown all the same: the reader followed a link to it.
  if (!view.found.includes(index)) view.found = [index, ...view.found]
  const size = parts.pageSize()
  view.first = Math.floor(view.found.indexOf(index) / size) * size
  view.open.add(index)
  parts.drawList(page)
  const button = document.getElementById(`case-${index}`)
  button?.scrollIntoView({ block: 'start' })
  button?.focus({ preventScroll: true })
}
