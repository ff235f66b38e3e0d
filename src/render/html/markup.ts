import { escapeHtml, terminalBlock } from '../../lib/escape.ts'

/** HTML that is safe as it stands. Only `markup` makes it. */
export interface Markup {
  readonly html: string
}

type Part = string | number | Markup | undefined | readonly Part[]

/**
 * Tag of templates of HTML: whatever is put into them is text, in an element as well as in a quoted attribute, without
 * control and direction-changing characters. Only what came of another template stays HTML.
 */
export function markup(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  const pieces = parts.map((part, index) => `${htmlOf(part)}${strings[index + 1] ?? ''}`)
  return { html: `${strings[0] ?? ''}${pieces.join('')}` }
}

function htmlOf(part: Part): string {
  if (part === undefined) return ''
  if (typeof part === 'string') return escapeHtml(terminalBlock(part))
  if (typeof part === 'number') return String(part)
  return isMarkup(part) ? part.html : part.map(htmlOf).join('')
}

function isMarkup(part: Markup | readonly Part[]): part is Markup {
  return 'html' in part
}

/** JSON for a `<script type="application/json">`: nothing in it can end the element. */
export function scriptJson(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c')
}
