import type { CaseReport } from '../core/case-report.ts'
import type { Report } from '../core/report.ts'
import type { Location } from '../core/suite.ts'
import { inlineCode } from '../lib/escape.ts'

export interface ReportLinks {
  readonly runUrl?: string
  /** The whole report, such as the artifact of the results. */
  readonly reportUrl?: string | undefined
  /** Commit the results are of. */
  readonly headSha?: string
  readonly fileUrl?: (location: Location) => string
  /** Arguments a local re-run needs besides suite, case and runs, such as `--target` and its value. */
  readonly rerunArguments?: readonly string[]
  /** Folder of the repository that the re-run starts in; absent for its root. */
  readonly rerunFolder?: string
}

const LONGEST_NAME = 120

/** Longest id or message in a table cell. */
export function code(text: string): string {
  return inlineCode(text, { maxLength: LONGEST_NAME })
}

/** `label` is Markdown without links; plain where the address is none that a reader should follow. */
export function link(label: string, url: string | undefined): string {
  const target = url === undefined ? undefined : safeUrl(url)
  return target === undefined ? label : `[${label}](${target})`
}

/** An address in a form that can end neither the link nor a table cell; undefined for anything but http(s). */
function safeUrl(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined
  const { protocol, href } = new URL(url)
  if (protocol !== 'https:' && protocol !== 'http:') return undefined
  return href.replace(/[^\w\-./:?#=&%+@,;~]/g, (mark) => encodeURIComponent(mark).replace(/[!'()*]/g, percentEncoded))
}

function percentEncoded(mark: string): string {
  return `%${(mark.codePointAt(0) ?? 0).toString(16).toUpperCase()}`
}

/** A case's id where no other suite has the same one, else its whole key. */
export function nameOf({ cases }: Report): (key: string) => string {
  // Made when first asked for: of a large suite that passes, no case is named.
  let names: CaseNames | undefined
  return (key) => {
    names ??= collectNames(cases)
    const { uses, ids, suites } = names
    const id = ids.get(key)
    if (id !== undefined) return uses.get(id) === 1 ? id : key
    // Removed cases are known by key alone.
    const suite = suites.find((prefix) => key.startsWith(prefix))
    const rest = key.slice(suite?.length ?? 0)
    return uses.has(rest) ? key : rest
  }
}

interface CaseNames {
  /** How many cases have an id. */
  readonly uses: ReadonlyMap<string, number>
  /** By key. */
  readonly ids: ReadonlyMap<string, string>
  readonly suites: readonly string[]
}

function collectNames(cases: readonly CaseReport[]): CaseNames {
  const uses = new Map<string, number>()
  for (const { id } of cases) uses.set(id, (uses.get(id) ?? 0) + 1)
  const ids = new Map(cases.map(({ key, id }) => [key, id]))
  return { uses, ids, suites: [...new Set(cases.map(({ suite }) => `${suite}/`))] }
}

/** The case's name, linked to its line. */
export function caseLink({ key, location }: CaseReport, name: (key: string) => string, links: ReportLinks): string {
  return link(code(name(key)), links.fileUrl?.(location))
}
