import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { phrases } from '../../src/lib/phrases.ts'
import { sentencesOf, wordsOf } from '../../src/lib/sentences.ts'
import { trimEdges } from '../../src/lib/trim-edges.ts'

describe('sentences', () => {
  test.each<[string, string[]]>([
    ['One. Two! Three?', ['One.', 'Two!', 'Three?']],
    ['Save notes.txt now. Yes', ['Save notes.txt now.', 'Yes']],
    ['Is it "ok?" Yes', ['Is it "ok?"', 'Yes']],
    ['**Approval needed.** Go', ['**Approval needed.**', 'Go']],
    ['Would you\nlike me to?', ['Would you\nlike me to?']],
    ['Title\n\nText', ['Title', 'Text']],
    ['Plan:\n- one\n- two\n1. three', ['Plan:', '- one', '- two', '1.', 'three']],
    ['...', []],
    ['', []],
    ['Wait… what?', ['Wait… what?']],
    ['Run `rm. Now?` please', ['Run code please']],
    ['Before\n```\nShould I?\n```\nAfter', ['Before', 'After']],
    ['不。好？', ['不。好？']],
  ])('%j', (text, expected) => {
    expect(sentencesOf(text).map((sentence) => sentence.text)).toEqual(expected)
  })

  test.each([
    ['Should I?', true, true],
    ['Should I?** ', true, true],
    ['Do it.', false, true],
    ['Approval needed', false, false],
  ])('%s: a question %s, closed %s', (text, isQuestion, isClosed) => {
    expect(sentencesOf(text)).toMatchObject([{ isQuestion, isClosed }])
  })

  test('any text is split into what it holds', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        for (const sentence of sentencesOf(text)) expect(sentence.words.length).toBeGreaterThan(0)
      }),
    )
  })
})

test.each([
  ["I'd like, please: DON'T", ['id', 'like', ',', 'please', ',', 'dont']],
  ['don’t - do it', ['dont', ',', 'do', 'it']],
  ['well-known', ['well', 'known']],
  ['a_b c2', ['a_b', 'c2']],
])('the words of %s', (text, words) => {
  expect(wordsOf(text)).toEqual(words)
})

describe('phrases', () => {
  const list = phrases('go ahead', 'go ahead now', 'may|can i please? ask')
  test.each<[string, (readonly [number, number])[]]>([
    ['go ahead', [[0, 2]]],
    ['go ahead now', [[0, 3]]],
    ['so go', []],
    [
      'may i ask and can i please ask',
      [
        [0, 3],
        [4, 8],
      ],
    ],
    ['i please ask', []],
  ])('%s', (text, expected) => {
    expect(list.all(text.split(' ')).map(({ start, end }) => [start, end])).toEqual(expected)
  })

  test('at one place', () => {
    expect(list.at(['x', 'go', 'ahead'], 1)).toEqual({ start: 1, end: 3 })
    expect(list.at(['x', 'go', 'ahead'], 0)).toBeUndefined()
  })
})

test.each([
  ['"word",', '', 'word'],
  ['(a)', '', 'a'],
  ['error[E1]', ']', 'error[E1]'],
  ['...', '', ''],
  ['é!', '', 'é'],
  ['𝒜.', '', '𝒜'],
])('%s, keeping "%s", trimmed to %s', (text, kept, expected) => {
  expect(trimEdges(text, kept)).toBe(expected)
})
