import type { Problem, Refusal } from '../core/errors.ts'
import { cut, inlineText } from '../lib/escape.ts'
import { VERSION } from '../version.ts'
import { code, link, type ReportLinks } from './links.ts'
import type { Section } from './sections.ts'
import type { Alert } from './verdict-line.ts'
import { plural } from './words.ts'

interface ProblemsOptions {
  readonly heading: string
  readonly links?: ReportLinks
  readonly chars: number
}

/** How a refusal is headed: two words, the rest of the sentence, and what it means for the gate. */
export function refusalOf(refusal: Refusal): RefusalWords {
  switch (refusal.cause) {
    case 'mistakes': {
      const text = `${plural(refusal.problems.length, 'mistake')} in the suites or settings; nothing was called`
      return { alert: 'WARNING', title: 'Not run', text, gate: 'The gate is closed.' }
    }
    case 'bug': {
      const text = 'agent-test itself failed, so nothing is proven'
      return { alert: 'WARNING', title: 'Broke off', text, gate: 'The gate is closed.' }
    }
    case 'no_secrets': {
      const text = `GitHub gives ${ORIGINS[refusal.origin]} no secrets, and these tests need some; nothing was called`
      return { alert: 'NOTE', title: 'Skipped', text, gate: 'Nothing is proven, and the gate is open.' }
    }
  }
}

interface RefusalWords {
  readonly alert: Alert
  readonly title: string
  readonly text: string
  readonly gate: string
}

const ORIGINS = { fork: 'a pull request from a fork', dependabot: 'a run that Dependabot started' } as const

/** What can be done where secrets are withheld, in Markdown. */
const ADVICE = {
  fork: 'A maintainer can test it by pushing its commits to a branch of this repository.',
  dependabot: 'Dependabot has secrets of its own: add them under Settings, Secrets and variables, Dependabot.',
} as const

/** Why there is no verdict, for the check run and the job summary; always within `chars`. */
export function renderProblems(refusal: Refusal, { heading, links = {}, chars }: ProblemsOptions): string {
  const { alert } = refusalOf(refusal)
  const head = `### ${inlineText(heading)}\n\n> [!${alert}]\n> ${lineOf(refusal)}\n`
  return cut(`${head}\n${bodyOf(refusal, links, chars - head.length - 1)}`, chars)
}

/** The same as one section of a comment. */
export function problemsSection(refusal: Refusal, { heading, links = {}, chars }: ProblemsOptions): Section {
  const { alert } = refusalOf(refusal)
  return { title: heading, alert, line: lineOf(refusal), body: bodyOf(refusal, links, chars).trim() }
}

function lineOf(refusal: Refusal): string {
  const { title, text, gate } = refusalOf(refusal)
  return `**${title}:** ${text}. ${gate}`
}

function bodyOf(refusal: Refusal, links: ReportLinks, chars: number): string {
  const advice = refusal.cause === 'no_secrets' ? adviceFor(refusal.origin) : ''
  const foot = `${advice}\n${footer(links)}\n`
  const lines = refusal.problems.map((problem) => itemOf(problem, links))
  const shown: string[] = []
  let room = chars - foot.length - 80
  for (const line of lines) {
    room -= line.length + 1
    if (room < 0) break
    shown.push(line)
  }
  const left = lines.length - shown.length
  const rest = left === 0 ? [] : [`- … and ${left} more; the log lists them all`]
  return cut([...shown, ...rest, foot].join('\n'), chars)
}

function adviceFor(origin: keyof typeof ADVICE): string {
  const recorded = 'Recorded answers need no secrets: record a cassette with `--record`, commit it, and test with it.'
  return `\n${recorded} ${ADVICE[origin]}\n`
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
