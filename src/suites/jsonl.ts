import { shown } from '../core/reading/fields.ts'
import type { Notes } from '../core/reading/findings.ts'
import type { Case } from '../core/suite.ts'
import { createCaseShelf } from './case-shelf.ts'
import { readRecords } from './read-records.ts'
import { readCase } from './record.ts'
import type { SuiteFormat } from './suite-format.ts'

/** Yao's suites: one JSON record a case. Source: seed 000, "Input Format (JSONL)". */
export const jsonl: SuiteFormat = {
  extensions: ['.jsonl', '.json'],
  // A `.json` file is more often something else.
  foundByExtension: ['.jsonl'],
  parse(text, source) {
    const cases: Case[] = []
    const lines = new Map<string, number>()
    const shelf = createCaseShelf(source.name)
    for (const record of readRecords(text)) {
      const notes = source.findings.at(record.line)
      if (record.kind === 'broken') {
        notes.problem('', record.message, record.hint)
        continue
      }
      const item = readCase(record.value, notes, source)
      const id = record.value['id']
      if (typeof id === 'string' && claimLine(lines, id, record.line, notes) && item) {
        cases.push(shelf.pack(item))
      }
    }
    return { cases }
  },
}

/** Records with other mistakes claim their id, too: all mistakes come at once. */
function claimLine(lines: Map<string, number>, id: string, line: number, notes: Notes): boolean {
  const first = lines.get(id)
  if (first === undefined) {
    lines.set(id, line)
    return true
  }
  if (id !== '')
    notes.problem('id', `${shown(id)} is already the id of the case in line ${first}`, 'ids must be unique in a file')
  return false
}
