import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isTooDeep, positionOf, scanJson } from '../../src/suites/scan-json.ts'

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

describe('the scanner', () => {
  test('takes every JSON value whole, whatever follows', () => {
    fc.assert(
      fc.property(
        fc.json({ maxDepth: 6 }),
        fc.constantFrom('', ' ', ' x', ',1', '\n{}'),
        fc.nat(3),
        (json, rest, indent) => {
          const text = JSON.stringify(JSON.parse(json), null, indent)
          const scan = scanJson(`  ${text}${rest}`)
          expect(scan).toEqual({ kind: 'complete', end: text.length + 2 })
        },
      ),
    )
  })

  test('agrees with JSON.parse on what is JSON', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '"\\u00e9"',
      '"\\x"',
      '"',
      '1',
      '-0.5e+3',
      '01',
      '.5',
      '-',
      'true',
      'nul',
      'null',
      ' ',
      '\n',
      '\t',
      "'a'",
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 9 }), (pieces) => {
        const text = pieces.join('')
        const scan = scanJson(text)
        const isWhole = scan.kind === 'complete' && text.slice(scan.end).trim() === ''
        expect(isWhole).toBe(isJson(text))
      }),
      { numRuns: 5_000 },
    )
  })

  test('calls a cut value unfinished or names the place', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), (json, at) => {
        const text = `[${json}]`
        const cut = text.slice(0, 1 + (at % (text.length - 1)))
        const scan = scanJson(cut)
        expect(scan.kind).not.toBe('complete')
        if (scan.kind === 'broken') expect(scan.at).toBeLessThan(cut.length)
      }),
    )
  })

  test.each([
    ['\n\nx', { line: 3, column: 1 }],
    ['ab x', { line: 1, column: 4 }],
    ['a\r\n\tx', { line: 2, column: 2 }],
  ])('place of the x in %j', (text, place) => {
    expect(positionOf(text, text.indexOf('x'))).toEqual(place)
  })

  test.each([
    ['[[]]', 2, false],
    ['[[]]', 1, true],
    ['[1,{"a":[]}]', 2, true],
    ['"x"', 0, false],
  ])('%s is deeper than %d levels: %s', (json, levels, expected) => {
    expect(isTooDeep(JSON.parse(json), levels)).toBe(expected)
  })
})
