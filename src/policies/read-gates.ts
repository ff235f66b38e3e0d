import { type CaseGate, mergeGates } from '../core/gate.ts'
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts'
import { readGate } from '../core/reading/case-gate.ts'
import { nearField, readFields, shown } from '../core/reading/fields.ts'
import type { Notes } from '../core/reading/findings.ts'
import { placedNotes } from '../core/reading/placed-notes.ts'
import { compileGlob, globProblem, type PathMatcher } from '../lib/glob.ts'
import type { PolicyFile } from './policy-file.ts'

/** What the suites with these paths ask for. */
interface SuiteGate {
  readonly matches: readonly PathMatcher[]
  readonly gate: CaseGate
}

export interface NamedGate {
  /** Key or id. */
  readonly case: string
  readonly gate: CaseGate
  readonly file: string
  readonly line: number
}

/** Both in the order of the file: later entries outrank earlier ones. */
export interface GateEntries {
  readonly suites: readonly SuiteGate[]
  readonly cases: readonly NamedGate[]
}

export const NO_GATES: GateEntries = { suites: [], cases: [] }

const FIELDS = { 'min-pass-rate': 'any', 'threshold-mode': 'any', critical: 'boolean' } as const
const NAMES = { minPassRate: 'min-pass-rate', thresholdMode: 'threshold-mode' }
const SUITE = { match: 'any', ...FIELDS } as const
const CASE = { case: 'any', ...FIELDS } as const

/** Every entry of a gates file; mistakes go to its notes, all of them. */
export function readGates(file: PolicyFile): GateEntries {
  const { document, notes } = file
  if (document.value === null) return NO_GATES
  if (!isJsonObject(document.value)) {
    notes.problem('', `expected the lists "suites" and "cases", got ${shown(document.value)}`)
    return NO_GATES
  }
  const table = { suites: 'list', cases: 'list' } as const
  const { suites = [], cases = [] } = readFields(document.value, table, { notes, at: '', unknown: 'problem' })
  return {
    suites: readEach(suites, 'suites', file, readSuiteGate),
    cases: readEach(cases, 'cases', file, (item, own) => readNamedGate(item, own, file.path)),
  }
}

/** One after the other: the notes on an entry know only of its own mistakes. */
function readEach<T>(
  list: readonly Json[],
  at: keyof GateEntries,
  { findings, document }: PolicyFile,
  read: (item: JsonObject, notes: Notes) => readonly T[],
): T[] {
  return list.flatMap((item, index) => {
    const notes = placedNotes(findings, document, `${at}[${index}]`)
    if (isJsonObject(item)) return read(item, notes)
    const such = at === 'suites' ? '{match: evals/**, min-pass-rate: 90}' : '{case: refund, critical: true}'
    notes.problem('', `expected an entry such as ${such}, got ${shown(item)}`)
    return []
  })
}

function readSuiteGate(item: JsonObject, notes: Notes): SuiteGate[] {
  const fields = readFields(item, SUITE, { notes, at: '', unknown: 'problem' })
  const gate = gateFrom(fields, notes)
  const matches = fields.match === undefined ? [] : readGlobs(fields.match, notes)
  if (fields.match === undefined) notes.problem('match', 'required', nearField('match', item))
  return notes.hasProblems() ? [] : [{ matches, gate }]
}

function readGlobs(written: Json, notes: Notes): PathMatcher[] {
  const globs: readonly Json[] = Array.isArray(written) ? written : [written]
  if (globs.length === 0) notes.problem('match', 'matches nothing', 'name a suite or a folder')
  return globs.flatMap((glob, index) => {
    const at = Array.isArray(written) ? `match[${index}]` : 'match'
    if (typeof glob !== 'string') {
      notes.problem(at, `expected a pattern such as evals/**, got ${shown(glob)}`)
      return []
    }
    const problem = globProblem(glob)
    if (problem !== undefined) notes.problem(at, problem)
    return problem === undefined ? [compileGlob(glob)] : []
  })
}

function readNamedGate(item: JsonObject, notes: Notes, file: string): NamedGate[] {
  const fields = readFields(item, CASE, { notes, at: '', unknown: 'problem' })
  const gate = gateFrom(fields, notes)
  const named = fields.case
  if (named === undefined) notes.problem('case', 'required', nearField('case', item))
  else if (named === '*') notes.problem('case', 'one case is meant here', 'match: "**" in "suites" is for all of them')
  else if (typeof named !== 'string' || named.trim() === '') {
    const hint = typeof named === 'number' || typeof named === 'boolean' ? `write "${named}" in quotes` : undefined
    notes.problem('case', `expected a case as suite/id or its id, got ${shown(named)}`, hint)
  }
  if (notes.hasProblems() || typeof named !== 'string') return []
  return [{ case: named, gate, file, line: notes.line ?? 1 }]
}

type WrittenFields = { readonly [field in keyof typeof FIELDS]?: field extends 'critical' ? boolean : Json }

function gateFrom(fields: WrittenFields, notes: Notes): CaseGate {
  const { critical, 'min-pass-rate': minPassRate, 'threshold-mode': thresholdMode } = fields
  const before = notes.hasProblems()
  const gate = mergeGates([readGate({ minPassRate, thresholdMode, critical }, NAMES, { notes, at: '' })])
  if (!gate && !before && !notes.hasProblems())
    notes.problem('', 'asks for nothing', 'give min-pass-rate, threshold-mode or critical')
  return gate ?? {}
}
