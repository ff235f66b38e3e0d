import { isJsonObject, type Json, type JsonObject } from '../core/json.ts'
import { nearField, readFields, shown } from '../core/reading/fields.ts'
import type { Notes } from '../core/reading/findings.ts'
import { placedNotes } from '../core/reading/placed-notes.ts'
import type { Waiver } from '../core/waiver.ts'
import { readUntil } from './day.ts'
import type { PolicyFile } from './policy-file.ts'

/** What a list of waivers is. */
export interface WaiverList {
  readonly kind: Waiver['kind']
  /** The field that may hold the list; the file may as well be nothing but the list. */
  readonly field: string
  /** Whether `*` may stand for every case. */
  readonly allowsAll: boolean
}

/** A waiver and where it stands, for what is wrong with it once the cases are known. */
export interface PlacedWaiver {
  readonly waiver: Waiver
  readonly file: string
  readonly line: number
  readonly field: string
}

const ENTRY = { case: 'any', reason: 'any', until: 'any' } as const
const QUARANTINE_ENTRY = { ...ENTRY, evidence: 'any' } as const

/** A sentence for people; who needs more links to it. */
const LONGEST_TEXT = 1_000

/** Every waiver of a file; mistakes go to its notes, all of them. `today` is `YYYY-MM-DD` in UTC. */
export function readWaivers(file: PolicyFile, list: WaiverList, today: string): PlacedWaiver[] {
  const { items, at } = itemsOf(file, list)
  const lines = new Map<string, number>()
  return items.flatMap((item, index) => {
    const field = at === '' ? `[${index}]` : `${at}[${index}]`
    const notes = placedNotes(file.findings, file.document, field)
    if (!isJsonObject(item)) {
      notes.problem('', `expected an entry with case, reason and until, got ${shown(item)}`)
      return []
    }
    const waiver = readEntry(item, { notes, list, today, path: file.path })
    const isNew = isNewCase(item['case'], { notes, lines, list })
    return waiver && isNew ? [{ waiver, file: file.path, line: notes.line ?? 1, field }] : []
  })
}

/** A file of comments alone is an empty list. */
function itemsOf({ document, notes }: PolicyFile, { field }: WaiverList): { items: readonly Json[]; at: string } {
  const { value } = document
  if (value === null) return { items: [], at: '' }
  if (Array.isArray(value)) return { items: value as readonly Json[], at: '' }
  if (!isJsonObject(value)) {
    notes.problem('', `expected a list of entries with case, reason and until, got ${shown(value)}`)
    return { items: [], at: '' }
  }
  const fields = readFields(value, { [field]: 'list' } as const, { notes, at: '', unknown: 'problem' })
  return { items: fields[field] ?? [], at: field }
}

interface EntryScope {
  readonly notes: Notes
  readonly list: WaiverList
  readonly today: string
  readonly path: string
}

function readEntry(item: JsonObject, { notes, list, today, path }: EntryScope): Waiver | undefined {
  const table = list.kind === 'quarantined' ? QUARANTINE_ENTRY : ENTRY
  const fields: { readonly [field in keyof typeof QUARANTINE_ENTRY]?: Json } = readFields(item, table, {
    notes,
    at: '',
    unknown: 'problem',
  })
  const named = readCaseName(fields.case, item, { notes, list })
  const reason = readSentence('reason', fields.reason, item, notes)
  const evidence = fields.evidence === undefined ? undefined : readSentence('evidence', fields.evidence, item, notes)
  const until = fields.until === undefined ? missing('until', item, notes) : readDay(fields.until, notes, today)
  if (notes.hasProblems() || named === undefined || reason === undefined || until === undefined) return undefined
  const source = `${path}:${notes.line ?? 1}`
  return { kind: list.kind, case: named, reason, until, source, ...(evidence === undefined ? {} : { evidence }) }
}

function readCaseName(
  written: Json | undefined,
  item: JsonObject,
  { notes, list }: Pick<EntryScope, 'notes' | 'list'>,
): string | undefined {
  if (written === undefined) return missing('case', item, notes)
  if (typeof written !== 'string' || written.trim() === '') {
    const hint =
      typeof written === 'number' || typeof written === 'boolean' ? `write "${written}" in quotes` : undefined
    notes.problem('case', `expected a case as suite/id or its id, got ${shown(written)}`, hint)
    return undefined
  }
  if (written !== '*' || list.allowsAll) return written
  notes.problem(
    'case',
    'no quarantine for every case',
    'name the cases that are flaky; fail-on says what makes a run red',
  )
  return undefined
}

/** One line of text, whatever lines it was written over. */
function readSentence(field: string, written: Json | undefined, item: JsonObject, notes: Notes): string | undefined {
  if (written === undefined) return missing(field, item, notes)
  const text = typeof written === 'string' ? written.replace(/\s+/g, ' ').trim() : ''
  if (text !== '' && text.length <= LONGEST_TEXT) return text
  if (text === '') notes.problem(field, `expected a sentence, got ${shown(written)}`)
  else notes.problem(field, `is longer than ${LONGEST_TEXT} characters`, 'link to what there is to say')
  return undefined
}

function readDay(written: Json, notes: Notes, today: string): string | undefined {
  const read = readUntil(written, today)
  if ('day' in read) return read.day
  notes.problem('until', read.message, read.hint)
  return undefined
}

function missing(field: string, item: JsonObject, notes: Notes): undefined {
  notes.problem(field, 'required', nearField(field, item))
}

/** Entries with other mistakes claim their case, too: all mistakes come at once. */
function isNewCase(
  named: Json | undefined,
  { notes, lines, list }: { readonly notes: Notes; readonly lines: Map<string, number>; readonly list: WaiverList },
): boolean {
  if (typeof named !== 'string' || named === '') return false
  const first = lines.get(named)
  if (first === undefined) {
    lines.set(named, notes.line ?? 1)
    return true
  }
  notes.problem('case', `${shown(named)} is already ${list.kind} in line ${first}`, 'a case has one entry')
  return false
}
