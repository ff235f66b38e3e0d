import { readFileSync, statSync } from 'node:fs'
import { dirname, extname, join, relative, sep } from 'node:path'
import type { Problem } from '../../core/errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'
import { quote } from '../../core/kind.ts'
import { readFields, shown } from '../../core/reading/fields.ts'
import { collectFindings, type Notes } from '../../core/reading/findings.ts'
import { placedNotes } from '../../core/reading/placed-notes.ts'
import { readDocument } from '../../core/reading/yaml-document.ts'

/** A JSON file that chooses test files. Source: spec opencode-evals A.7, "Suite JSON". */
export interface Selection {
  /** Absolute paths, in the file's order. */
  readonly files: readonly string[]
  /** Of tests for which neither they nor a config file name one. */
  readonly agent?: string
  readonly problems: readonly Problem[]
  readonly warnings: readonly string[]
}

const SELECTION = {
  $schema: 'any',
  name: 'string',
  description: 'string',
  version: 'any',
  agent: 'string',
  totalTests: 'number',
  estimatedRuntime: 'any',
  coverage: 'any',
  tests: 'list',
  rationale: 'any',
  usage: 'any',
  comparison: 'any',
} as const

const TEST = {
  id: 'any',
  name: 'string',
  path: 'string',
  category: 'any',
  priority: 'any',
  required: 'boolean',
  estimatedTime: 'any',
  description: 'any',
} as const

const MOST_BYTES = 1024 * 1024

/** Undefined for a file that chooses no tests: then it may be a suite itself. */
export function readSelection(path: string, cwd: string): Selection | undefined {
  const text = extname(path).toLowerCase() === '.json' ? readText(path) : undefined
  if (text === undefined || !isSelection(text)) return undefined
  const findings = collectFindings(relative(cwd, path).replaceAll(sep, '/'))
  const document = readDocument(text, findings)
  if (!document || !isJsonObject(document.value)) return { files: [], problems: findings.problems, warnings: [] }
  const notes = placedNotes(findings, document, '')
  const { tests = [], totalTests, agent } = readFields(document.value, SELECTION, { notes, at: '', unknown: 'problem' })
  if (tests.length === 0) notes.problem('tests', 'expected at least one test, got an empty list')
  if (totalTests !== undefined && totalTests !== tests.length)
    notes.warning('totalTests', `is ${totalTests}, and the list holds ${tests.length}`)
  const files = readTests(tests, notes, dirname(path))
  return {
    files,
    ...(agent ? { agent } : {}),
    problems: findings.problems,
    warnings: findings.warnings(),
  }
}

function readText(path: string): string | undefined {
  try {
    const found = statSync(path)
    return found.isFile() && found.size <= MOST_BYTES ? readFileSync(path, 'utf8') : undefined
  } catch {
    // Whoever reads it as a suite will say what is wrong with it.
    return undefined
  }
}

function isSelection(text: string): boolean {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return false
  }
  if (!isJsonObject(value) || Object.hasOwn(value, 'input')) return false
  const { tests } = value
  return Array.isArray(tests) && tests.every((item) => isJsonObject(item) && Object.hasOwn(item, 'path'))
}

function readTests(tests: readonly Json[], notes: Notes, folder: string): string[] {
  const ids = new Map<string, number>()
  return tests.flatMap((item, index) => {
    const at = `tests[${index}]`
    const { id, path, required = true } = readFields(item as JsonObject, TEST, { notes, at, unknown: 'problem' })
    const key = JSON.stringify(id)
    const first = id === undefined ? undefined : ids.get(key)
    if (first !== undefined) notes.problem(`${at}.id`, `${shown(id)} is already the id of tests[${first}]`)
    else if (id !== undefined) ids.set(key, index)
    if (path === undefined || path === '') {
      notes.problem(`${at}.path`, 'expected the path of a test')
      return []
    }
    const file = findTest(path, folder)
    if (file !== undefined) return [file]
    if (required)
      notes.problem(`${at}.path`, `test ${quote(path)} not found`, 'looked here, and in "tests" here and above')
    else notes.warning(`${at}.path`, `test ${quote(path)} not found`, 'it is not required')
    return []
  })
}

/** The public files lie in `config` or `config/suites`, the tests in `tests` beside that. */
const LEVELS = 4

function findTest(path: string, folder: string): string | undefined {
  const places = [folder]
  for (let level = 0, at = folder; level < LEVELS; level += 1, at = dirname(at)) places.push(join(at, 'tests'))
  return places
    .map((place) => join(place, path))
    .find((file) => statSync(file, { throwIfNoEntry: false })?.isFile() ?? false)
}
