import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Message } from '../../src/core/message.ts'
import { detectMode } from '../../src/suites/detect-mode.ts'
import { loadSuites } from '../../src/suites/index.ts'
import { fakeHost } from '../support/fake-host.ts'
import { casesOf, folderWith } from './folder.ts'

const tables = join(import.meta.dirname, '../fixtures/conformance')

function rows<T>(name: string): T[] {
  return readFileSync(join(tables, name), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T)
}

interface InputRow {
  readonly id: string
  readonly note: string
  readonly record: string
  readonly result: 'accepted' | 'error'
  readonly messages?: readonly Message[]
  readonly want_filename?: string
}

/** Rows where agent-test does better than the table says, each with its reason. */
const DEVIATIONS: Readonly<Record<string, { readonly why: string; readonly messages: readonly Message[] }>> = {
  I110: {
    why: 'an uploaded file is kept by its id; without it the agent would get a file with no content',
    messages: [{ role: 'user', content: [{ type: 'file', file: { url: '', file_id: 'f1' } }] }],
  },
}

const fixtures = JSON.parse(readFileSync(join(tables, 'yao-input-fixtures.json'), 'utf8')) as Record<string, string>

describe('records of Yao suites', () => {
  test.each(rows<InputRow>('yao-input-cases.jsonl'))('$id $note', async (row) => {
    const files = Object.fromEntries(Object.entries(fixtures).map(([name, content]) => [`fx/${name}`, content]))
    const cwd = folderWith(files)
    const record = row.record.replaceAll('<BASE>', join(cwd, 'fx'))
    writeFileSync(join(cwd, 'fx', 'cases.jsonl'), record)

    const loaded = await loadSuites({ inputs: ['fx/cases.jsonl'], host: fakeHost({ cwd }) })

    if (row.result === 'error') {
      expect(loaded.problems).not.toEqual([])
      expect(loaded.problems.every((problem) => problem.file === 'fx/cases.jsonl')).toBe(true)
      return
    }
    expect(loaded.problems).toEqual([])
    const expected = DEVIATIONS[row.id]?.messages ?? withFilename(row.messages ?? [], row.want_filename)
    expect(casesOf(loaded)[0]?.messages).toEqual(expected)
  })
})

function withFilename(messages: readonly Message[], filename: string | undefined): unknown {
  if (filename === undefined) return messages
  return JSON.parse(JSON.stringify(messages), (key, value: unknown) => (key === 'filename' ? filename : value))
}

describe('what an input is', () => {
  test.each(rows<{ id: string; input: string; mode: string }>('yao-mode-cases.jsonl'))(
    '$id $input',
    ({ input, mode }) => {
      expect(detectMode(input, { kind: () => undefined, matches: () => false }).mode).toBe(mode)
    },
  )
})
