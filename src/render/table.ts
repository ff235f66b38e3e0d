export interface Column {
  readonly title: string
  readonly align?: 'right'
}

/** A table in GitHub's Markdown; cells are Markdown already. Joined by hand: a padded table costs several times more. */
export function table(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const head = line(columns.map(({ title }) => title))
  const rule = `|${columns.map(({ align }) => (align === 'right' ? '--:' : '---')).join('|')}|`
  return [head, rule, ...rows.map(line)].join('\n')
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}

/** A paragraph, a table or a block more: what stands between blank lines. */
export function blocks(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== '').join('\n\n')
}

/** Closed unless told otherwise; `summary` is HTML, `body` Markdown. */
export function details(summary: string, body: string, { open = false }: { open?: boolean } = {}): string {
  return `<details${open ? ' open' : ''}><summary>${summary}</summary>\n\n${body}\n\n</details>`
}
