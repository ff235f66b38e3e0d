import { markdownTable } from 'markdown-table'

export interface Column {
  readonly title: string
  readonly align?: 'right'
}

/** A table in GitHub's Markdown; cells are Markdown already, escaped: the library escapes nothing. */
export function table(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const head = columns.map(({ title }) => title)
  const align = columns.map((column) => column.align ?? null)
  // Aligned for a reader of the source, a table of thousands of rows would cost several times more.
  return markdownTable([head, ...rows], { align, alignDelimiters: false })
}

/** A paragraph, a table or a block more: what stands between blank lines. */
export function blocks(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== '').join('\n\n')
}

/** Closed unless told otherwise; `summary` is HTML, `body` Markdown. */
export function details(summary: string, body: string, { open = false }: { open?: boolean } = {}): string {
  return `<details${open ? ' open' : ''}><summary>${summary}</summary>\n\n${body}\n\n</details>`
}
