import { open, stat } from 'node:fs/promises'
import { basename, dirname, extname, resolve } from 'node:path'
import { isJsonObject, type JsonObject } from '../../core/json.ts'
import { MESSAGES_FILE, openExport } from '../../sessions/index.ts'
import { casesIn } from './cases.ts'
import { resultsIn } from './results.ts'
import { opened, storedIn, timelineIn } from './stored.ts'
import type { Found, Reading } from './subject.ts'

/** Whatever a path names, by what it holds and not by its name. `shown` is the path as the user wrote it. */
export async function* subjectsAt(shown: string, cwd: string, reading: Reading): AsyncGenerator<Found> {
  const path = resolve(cwd, shown)
  const name = shown.replace(/(?<=[^/\\])[/\\]+$/, '')
  const stats = await stat(path).catch((error: NodeJS.ErrnoException) => error)
  if (stats instanceof Error) {
    const message = stats.code === 'ENOENT' ? 'there is no such file or folder' : `cannot be read: ${stats.message}`
    yield { problem: { file: shown, message } }
  } else if (stats.isDirectory()) yield* storedIn(path, name, reading)
  else if (stats.isFile()) yield* fileSubjects(path, shown, reading)
  else yield { problem: { file: shown, message: 'is neither a file nor a folder' } }
}

async function* fileSubjects(path: string, shown: string, reading: Reading): AsyncGenerator<Found> {
  const kind = await kindOf(path)
  if (kind === 'empty') yield { problem: { file: shown, message: 'is empty: there is nothing to judge' } }
  else yield* readers[kind](path, shown, reading)
}

type Reader = (path: string, shown: string, reading: Reading) => AsyncGenerator<Found>

const readers: Readonly<Record<Exclude<Kind, 'empty'>, Reader>> = {
  timeline: timelineIn,
  cases: casesIn,
  stream: (path, shown, reading) => storedIn(dirname(path), dirname(shown), reading),
  results: resultsIn,
  document: documentSubjects,
}

/** An exported session, or else a report. */
async function* documentSubjects(path: string, shown: string, reading: Reading): AsyncGenerator<Found> {
  const session = await openExport(path, shown)
  if (!session) {
    yield* resultsIn(path, shown, reading)
    return
  }
  try {
    const { id, read } = session
    const plan = reading.config.planFor()
    yield { subject: { id, shown, plan, open: async (warn) => opened(await read(warn)) } }
  } finally {
    await session.close()
  }
}

type Kind = 'timeline' | 'cases' | 'stream' | 'results' | 'document' | 'empty'

const SAMPLE_BYTES = 64 * 1024

/** By the first line; where that is no JSON, or longer than is looked at, by the name. */
async function kindOf(path: string): Promise<Kind> {
  const start = await startOf(path)
  if (start === '') return 'empty'
  if (basename(path) === MESSAGES_FILE) return 'stream'
  if (start.startsWith('[')) return 'timeline'
  // A line that begins a results file says its type first.
  if (/^\{\s*"type"\s*:\s*"(?:start|result|run|stability|summary)"/.test(start)) return 'results'
  const first = parsed(start.split('\n', 1)[0] ?? '')
  if (!isJsonObject(first)) return extname(path) === '.jsonl' ? 'cases' : 'document'
  if ('timeline' in first || 'evaluator' in first) return 'cases'
  if (isMessage(first)) return 'stream'
  if (DOCUMENT_MEMBERS.some((member) => member in first)) return 'document'
  return typeof first['type'] === 'string' ? 'results' : 'cases'
}

/** Of an exported session, and of reports. */
const DOCUMENT_MEMBERS = ['info', 'summary', 'results', 'stability_results']

async function startOf(path: string): Promise<string> {
  const handle = await open(path)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(SAMPLE_BYTES), 0, SAMPLE_BYTES, 0)
    return buffer
      .toString('utf8', 0, bytesRead)
      .replace(/^\uFEFF/, '')
      .trimStart()
  } finally {
    await handle.close()
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** A line of a stream of messages. */
function isMessage(line: JsonObject): boolean {
  const info = 'messages' in line ? undefined : (line['info'] ?? line)
  return isJsonObject(info) && (info['role'] === 'user' || info['role'] === 'assistant')
}
