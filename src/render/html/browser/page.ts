import type { PageCase, PageFacts } from '../page-data.ts'
import type { PARTS } from '../script.ts'

/**
 * The few members of the browser that the page uses. Those that make markup of text, such as `innerHTML`, are left out
 * on purpose.
 */
export interface PageElement {
  textContent: string | null
  hidden: boolean
  readonly value?: string
  readonly parentElement: PageElement | null
  append(...children: readonly (PageElement | string)[]): void
  after(...siblings: readonly PageElement[]): void
  replaceChildren(...children: readonly (PageElement | string)[]): void
  remove(): void
  setAttribute(name: string, value: string): void
  getAttribute(name: string): string | null
  addEventListener(type: 'click' | 'input' | 'change', listener: () => void): void
  scrollIntoView(options: { readonly block: 'nearest' | 'start' }): void
  focus(options?: { readonly preventScroll: boolean }): void
}

export interface PageDocument {
  createElement(tag: string): PageElement
  getElementById(id: string): PageElement | null
  querySelectorAll(selector: string): Iterable<PageElement>
}

export interface PageWindow {
  readonly location: { readonly hash: string }
  setTimeout(task: () => void, ms: number): number
  clearTimeout(timer: number | undefined): void
  addEventListener(type: 'hashchange', listener: () => void): void
}

export type SortKey = 'status' | 'case' | 'passed' | 'change' | 'time'

/** What the reader has chosen. */
export interface View {
  filter: string
  suite: string
  /** Lower-case words that must all be there. */
  words: readonly string[]
  sortBy: SortKey
  descending: boolean
  /** Position of the first shown case among the found ones. */
  first: number
  /** Positions of the cases that fit, in the order shown. */
  found: readonly number[]
  /** Cases with open details. */
  readonly open: Set<number>
}

/**
 * What every function of the page works on, and how it reaches the others: each function is sent to the browser as its
 * own source, where no name of this program but these is known.
 */
export interface Page {
  readonly document: PageDocument
  readonly window: PageWindow
  readonly parts: Parts
  readonly facts: PageFacts
  readonly cases: readonly PageCase[]
  /** Lower-case text of each case that was searched so far. */
  readonly texts: (string | undefined)[]
  readonly view: View
}

export type Parts = typeof PARTS
