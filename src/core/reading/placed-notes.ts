import type { Problem } from '../errors.ts'
import type { Findings, Notes } from './findings.ts'
import type { YamlDocument } from './yaml-document.ts'

/** Notes on what lies at the field `at` of a document, each with the line of its own field; '' is the whole. */
export function placedNotes(findings: Findings, document: YamlDocument, at: string): Notes {
  const before = findings.problems.length
  const pathOf = (field: string) => (at === '' || field === '' ? at + field : `${at}.${field}`)
  const notesOn = (field: string) => findings.at(document.lineOf(pathOf(field)))
  return {
    line: document.lineOf(at),
    isStrict: findings.at().isStrict,
    problem: (field, message, hint) => notesOn(field).problem(pathOf(field), message, hint),
    warning: (field, message, hint) => notesOn(field).warning(pathOf(field), message, hint),
    add(problem: Problem) {
      const field = problem.field ?? ''
      notesOn(field).add(field === '' && at === '' ? problem : { ...problem, field: pathOf(field) })
    },
    hasProblems: () => findings.problems.length > before,
  }
}
