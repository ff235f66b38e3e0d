import type { Problem } from '../core/errors.ts'
import { cut, inlineCode, inlineText } from '../lib/escape.ts'

/** What keeps the tests from starting, for the comment and the job summary; always within `chars`. */
export function renderProblems(
  problems: readonly Problem[],
  { heading, chars }: { readonly heading: string; readonly chars: number },
): string {
  const count = problems.length === 1 ? '1 mistake' : `${problems.length} mistakes`
  const head = [
    `### ${inlineText(heading)}`,
    '',
    '> [!WARNING]',
    `> **Not run:** ${count} in the suites or settings. Nothing was called. Gate: closed.`,
    '',
  ].join('\n')
  const lines = problems.map(itemOf)
  const shown: string[] = []
  let room = chars - head.length - 80
  for (const line of lines) {
    room -= line.length + 1
    if (room < 0) break
    shown.push(line)
  }
  const left = lines.length - shown.length
  const rest = left === 0 ? [] : [`- … and ${left} more; the log lists them all`]
  return cut([head, ...shown, ...rest, ''].join('\n'), chars)
}

function itemOf({ file, line, field, message, hint }: Problem): string {
  const where = [file, line].filter((part) => part !== undefined).join(':')
  const parts = [
    ...(where === '' ? [] : [inlineCode(where)]),
    ...(field === undefined || field === '' ? [] : [inlineCode(field)]),
    inlineText(message, { maxLength: 1_000 }),
  ]
  return `- ${parts.join(' ')}${hint === undefined ? '' : ` (${inlineText(hint, { maxLength: 1_000 })})`}`
}
