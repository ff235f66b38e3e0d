import { type FileHandle, open } from 'node:fs/promises'
import type { Problem } from '../../core/errors.ts'
import { isJsonObject } from '../../core/json.ts'
import { indexDocument } from './document.ts'
import { type FoundResult, invalid } from './found.ts'
import { indexLines } from './lines.ts'

/** A report that was read once: what is in it, not its contents. */
export interface OpenReport {
  readonly results: readonly FoundResult[]
  close(): Promise<void>
}

const HINT = 'give the .json or .jsonl file that a run wrote with -o'

/** Opens a report by path; `shown` names it in messages. Throws a UserError with every problem. */
export async function openReport(path: string, shown: string): Promise<OpenReport> {
  const handle = await open(path).catch((cause: unknown) => {
    throw invalid([unreadable(shown, cause)])
  })
  try {
    const indexed = (await holdsLines(handle)) ? await indexLines(handle, shown) : await indexDocument(handle, shown)
    if ('problems' in indexed) {
      const [first, ...rest] = indexed.problems
      throw invalid(first ? [{ hint: HINT, ...first }, ...rest] : [])
    }
    return { results: indexed.results, close: () => handle.close() }
  } catch (error) {
    await handle.close()
    throw error instanceof Error && 'syscall' in error ? invalid([unreadable(shown, error)]) : error
  }
}

const SAMPLE_BYTES = 64 * 1024

/** By contents: Yao's own reports are one document even where they are called .jsonl. */
async function holdsLines(handle: FileHandle): Promise<boolean> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(SAMPLE_BYTES), 0, SAMPLE_BYTES, 0)
  const text = buffer
    .toString('utf8', 0, bytesRead)
    .replace(/^\uFEFF/, '')
    .trimStart()
  // A first line longer than the sample: our writer puts the type first.
  if (/^\{\s*"type"\s*:/.test(text)) return true
  try {
    const first: unknown = JSON.parse(text.split('\n', 1)[0] ?? '')
    return isJsonObject(first) && typeof first['type'] === 'string'
  } catch {
    return false
  }
}

function unreadable(file: string, cause: unknown): Problem {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  if (code === 'ENOENT') return { file, message: 'there is no such file' }
  if (code === 'EISDIR') return { file, message: 'is a folder', hint: HINT }
  return { file, message: `cannot be read: ${cause instanceof Error ? cause.message : String(cause)}` }
}
