import type { CaseReport } from '../core/case-report.ts'
import type { Report } from '../core/report.ts'
import { caseDataOf } from './html/case-data.ts'
import { changesOf, headOf, metadataOf } from './html/head.ts'
import { type Markup, markup, scriptJson } from './html/markup.ts'
import type { PageCase, PageFacts, PageRun } from './html/page-data.ts'
import { listEnd, listStart, plainRow } from './html/plain-list.ts'
import { pageRun } from './html/run-data.ts'
import { pageScript } from './html/script.ts'
import { shorterRuns } from './html/shorten.ts'
import { STYLE } from './html/style.ts'
import type { CaseExtras } from './results.ts'
import { type Standpoint, standpointsOf } from './standing.ts'
import { headlineOf } from './verdict-line.ts'

/** Cases that readers without JavaScript see, and how much text there is of them. */
const PLAIN_ROWS = 200
const PLAIN_CHARS = 3_000_000
/** How large the file may become with details: 100,000 cases stay below 25 MB. */
const MOST_CHARS = 23_000_000
/** What a case takes without details. */
const ROW_CHARS = 140
/** However many cases there are, some of them are told in full. */
const LEAST_DETAILS = 2_000_000
/** Longest piece of details that is read at once. */
const BLOCK_CASES = 500

/** Where the page's contents come from besides the report. */
export interface HtmlSource {
  /** SHA-256 of a text in Base64: this folder is pure. */
  readonly digest: (text: string) => string
  /** The runs of a case in order, each as `htmlRun` made it; of what the report keeps by default. */
  readonly runsOf?: (item: CaseReport) => Promise<readonly string[]>
  readonly extrasOf?: (item: CaseReport) => CaseExtras | undefined
}

/** One run as the page's data hold it. */
export function htmlRun(run: Parameters<typeof pageRun>[0]): string {
  return scriptJson(pageRun(run))
}

/**
 * The `.html` output in pieces: one file that asks for nothing and of which nothing but its own script can run. Cases
 * are worst first, so that what had to be shortened is what matters least. Source: spec yao 5.4.
 */
export async function* renderHtml(report: Report, source: HtmlSource): AsyncGenerator<string, void, undefined> {
  const script = pageScript()
  const points = standpointsOf(report)
  const { facts, dataOf } = caseDataOf(report)
  const runsOf = source.runsOf ?? (({ runs }: CaseReport) => Promise.resolve(runs.map(htmlRun)))
  const read = async (point: Standpoint): Promise<ToldCase> => ({
    item: dataOf(point, source.extrasOf?.(point.item)),
    runs: await runsOf(point.item),
  })
  yield `${documentStart(report, script, source.digest)}${headOf(report).html}<main>\n`
  yield markup`${changesOf(report)}${listStart(report)}`.html
  yield* plainRows(report, points.slice(0, PLAIN_ROWS), { facts, read })
  yield markup`${listEnd(Math.max(0, points.length - PLAIN_ROWS))}${metadataOf(report)}`.html
  yield `</main>\n<footer>Made by agent-test; this file asks for nothing on the network.</footer>\n`
  yield `<script type="application/json" id="facts">${scriptJson(facts)}</script>\n`
  yield* caseBlocks(points, read)
  yield `<script>${script}</script>\n</body>\n</html>\n`
}

interface ToldCase {
  readonly item: PageCase
  /** JSON. */
  readonly runs: readonly string[]
}

type Read = (point: Standpoint) => Promise<ToldCase>

function documentStart(report: Report, script: string, digest: (text: string) => string): string {
  const policy = [
    "default-src 'none'",
    `script-src 'sha256-${digest(script)}'`,
    `style-src 'sha256-${digest(STYLE)}'`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
  const { title } = headlineOf(report)
  const colour = report.verdict.passed ? '1a7f37' : 'cf222e'
  const icon = `data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 8 8'><circle cx='4' cy='4' r='4' fill='%23${colour}'/></svg>`
  const head: Markup = markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${title} · Agent Test Report</title>
<link rel="icon" href="${icon}">
`
  return `${head.html}<style>${STYLE}</style>\n</head>\n<body>\n`
}

async function* plainRows(
  report: Report,
  points: readonly Standpoint[],
  { facts, read }: { readonly facts: PageFacts; readonly read: Read },
): AsyncGenerator<string, void, undefined> {
  const options = { facts, hasClass: report.runsPerCase > 1, hasChange: report.baseline.kind === 'ok' }
  let room = PLAIN_CHARS
  for (const point of points) {
    const { item, runs } = await read(point)
    const told = lengthOf(runs) <= room ? { ...item, details: runs.map(parseRun) } : { ...item, shortened: true }
    const row = plainRow(told, options).html
    room -= row.length
    yield row
  }
}

/** Every case as data, in several scripts: one alone could be longer than a text may be. */
async function* caseBlocks(points: readonly Standpoint[], read: Read): AsyncGenerator<string, void, undefined> {
  let room = Math.max(LEAST_DETAILS, MOST_CHARS - points.length * ROW_CHARS)
  for (let start = 0; start < points.length; start += BLOCK_CASES) {
    const rows: string[] = []
    for (const point of points.slice(start, start + BLOCK_CASES)) {
      const { item, runs } = await read(point)
      const row = dataRow(item, runs, room)
      room -= Math.max(0, row.length - ROW_CHARS)
      rows.push(row)
    }
    yield `<script type="application/json" data-cases>[\n${rows.join(',\n')}\n]</script>\n`
  }
}

/** The case with as much of its runs as there is room for. */
function dataRow(item: PageCase, runs: readonly string[], room: number): string {
  if (runs.length === 0) return scriptJson(item)
  if (lengthOf(runs) <= room) return withRuns(item, runs)
  const shorter = item.passed < item.runs ? shorterRuns(runs.map(parseRun), room) : []
  const { given: _given, ...rest } = item
  return withRuns({ ...rest, shortened: true }, shorter.map(scriptJson))
}

/** Runs are JSON already: read only to be cut. */
function withRuns(item: PageCase, runs: readonly string[]): string {
  const row = scriptJson(item)
  return runs.length === 0 ? row : `${row.slice(0, -1)},"details":[${runs.join(',')}]}`
}

function lengthOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.length, 0)
}

function parseRun(json: string): PageRun {
  return JSON.parse(json) as PageRun
}
