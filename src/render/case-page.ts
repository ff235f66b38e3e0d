import type { Json } from '../core/json.ts'
import { fencedBlock, inlineText } from '../lib/escape.ts'
import { code } from './links.ts'
import { blocks, table } from './table.ts'
import { jsonText } from './words.ts'

/** One result of a report, as a page shows it; what the report does not tell is absent. */
export interface CasePage {
  readonly id: string
  readonly status?: string
  /** Names and values for the table at the top, in order. */
  readonly figures: readonly (readonly [name: string, value: string])[]
  readonly error?: string
  /** What was asked and with what: each under its name. */
  readonly given: readonly (readonly [name: string, value: Json])[]
  /** One, without a number, where the case was run once. */
  readonly runs: readonly RunPage[]
}

export interface RunPage {
  readonly number?: number
  readonly status?: string
  readonly durationMs?: number
  readonly error?: string
  readonly output?: Json
  readonly assertions: readonly AssertionLine[]
  readonly trace: readonly TraceLine[]
}

interface AssertionLine {
  readonly type: string
  readonly passed: boolean
  readonly message: string
}

interface TraceLine {
  readonly type: string
  readonly data: Json
}

const ICONS: Readonly<Record<string, string>> = {
  passed: '✅',
  failed: '❌',
  error: '💥',
  timeout: '⏱️',
}

/** A page for people, whole: nothing is left out. All of it is text of agents and suites, and made inert. */
export function renderCasePage({ id, status, figures, error, given, runs }: CasePage): string {
  const [only] = runs
  const isRunOnce = runs.length === 1 && only?.number === undefined
  const parts = [
    `# ${titled(code(id), status)}`,
    figures.length === 0 ? undefined : figureTable(figures),
    error === undefined ? undefined : `**Error:** ${inlineText(error)}`,
    ...given.map(([name, value]) => `## ${name}\n\n${quoted(value)}`),
    ...(isRunOnce && only ? [...runParts(only, '##')] : runs.flatMap(runSection)),
  ]
  return `${blocks(...parts)}\n`
}

function titled(name: string, status: string | undefined): string {
  if (status === undefined) return name
  const icon = Object.hasOwn(ICONS, status) ? `${ICONS[status]} ` : ''
  return `${icon}${name} - ${inlineText(status)}`
}

function figureTable(figures: CasePage['figures']): string {
  return table(
    [{ title: 'Figure' }, { title: 'Value' }],
    figures.map(([name, value]) => [name, inlineText(value)]),
  )
}

function runSection(run: RunPage, index: number): string[] {
  const { number = index + 1, durationMs, error } = run
  const time = durationMs === undefined ? '' : ` (${Math.round(durationMs)}ms)`
  return [
    `## ${titled(`Run ${number}`, run.status)}${time}`,
    ...(error === undefined ? [] : [`**Error:** ${inlineText(error)}`]),
    ...runParts(run, '###'),
  ]
}

function runParts({ output, assertions, trace }: RunPage, level: '##' | '###'): string[] {
  const lines = assertions.map(({ type, passed, message }) => {
    return `- ${passed ? ICONS['passed'] : ICONS['failed']} ${code(type)}${message === '' ? '' : `: ${inlineText(message)}`}`
  })
  const events = trace.map(({ type, data }) => `${code(type)}\n\n${quoted(data)}`)
  return [
    ...(output === undefined ? [] : [`${level} Output\n\n${quoted(output)}`]),
    ...(lines.length === 0 ? [] : [`${level} Assertions\n\n${lines.join('\n')}`]),
    ...(events.length === 0 ? [] : [`${level} Trace`, ...events]),
  ]
}

function quoted(value: Json): string {
  const language = typeof value === 'string' ? 'text' : 'json'
  return fencedBlock(jsonText(value), { language, maxLength: Number.POSITIVE_INFINITY })
}
