import { rename, stat, writeFile } from 'node:fs/promises'
import { extname, resolve } from 'node:path'
import type { Host } from '../core/host.ts'
import { resolveIdentity } from '../core/identity.ts'
import type { Json } from '../core/json.ts'
import type { Report } from '../core/report.ts'
import type { RunResult } from '../core/result.ts'
import { type Case, caseKey } from '../core/suite.ts'
import { outputOf, type TraceEvent } from '../core/trace.ts'
import { exitCodeOf } from '../core/verdict.ts'
import { plainText } from '../lib/escape.ts'
import { jsonReport } from '../render/index.ts'
import type { Target } from '../targets/target.ts'
import type { Reporter } from './reporter.ts'

interface ReporterAgentOptions {
  readonly target: Target
  /** The output file that the agent writes, as the user gave it; its built-in reporter runs before this one. */
  readonly path: string
  readonly verbose: boolean
  /** `-u` and `-t`, only when given. */
  readonly flags?: { readonly user?: string | undefined; readonly team?: string | undefined }
  readonly host: Host
  readonly timeoutMs?: number
}

const DEFAULT_TIMEOUT_MS = 300_000
const MOST_BYTES = 1024 * 1024

/**
 * `-r`: an agent that turns the results into the output file. The built-in report is written all the same: beside the
 * agent's, or in its place when the agent fails, which is a warning and no more. Source: spec yao 8.
 */
export function reporterAgent(options: ReporterAgentOptions): Reporter {
  const { target, path, host, verbose } = options
  const outputs = keepOutputs()
  return {
    name: 'reporter agent',
    onRun(result) {
      if (verbose) outputs.add(result)
    },
    async onEnd(report) {
      try {
        if (host.signal.aborted) throw new Error('the run was interrupted')
        const text = textOf(await ask(requestText(report, outputs, options), options))
        if (text === '') throw new Error('it said nothing')
        await putInPlace(resolve(host.cwd, path), host.secrets.redact(text), host)
      } catch (error) {
        const why = plainText(error instanceof Error ? error.message : String(error))
        host.log.warn(`the reporter agent failed, so ${plainText(path)} holds the built-in report: ${why}`)
      } finally {
        await target.dispose?.()
      }
    },
  }
}

/** Outputs by case and run: a report itself keeps only those of runs that did not pass. */
interface Outputs {
  add(result: RunResult): void
  of(key: string, run: number): { readonly output?: Json }
}

/** As long as there may be room for them in the message. */
function keepOutputs(): Outputs {
  const kept = new Map<string, Json>()
  let room = MOST_BYTES
  return {
    add({ key, run, output }) {
      if (room <= 0 || output === null) return
      room -= JSON.stringify(output).length
      if (room > 0) kept.set(`${run} ${key}`, output)
      else kept.clear()
    },
    of(key, run) {
      const output = kept.get(`${run} ${key}`)
      return output === undefined ? {} : { output }
    },
  }
}

/** The agent's only message: as much of the report as fits. */
function requestText(report: Report, outputs: Outputs, { path, verbose }: ReporterAgentOptions): string {
  const whole = jsonReport(report, exitCodeOf(report.verdict.exitReason, 'seed'))
  const spoken = whole.results.map((row) => withOutputs(row, outputs))
  const results = whole.results.map(({ input: _input, ...row }) => row)
  const failed = results.filter(({ pass_rate }) => pass_rate < 100)
  const bare = failed.map(({ id, suite, status, pass_rate }) => ({ id, suite, status, pass_rate }))
  const smaller = [
    { ...whole, results: spoken },
    whole,
    ...[results, failed, bare].map((rows) => ({ ...whole, results: rows })),
  ]
  const options = { verbose, include_outputs: verbose, include_inputs: verbose }
  for (const part of smaller) {
    const text = JSON.stringify({ report: part, format: formatOf(path), options })
    if (Buffer.byteLength(text) <= MOST_BYTES) return text
  }
  return JSON.stringify({ report: { summary: whole.summary, results: [] }, format: formatOf(path), options })
}

type Row = ReturnType<typeof jsonReport>['results'][number]

function withOutputs(row: Row, outputs: Outputs) {
  const key = caseKey(row.suite, row.id)
  if (!('run_details' in row)) return { ...outputs.of(key, 1), ...row }
  return { ...row, run_details: row.run_details.map((run) => ({ ...outputs.of(key, run.run), ...run })) }
}

function formatOf(path: string): 'html' | 'markdown' | 'json' {
  const extension = extname(path).toLowerCase()
  if (['.html', '.htm'].includes(extension)) return 'html'
  return ['.md', '.markdown'].includes(extension) ? 'markdown' : 'json'
}

async function ask(
  message: string,
  { target, host, flags = {}, timeoutMs = DEFAULT_TIMEOUT_MS }: ReporterAgentOptions,
): Promise<Json> {
  const item = reporterCase(message)
  const controller = new AbortController()
  const stop = () => controller.abort()
  host.signal.addEventListener('abort', stop, { once: true })
  const events: TraceEvent[] = []
  const collect = async (): Promise<void> => {
    const options = { ...item.options }
    const request = { case: item, run: 1, identity: resolveIdentity({ flags }), options, signal: controller.signal }
    for await (const event of target.execute(request)) events.push({ timestamp: host.now(), ...event })
  }
  const over = new AbortController()
  // An agent that ignores its signal must not hold up the end.
  const limit = host.sleep(timeoutMs, AbortSignal.any([over.signal, host.signal])).then(() => {
    if (!over.signal.aborted) throw new Error(host.signal.aborted ? 'the run was interrupted' : 'no answer in time')
  })
  try {
    await Promise.race([collect(), limit])
    return outputOf({ events })
  } finally {
    stop()
    over.abort()
    host.signal.removeEventListener('abort', stop)
  }
}

/** What the agent is asked, as a case of its own. */
export function reporterCase(content: string): Case {
  return {
    key: 'reporter/report',
    id: 'report',
    suite: 'reporter',
    location: { file: 'reporter', line: 1 },
    input: content,
    messages: [{ role: 'user', content }],
    assertions: [],
    options: { skip: { history: true, output: true } },
    metadata: {},
    fingerprint: '',
  }
}

function textOf(output: Json): string {
  if (output === null) return ''
  return typeof output === 'string' ? withoutFence(output) : `${JSON.stringify(output, null, 2)}\n`
}

/** The text inside, when all of it is one fenced block. */
function withoutFence(text: string): string {
  const [, fence = '', inside] = /^(`{3,}|~{3,})[^\n`]*\n(.*?)\n?\1[ \t]*$/s.exec(text.trim()) ?? []
  return inside === undefined || inside.includes(`\n${fence}`) ? text : `${inside}\n`
}

/** Where the built-in report is kept when an agent writes the one at `path`. */
export function builtInPath(path: string): string {
  const extension = extname(path)
  return `${path.slice(0, path.length - extension.length)}.built-in${extension}`
}

/** The built-in report moves to a name beside it; a device or a pipe only gets the text. */
async function putInPlace(path: string, text: string, host: Host): Promise<void> {
  const beside = builtInPath(path)
  const existing = await stat(path).catch(() => undefined)
  if (existing?.isFile()) {
    await rename(path, beside)
    host.log.info(`the built-in report is in ${plainText(beside)}`)
  }
  try {
    await writeFile(path, text)
  } catch (error) {
    if (existing?.isFile()) await rename(beside, path)
    throw error
  }
}
