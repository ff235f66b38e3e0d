import { createHash } from 'node:crypto'
import { type DefaultTreeAdapterTypes, parse } from 'parse5'
import type { Report } from '../../src/core/report.ts'
import type { PageCase, PageFacts } from '../../src/render/html/page-data.ts'
import { type HtmlSource, renderHtml } from '../../src/render/index.ts'
import { elementsOf, textContent } from './markdown.ts'

type Element = DefaultTreeAdapterTypes.Element

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64')
}

/** The whole page as one text. */
export async function htmlOf(report: Report, source: Partial<HtmlSource> = {}): Promise<string> {
  let text = ''
  for await (const piece of renderHtml(report, { digest: sha256, ...source })) text += piece
  return text
}

/** Every element of a page, in order; `only` by tag. */
export function allElements(html: string, only?: string): Element[] {
  const root = parse(html).childNodes.find((node): node is Element => 'tagName' in node)
  const all = root ? elementsOf(root) : []
  return only === undefined ? all : all.filter(({ tagName }) => tagName === only)
}

export function attribute({ attrs }: Element, name: string): string | undefined {
  return attrs.find((one) => one.name === name)?.value
}

/** Words of the elements with this class, blanks joined. */
export function textsOf(html: string, className: string): string[] {
  const found = allElements(html).filter((one) => attribute(one, 'class')?.split(' ').includes(className))
  return found.map((one) => textContent(one).replace(/\s+/g, ' ').trim())
}

/** What the page's script reads. */
export function dataOf(html: string): { readonly facts: PageFacts; readonly cases: readonly PageCase[] } {
  const scripts = allElements(html, 'script')
  const facts = scripts.find((one) => attribute(one, 'id') === 'facts')
  const blocks = scripts.filter((one) => attribute(one, 'data-cases') !== undefined)
  return {
    facts: JSON.parse(facts ? textContent(facts) : '') as PageFacts,
    cases: blocks.flatMap((block) => JSON.parse(textContent(block)) as PageCase[]),
  }
}
