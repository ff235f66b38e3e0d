import { basename, dirname, extname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { problemsError, UserError } from '../core/errors.ts'
import type { Host } from '../core/host.ts'
import { redactDeep } from '../core/redact.ts'
import { plainText } from '../lib/escape.ts'
import { distinctFileNames } from '../lib/file-name.ts'
import { renderCasePage } from '../render/index.ts'
import { VERSION } from '../version.ts'
import type { Command } from './command.ts'
import { openReport } from './extract/open-report.ts'
import { pageOf } from './extract/page.ts'
import type { ResultRow } from './extract/rows.ts'
import { type Destination, prepareFolder } from './extract/write-files.ts'
import { flagProblems } from './flag-problems.ts'
import { printUserError } from './print-user-error.ts'

const HELP = `Usage: agent-test extract REPORT [-o DIR] [--format markdown|json]

Writes a file for each result of a .json or .jsonl report, of agent-test or of Yao.

Options:
  -o, --output DIR       Folder of the files (default: beside the report, with its name)
      --format FORMAT    markdown, json (default: markdown)

Files of an earlier extraction in the folder are replaced; others are never written over.
`

/** What the files of a format begin with, so that they are known again. */
const FORMATS = {
  markdown: { extension: '.md', mark: '<!-- extracted by agent-test -->\n' },
  json: { extension: '.json', mark: '{\n  "extracted_by": "agent-test' },
} as const
type Format = keyof typeof FORMATS

const FORMAT_NAMES = Object.keys(FORMATS) as Format[]

/** `agent-test extract REPORT`: one file for each result. Exits 0 when all were written, else 1. */
export const extract: Command = {
  name: 'extract',
  help: HELP,
  async run(args, host) {
    try {
      const { report, folder, format } = parse(args, host)
      const count = await extractAll(report, folder, { format, host })
      host.print(plainText(`${count} ${count === 1 ? 'file' : 'files'} in ${folder.shown}`))
      host.print('\n')
      return 0
    } catch (error) {
      if (!(error instanceof UserError)) throw error
      printUserError(error, host)
      return 1
    }
  },
}

interface Settings {
  /** As the user wrote it. */
  readonly report: string
  readonly folder: Destination
  readonly format: Format
}

const FLAGS = { output: { type: 'string', short: 'o' }, format: { type: 'string' } } as const

function parse(args: readonly string[], host: Host): Settings {
  const { values, positionals, tokens } = parseArgs({
    args: [...args],
    options: FLAGS,
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  const problems = tokens.flatMap((token) => (token.kind === 'option' ? flagProblems(token, FLAGS, 'extract') : []))
  const [report = '', ...more] = positionals
  if (report === '') problems.push({ message: 'expected a report', hint: 'agent-test extract REPORT' })
  for (const extra of more) problems.push({ message: `unexpected argument ${JSON.stringify(extra)}` })
  const written = typeof values.format === 'string' ? values.format : 'markdown'
  const format = FORMAT_NAMES.find((name) => name === written)
  if (format === undefined && written !== '') {
    const message = `expected ${FORMAT_NAMES.join(' or ')}, got ${JSON.stringify(written)}`
    problems.push({ field: '--format', message })
  }
  if (problems.length > 0 || format === undefined) throw problemsError('INVALID_OPTIONS', problems)
  const shown = typeof values.output === 'string' ? values.output : besideOf(report)
  return { report, folder: { shown, path: resolve(host.cwd, shown) }, format }
}

/** `tests/report.json` gives `tests/report`; a file without extension cannot lend its name to a folder. */
function besideOf(report: string): string {
  const extension = extname(report)
  return extension === '' ? `${report}-results` : join(dirname(report), basename(report, extension))
}

async function extractAll(
  shown: string,
  folder: Destination,
  { format, host }: { readonly format: Format; readonly host: Host },
): Promise<number> {
  const report = await openReport(resolve(host.cwd, shown), shown)
  try {
    const { results } = report
    if (results.length === 0) {
      throw problemsError('INVALID_OPTIONS', [{ file: shown, message: 'holds no result: there is nothing to extract' }])
    }
    const wanted = results.map(({ id, suite }) => ({ name: id, longName: suite === '' ? id : `${suite}-${id}` }))
    const names = distinctFileNames(wanted, FORMATS[format].extension)
    const marks = FORMAT_NAMES.map((name) => FORMATS[name].mark)
    const { write } = await prepareFolder(folder, { names, marks })
    for (const [index, result] of results.entries()) {
      // Yao's own reports are not redacted.
      const row = redactDeep({ ...(await result.read()), id: result.id }, host.secrets)
      await write(
        names[index] ?? '',
        format === 'json' ? jsonPage(row) : `${FORMATS.markdown.mark}${renderCasePage(pageOf(row))}`,
      )
    }
    return results.length
  } finally {
    await report.close()
  }
}

function jsonPage(row: ResultRow): string {
  const { extracted_by: _mark, ...rest } = row
  return `${JSON.stringify({ extracted_by: `agent-test ${VERSION}`, ...rest }, null, 2)}\n`
}
