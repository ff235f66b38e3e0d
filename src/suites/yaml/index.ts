import { dirname, relative, sep } from 'node:path'
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'
import type { KindConfig } from '../../core/kind.ts'
import { readFields, shown } from '../../core/reading/fields.ts'
import type { Notes } from '../../core/reading/findings.ts'
import { placedNotes } from '../../core/reading/placed-notes.ts'
import { readDocument, type YamlDocument } from '../../core/reading/yaml-document.ts'
import type { Case } from '../../core/suite.ts'
import type { SuiteFormat, SuiteSource } from '../suite-format.ts'
import { isNamedConfig } from './config-file.ts'
import { GATE, readYamlGate } from './gate.ts'
import { mayBeTest, type Shape, shapeOf } from './shape.ts'
import { isSelected } from './suite-selectors.ts'
import { readTest, type TestSource } from './test.ts'

/**
 * Tests of agents that work in a session: one a file, or a list of them, in the seed's simple shape, the public schema
 * or the first design. Source: seed 001, "Test Configuration"; spec opencode-evals A.
 */
export const yaml: SuiteFormat = {
  extensions: ['.yaml', '.yml'],
  foundByExtension: ['.yaml', '.yml'],
  passedOver: ['_archive', 'config'],
  parse(text, source) {
    if (!source.isNamed && !mayBeTest(text)) return { cases: [], notASuite: 'no test' }
    const document = readDocument(text, source.findings)
    if (!document) return { cases: [] }
    const shape = isNamedConfig(source.path) ? CONFIG : shapeOf(document.value)
    switch (shape.kind) {
      case 'foreign':
        return notASuite(shape.name, source)
      case 'config':
        return notASuite('a config file', source, 'it goes for the suites in its folder and below, and needs no naming')
      case 'test':
        return { cases: readTests([{ value: shape.value, at: '' }], { document, source }), defaultTarget: OPENCODE }
      case 'list':
        return { cases: readList(shape.field, shape.value, { document, source }), defaultTarget: OPENCODE }
    }
  },
}

const OPENCODE: KindConfig = { type: 'opencode' }
const CONFIG: Shape = { kind: 'config' }

/** A file that was named must be a suite; one that only lies in a folder may be anything. */
function notASuite(name: string, { isNamed, findings }: SuiteSource, hint = 'a test has an "id" and a "prompt"') {
  if (isNamed) findings.at().problem('', `is no suite but ${name}`, hint)
  return { cases: [], notASuite: name }
}

/** Where a YAML file is read. */
interface Reading {
  readonly document: YamlDocument
  readonly source: SuiteSource
}

interface PlacedTest {
  readonly value: JsonObject
  /** Its field in the document; '' is the whole. */
  readonly at: string
}

const COLLECTION = { name: 'string', description: 'string', tests: 'list', test_cases: 'list', ...GATE } as const

function readList(field: 'tests' | 'test_cases', value: JsonObject, reading: Reading): Case[] {
  const notes = placedNotes(reading.source.findings, reading.document, '')
  const fields = readFields(value, COLLECTION, { notes, at: '', unknown: 'problem' })
  const list = fields[field]
  const gate = readYamlGate(fields, { notes, at: '' })
  if (list?.length === 0) notes.problem(field, 'expected at least one test, got an empty list')
  const other = field === 'tests' ? 'test_cases' : 'tests'
  if (value[other] !== undefined) notes.problem(other, `cannot be given beside "${field}"`)
  const tests = (list ?? []).flatMap((item: Json, index): PlacedTest[] => {
    const at = `${field}[${index}]`
    if (isJsonObject(item)) return [{ value: item, at }]
    notes.problem(at, `expected a test, got ${shown(item)}`)
    return []
  })
  return readTests(tests, reading, { isFirstDesign: field === 'test_cases', ...(gate ? { gate } : {}) })
}

type Around = Pick<TestSource, 'isFirstDesign' | 'gate'>

function readTests(
  tests: readonly PlacedTest[],
  { document, source }: Reading,
  around: Around = { isFirstDesign: false },
): Case[] {
  const testSource = sourceOfTests(source, around)
  const lines = new Map<string, number>()
  return tests.flatMap(({ value, at }) => {
    const notes = placedNotes(source.findings, document, at)
    const item = readTest(value, notes, testSource)
    return isNewId(value['id'], notes, lines) && item ? [item] : []
  })
}

/** Tests with other mistakes claim their id, too: all mistakes come at once. */
function isNewId(id: Json | undefined, notes: Notes, lines: Map<string, number>): boolean {
  if (typeof id !== 'string' || id === '') return false
  const first = lines.get(id)
  if (first === undefined) {
    lines.set(id, notes.line ?? 1)
    return true
  }
  notes.problem('id', `${shown(id)} is already the id of the test in line ${first}`, 'ids must be unique in a file')
  return false
}

function sourceOfTests({ name, path, projects, agent }: SuiteSource, around: Around): TestSource {
  const folder = dirname(path)
  const found = projects.configFor(folder)
  const below = found === undefined ? '' : relative(found.folder, path).replaceAll(sep, '/')
  return {
    ...around,
    suite: name,
    config: found?.config,
    ...(agent === undefined ? {} : { agent }),
    tagsBesides(tags) {
      if (!found) return []
      const all = [...tags, ...found.config.tags]
      const suites = found.config.suites.filter((suite) => isSelected(suite, { path: below, tags: all }))
      return [...found.config.tags, ...suites.map((suite) => suite.name)]
    },
    workspaceOf: (written) =>
      written === undefined ? found?.config.workspace : projects.workspaces.find(written, folder),
  }
}
