import { isJsonObject, isTooDeep, type Json, type JsonObject, MAX_DEPTH } from '../../core/json.ts'

/** One result of a report as it is written there: ours, or Yao's. */
export interface ResultRow extends JsonObject {
  readonly id: string
}

export type ParsedRow = { readonly row: ResultRow } | { readonly fault: string; readonly field?: string }

/** Longer texts are no single result, and cannot be held as one. */
export const LONGEST_RESULT_BYTES = 256 * 1024 ** 2

/** Reads the JSON of one result. All that must be right is what the files are named after. */
export function parseRow(text: string): ParsedRow {
  const parsed = parseObject(text)
  if ('fault' in parsed) return parsed
  const { value } = parsed
  const id = value['id']
  if (typeof id !== 'string' || id === '') return { fault: 'expected the id of a case', field: 'id' }
  return { row: { ...value, id } }
}

export function parseObject(text: string): { readonly value: JsonObject } | { readonly fault: string } {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return { fault: `not JSON: ${error instanceof Error ? error.message : String(error)}` }
  }
  if (!isJsonObject(value)) return { fault: 'expected a JSON object' }
  return isTooDeep(value) ? { fault: `nested deeper than ${MAX_DEPTH} levels` } : { value }
}

/** Results of one id in several suites are told apart by it. */
export function suiteOf({ suite }: JsonObject): string {
  return typeof suite === 'string' ? suite : ''
}

/** Newest version of the results format that this reads. */
const NEWEST_VERSION = 1

/** What is wrong with a version, if anything; Yao's own reports have none. */
export function versionFault(version: Json | undefined): string | undefined {
  if (typeof version !== 'number' || version <= NEWEST_VERSION) return undefined
  return `schemaVersion ${version} is newer than this agent-test reads (${NEWEST_VERSION})`
}
