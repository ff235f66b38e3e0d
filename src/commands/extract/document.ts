import type { FileHandle } from 'node:fs/promises'
import type { Problem } from '../../core/errors.ts'
import { readByteLine } from '../../lib/byte-lines.ts'
import { type BrokenJson, type JsonMember, jsonMembers } from '../../lib/json-members.ts'
import { changed, type FoundResult, type Indexed } from './found.ts'
import { LONGEST_RESULT_BYTES, parseRow, suiteOf, versionFault } from './rows.ts'

/** A broken document names its first faults. */
const MOST_PROBLEMS = 20
/** Lists of results. Ours holds all of them in the first; Yao's with several runs a case has only the second. */
const LISTS = ['results', 'stability_results']
/** A report whose cases were all skipped has no results, and yet is one. */
const MARKS = ['summary', ...LISTS]

/** Finds the results of a `.json` report, ours or Yao's own. Source: spec yao 5.2. */
export async function indexDocument(handle: FileHandle, file: string): Promise<Indexed> {
  const lists = new Map<string, FoundResult[]>(LISTS.map((name) => [name, []]))
  const problems: Problem[] = []
  let isReport = false
  let broken: BrokenJson | undefined
  for await (const part of jsonMembers(handle)) {
    if (part.kind === 'broken') {
      broken = part
      break
    }
    isReport ||= MARKS.includes(part.name)
    const found = await look(handle, file, part)
    if ('problem' in found) problems.push({ file, line: part.line, ...found.problem })
    else if ('result' in found) lists.get(part.name)?.push(found.result)
    if (problems.length === MOST_PROBLEMS) break
  }
  if (!isReport) return { problems: [{ file, message: whyNoReport(broken) }] }
  if (broken) problems.push({ file, line: broken.line, message: whyBroken(broken) })
  if (problems.length > 0) return { problems }
  return { results: LISTS.map((name) => lists.get(name) ?? []).find((list) => list.length > 0) ?? [] }
}

type Looked = { readonly problem: Problem } | { readonly result: FoundResult } | { readonly nothing: true }

async function look(handle: FileHandle, file: string, part: JsonMember): Promise<Looked> {
  const { name, index, length } = part
  if (name === 'schemaVersion') {
    const fault = length > 20 ? undefined : versionFault(numberIn(await readByteLine(handle, part)))
    return fault === undefined ? { nothing: true } : { problem: { field: name, message: fault } }
  }
  if (!LISTS.includes(name)) return { nothing: true }
  if (index === undefined) return { problem: { field: name, message: 'expected a list of results' } }
  const field = `${name}[${index}]`
  if (length > LONGEST_RESULT_BYTES) return { problem: { field, message: 'is too large to be read' } }
  const parsed = parseRow(await readByteLine(handle, part))
  if ('fault' in parsed) {
    return {
      problem: { field: parsed.field === undefined ? field : `${field}.${parsed.field}`, message: parsed.fault },
    }
  }
  const { id } = parsed.row
  const read = async () => {
    const again = parseRow(await readByteLine(handle, part))
    if ('row' in again && again.row.id === id) return again.row
    throw changed(file, part.line)
  }
  return { result: { id, suite: suiteOf(parsed.row), read } }
}

function numberIn(text: string): number | undefined {
  const value = Number(text)
  return Number.isNaN(value) ? undefined : value
}

function whyNoReport(broken: BrokenJson | undefined): string {
  if (broken?.why === 'ends too early') return 'the document breaks off before its first result'
  return broken?.why === 'not an object' ? 'is no report: it holds no JSON object' : 'is no report: it holds no results'
}

function whyBroken({ why }: BrokenJson): string {
  switch (why) {
    case 'ends too early':
      return 'the document breaks off: its end is missing'
    case 'text after the end':
      return 'there is text after the end of the document'
    case 'not an object':
      return 'not a JSON object'
  }
}
