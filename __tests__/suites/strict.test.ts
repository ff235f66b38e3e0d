import { describe, expect, test } from 'vitest'
import { loadSuites } from '../../src/suites/index.ts'
import { fakeHost } from '../support/fake-host.ts'
import { described, folderWith, jsonLines } from './folder.ts'

const TYPOS = jsonLines(
  { id: 'a', input: 'x', optoins: {} },
  { id: 'b', input: 'x', options: { serach: true, skip: { trcae: true } } },
  { id: 'c', input: { content: [{ type: 'text', text: 'x', txet: 1 }], nmae: 'x' } },
  { id: 'd', input: 'x', options: { serach: true } },
)

async function load(strict: boolean, text = TYPOS) {
  const host = fakeHost({ cwd: folderWith({ 'cases.jsonl': text }) })
  const loaded = await loadSuites({ inputs: ['cases.jsonl'], host, strict })
  return { problems: described(loaded), warnings: loaded.suites.flatMap(({ warnings }) => warnings) }
}

describe('an unknown field of a record, its options, their skip, a message or a part', () => {
  test('is a warning with file, line, field and a did-you-mean, once for each kind', async () => {
    expect(await load(false)).toEqual({
      problems: [],
      warnings: [
        'cases.jsonl:1: optoins: unknown field, ignored (did you mean "options"?)',
        'cases.jsonl:2: options.serach: unknown field, ignored (did you mean "search"?); 2 times',
        'cases.jsonl:2: options.skip.trcae: unknown field, ignored (did you mean "trace"?)',
        'cases.jsonl:3: input.nmae: unknown field, ignored (did you mean "name"?)',
        'cases.jsonl:3: input.content[0].txet: unknown field, ignored (did you mean "text"?)',
      ],
    })
  })

  test('is a mistake under --strict, each at its own line, all at once', async () => {
    expect(await load(true)).toEqual({
      problems: [
        'cases.jsonl:1: optoins: unknown field (did you mean "options"?)',
        'cases.jsonl:2: options.serach: unknown field (did you mean "search"?)',
        'cases.jsonl:2: options.skip.trcae: unknown field (did you mean "trace"?)',
        'cases.jsonl:3: input.nmae: unknown field (did you mean "name"?)',
        'cases.jsonl:3: input.content[0].txet: unknown field (did you mean "text"?)',
        'cases.jsonl:4: options.serach: unknown field (did you mean "search"?)',
      ],
      warnings: [],
    })
  })
})

test('every other warning about a suite is a mistake under --strict, too', async () => {
  const text = jsonLines({ id: 'a', input: { content: [] } }, { id: 'b', input: 'x', assert: [] })
  expect((await load(false, text)).warnings).toHaveLength(2)
  expect(await load(true, text)).toEqual({
    problems: [
      'cases.jsonl:1: input.content: an empty list says nothing to the agent',
      'cases.jsonl:2: assert: an empty list checks nothing, so every reply passes',
    ],
    warnings: [],
  })
})

test('a clean suite is no mistake under --strict', async () => {
  expect(await load(true, jsonLines({ id: 'a', input: 'x' }))).toEqual({ problems: [], warnings: [] })
})
