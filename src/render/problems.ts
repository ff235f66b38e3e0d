import type { Problem, Refusal } from '../core/errors.ts'
import { cut, inlineText } from '../lib/escape.ts'
import { VERSION } from '../version.ts'
import { code, link, type ReportLinks } from './links.ts'
import { plural } from './words.ts'

interface ProblemsOptions {
  readonly heading: string
  readonly links?: ReportLinks
  readonly chars: number
}

/** Words that a refusal is headed with: two, and the rest of the sentence. */
export function refusalOf({ cause, problems }: Refusal): { readonly title: string; readonly text: string } {
  return cause === 'mistakes'
    ? { title: 'Not run', text: `${plural(problems.length, 'mistake')} in the suites or settings; nothing was called` }
    : { title: 'Broke off', text: 'agent-test itself failed, so nothing is proven' }
}

/** Why there is no verdict, for the comment, the check run and the job summary; always within `chars`. */
export function renderProblems(refusal: Refusal, { heading, links = {}, chars }: ProblemsOptions): string {
  const { title, text } = refusalOf(refusal)
  const head = `### ${inlineText(heading)}\n\n> [!WARNING]\n> **${title}:** ${text}. The gate is closed.\n`
  const foot = `\n${footer(links)}\n`
  const lines = refusal.problems.map((problem) => itemOf(problem, links))
  const shown: string[] = []
  let room = chars - head.length - foot.length - 80
  for (const line of lines) {
    room -= line.length + 1
    if (room < 0) break
    shown.push(line)
  }
  const left = lines.length - shown.length
  const rest = left === 0 ? [] : [`- … and ${left} more; the log lists them all`]
  return cut([head, ...shown, ...rest, foot].join('\n'), chars)
}

function itemOf({ file, line, field, message, hint }: Problem, { fileUrl }: ReportLinks): string {
  const where = [file, line].filter((part) => part !== undefined).join(':')
  const url = file === undefined || line === undefined ? undefined : fileUrl?.({ file, line })
  const parts = [
    ...(where === '' ? [] : [link(code(where), url)]),
    ...(field === undefined || field === '' ? [] : [code(field)]),
    inlineText(message, { maxLength: 1_000 }),
  ]
  return `- ${parts.join(' ')}${hint === undefined ? '' : ` (${inlineText(hint, { maxLength: 1_000 })})`}`
}

function footer({ runUrl, headSha }: ReportLinks): string {
  const parts = [
    runUrl === undefined ? undefined : link('Workflow run', runUrl),
    `agent-test ${VERSION}`,
    headSha === undefined ? undefined : `updated for ${code(headSha.slice(0, 7))}`,
  ]
  return `<sub>${parts.filter((part) => part !== undefined).join(' · ')}</sub>`
}
