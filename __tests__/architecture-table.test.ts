import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '..')

interface Row {
  readonly seed: string
  readonly functions: readonly string[]
  readonly files: readonly string[]
}

/** The rows of the table that leads from the seed's parts to functions. */
function readTable(): Row[] {
  const text = readFileSync(resolve(root, '.github/ARCHITECTURE.md'), 'utf8')
  const section = text.split('\n## ').find((part) => part.startsWith('Where the parts of seed 001 are')) ?? ''
  const names = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)
  return section
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(2)
    .map((line) => {
      const [, seed = '', functions = '', files = ''] = line.split('|').map((cell) => cell.trim())
      return { seed, functions: names(functions), files: names(files) }
    })
}

const rows = readTable()

/** Names that a module exports, by declaration or by `export { … } from`. */
function exportsOf(file: string): string[] {
  const text = readFileSync(resolve(root, 'src', file), 'utf8')
  const declared = text.matchAll(/^export (?:async )?(?:function\*?|const) (\w+)/gm)
  const listed = text.matchAll(/^export \{([^}]*)\}/gm)
  return [
    ...[...declared].map(([, name = '']) => name),
    ...[...listed].flatMap(([, names = '']) => names.split(',').map((name) => name.trim().replace(/^type /, ''))),
  ]
}

test('the table names the components and methods of the seed, in its order', () => {
  const seeds = rows.map(({ seed }) => seed).join('; ')
  const parts = [
    'TestRunner.runTest',
    'TestRunner.runAll',
    'TestRunner.loadTestCases',
    'EventStreamHandler.startListening',
    'ClientManager.createSession',
    'ClientManager.sendPrompt, waitForCompletion',
    'SessionReader.getSessionInfo',
    'SessionReader.getMessages',
    'SessionReader.getParts',
    'MessageParser',
    'TimelineBuilder.buildTimeline',
    'EvaluatorRunner.runAll',
    'BaseEvaluator',
    'BehaviorEvaluator',
    'ApprovalGateEvaluator',
    'ContextLoadingEvaluator',
    'DelegationEvaluator',
    'ToolUsageEvaluator',
  ]
  const places = parts.map((part) => seeds.indexOf(part))
  expect(parts.filter((_, index) => places[index] === -1)).toEqual([])
  expect(places).toEqual(places.toSorted((left, right) => left - right))
})

test.each(rows)('$seed: $functions', ({ functions, files }) => {
  expect(functions.length).toBeGreaterThan(0)
  expect(files.length).toBeGreaterThan(0)
  const exported = files.flatMap(exportsOf)
  expect(functions.filter((name) => !exported.includes(name))).toEqual([])
})
