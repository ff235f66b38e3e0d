import { describe, expect, test } from 'vitest'
import { fingerprintOf } from '../../src/suites/fingerprint.ts'
import { casesOf, jsonLines, loadText } from './folder.ts'

describe('the fingerprint', () => {
  const base = {
    id: 'a',
    input: { content: [{ type: 'file', source: 'file://f.txt' }] },
    assert: { type: 'contains', value: 'x' },
    options: { mode: 'm' },
  }
  const fingerprint = async (record: object, content = 'one') =>
    casesOf(await loadText(jsonLines(record), { 'f.txt': content }))[0]?.fingerprint

  test.each([
    ['id', { ...base, id: 'b' }],
    ['time limit', { ...base, timeout: '3s' }],
    ['skip', { ...base, skip: true }],
    [
      'order of fields',
      { options: base.options, assert: { value: 'x', type: 'contains' }, input: base.input, id: 'a' },
    ],
  ])('does not change with the %s', async (_, record) => {
    expect(await fingerprint(record)).toBe(await fingerprint(base))
  })

  const talk = {
    ...base,
    simulator: { use: 's' },
    checkpoints: [{ id: 'c', assert: { type: 'contains', value: 'x' } }],
  }
  test.each([
    ['simulator', { ...talk, simulator: { use: 'other' } }],
    ['checkpoints', { ...talk, checkpoints: [{ ...talk.checkpoints[0], required: false }] }],
    ['number of turns', { ...talk, max_turns: 3 }],
    ['whole conversation', base],
  ])('of a conversation changes with the %s', async (_, record) => {
    expect(await fingerprint(record)).not.toBe(await fingerprint(talk))
  })

  test.each([
    ['question', { ...base, input: 'other' }],
    ['assertion', { ...base, assert: { type: 'contains', value: 'y' } }],
    ['options', { ...base, options: {} }],
    ['metadata, which prompts can quote', { ...base, metadata: { tier: 'gold' } }],
  ])('changes with the %s', async (_, record) => {
    expect(await fingerprint(record)).not.toBe(await fingerprint(base))
  })

  test('changes with the content of an attached file', async () => {
    expect(await fingerprint(base, 'two')).not.toBe(await fingerprint(base))
  })

  test('changes with the version of how runs are judged, and the first one is what had none', () => {
    const question = { messages: [], assertions: [], options: {}, metadata: {} }
    const [first, second, third] = [1, 2, 3].map((version) => fingerprintOf(question, version))
    expect(new Set([first, second, third]).size).toBe(3)
    // Made before there was a version.
    expect(first).toBe('a6744d7c3b95e8b0')
  })
})
