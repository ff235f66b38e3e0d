import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { findAgentFolder, findAppRoot, loadSuites } from '../../src/suites/index.ts'
import { fakeHost } from '../support/fake-host.ts'
import { casesOf } from './folder.ts'

const corpus = resolve(import.meta.dirname, '../..', process.env['AGENT_TEST_CORPUS'] ?? '../shared/corpus')
const yao = join(corpus, 'yao')
const isThere = existsSync(yao)
if (!isThere) process.stderr.write(`public suites are not tested: ${yao} is not there (set AGENT_TEST_CORPUS)\n`)

describe.skipIf(!isThere)('public suites', () => {
  test('both load, found by their folder', async () => {
    const loaded = await loadSuites({ inputs: ['.'], host: fakeHost({ cwd: yao }) })
    expect(loaded.problems).toEqual([])
    expect(loaded.suites.map(({ name, cases, warnings }) => [name, cases.length, warnings])).toEqual([
      ['designer/tests/inputs.jsonl', 5, []],
      ['yao-dev-app/assistants/tests/hooks-test/tests/inputs.jsonl', 3, []],
    ])
    expect(casesOf(loaded).map(({ assertions }) => assertions.length)).toEqual([2, 3, 2, 4, 3, 1, 1, 1])
  })

  test('the cases with something before and after them say so', async () => {
    const cwd = join(yao, 'yao-dev-app/assistants/tests/hooks-test')
    const loaded = await loadSuites({ inputs: ['tests/inputs.jsonl'], host: fakeHost({ cwd }) })
    const framed = casesOf(loaded).filter(({ before, after }) => before !== undefined || after !== undefined)
    expect(framed.map(({ id }) => id)).toEqual(['T001', 'T002'])
    expect(findAgentFolder(join(cwd, 'tests'))).toBe(cwd)
    expect(findAgentFolder(join(yao, 'designer/tests'))).toBeUndefined()
    expect(findAppRoot(join(cwd, 'tests'))).toBeUndefined()
  })
})
