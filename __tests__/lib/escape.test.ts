import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  cut,
  escapeHtml,
  fencedBlock,
  htmlText,
  inertLine,
  inlineCode,
  inlineText,
  plainText,
  terminalBlock,
  workflowData,
  workflowProperty,
} from '../../src/lib/escape.ts'
import {
  elementsOf,
  githubHtml,
  hostileText,
  parseHtml,
  referencesIn,
  skeletonOf,
  textContent,
} from '../support/markdown.ts'

const withoutBreaks = (text: string) => text.replaceAll('\u200b', '')

/** Where our documents put words; `wanted` is what must be there when the words are plain. */
const PLACES: readonly (readonly [place: string, document: (words: string) => string])[] = [
  ['a paragraph', (words) => words],
  ['a paragraph between words', (words) => `before ${words} after`],
  ['bold words', (words) => `**${words}**`],
  ['a heading', (words) => `### ${words}`],
  ['a list item', (words) => `- ${words}`],
  ['an alert', (words) => `> [!NOTE]\n> ${words}`],
  ['a table cell', (words) => `| a | b |\n|---|--:|\n| ${words} | 1 |\n| x | 2 |`],
  ['the line after a paragraph', (words) => `above\n${words}`],
]

describe('words in Markdown', () => {
  test.each(PLACES)('%s keeps its shape and shows exactly the words', (_place, document) => {
    fc.assert(
      fc.property(hostileText, (text) => {
        fc.pre(plainText(text) !== '')
        const page = parseHtml(githubHtml(document(inlineText(text))))
        expect(skeletonOf(page)).toEqual(skeletonOf(parseHtml(githubHtml(document('words')))))
        expect(referencesIn(page)).toEqual([])
        expect(withoutBreaks(textContent(page))).toContain(withoutBreaks(plainText(text)))
      }),
      { numRuns: 300 },
    )
  })

  test.each(PLACES.filter(([place]) => place !== 'bold words'))(
    '%s keeps its shape around a code span',
    (_place, document) => {
      fc.assert(
        fc.property(hostileText, (text) => {
          fc.pre(plainText(text) !== '')
          const page = parseHtml(githubHtml(document(inlineCode(text))))
          expect(skeletonOf(page)).toEqual(skeletonOf(parseHtml(githubHtml(document('`code`')))))
          expect(referencesIn(page)).toEqual([])
          const code = elementsOf(page).filter((element) => element.tagName === 'code')
          expect(code.map((element) => withoutBreaks(textContent(element)))).toEqual([withoutBreaks(plainText(text))])
        }),
        { numRuns: 300 },
      )
    },
  )

  test('a fenced block holds its text whole and ends where it should', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const page = parseHtml(githubHtml(`before\n\n${fencedBlock(text, { language: 'text' })}\n\nafter`))
        expect(skeletonOf(page)).toEqual(['p', 'pre', ' code', 'p'])
        const [, , code] = elementsOf(page)
        expect(code && textContent(code).replace(/\n$/, '')).toBe(terminalBlock(text).replace(/\n$/, ''))
      }),
      { numRuns: 300 },
    )
  })

  test('words of an HTML summary stay words', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const page = parseHtml(githubHtml(`<details><summary>${htmlText(text)}</summary>\n\nbody\n\n</details>`))
        expect(skeletonOf(page)).toEqual(['details', ' summary', ' p'])
        expect(referencesIn(page)).toEqual([])
        expect(withoutBreaks(textContent(page))).toContain(withoutBreaks(plainText(text)))
      }),
      { numRuns: 300 },
    )
  })
})

test.each([
  ['plain words stay as they are', 'expected output to contain "Hello"', 'expected output to contain "Hello"'],
  ['emphasis is escaped', '*a* _b_ ~~c~~', '\\*a\\* \\_b\\_ \\~\\~c\\~\\~'],
  ['HTML becomes entities', '<b>&amp;</b>', '&lt;b&gt;&amp;amp;&lt;/b&gt;'],
  ['a pipe becomes an entity', 'a | b', 'a &#124; b'],
  ['a line start that makes a list is escaped', '- item', '\\- item'],
  ['a line start that makes a numbered list is escaped', '12) item', '12\\) item'],
  ['a version is no list', '1.0.0', '1.0.0'],
  ['line breaks become blanks', 'a\n\nb', 'a b'],
  ['a dollar sign cannot open a formula', 'costs $5', 'costs <span>$</span>5'],
  ['terminal colours are removed', '\u001b[31mred\u001b[0m', 'red'],
])('inlineText: %s', (_title, text, wanted) => {
  expect(inlineText(text)).toBe(wanted)
})

test.each([
  ['a plain id', 'refund-03', '`refund-03`'],
  ['one backtick inside', 'a`b', '``a`b``'],
  ['backticks at the ends', '`a`', '`` `a` ``'],
  ['a pipe', 'a|b', '<code>a&#124;b</code>'],
  ['nothing', '', '(empty)'],
  ['only control characters', '\u0000\u001b[0m', '(empty)'],
])('inlineCode: %s', (_title, text, wanted) => {
  expect(inlineCode(text)).toBe(wanted)
})

test('inlineCode cuts to the length it is given', () => {
  expect(inlineCode('abcdefgh', { maxLength: 4 })).toBe('`abc…`')
})

test.each([
  ['fits', 'abc', 3, 'abc'],
  ['is cut with an ellipsis', 'abcd', 3, 'ab…'],
  ['an emoji is not split', 'a😀b', 3, 'a…'],
  ['no room at all', 'abc', 0, ''],
])('cut: %s', (_title, text, maxLength, wanted) => {
  expect(cut(text, maxLength)).toBe(wanted)
})

test('a fenced block says how much was cut and keeps its fence', () => {
  expect(fencedBlock(`${'`'.repeat(4)}\n${'x'.repeat(100)}`, { maxLength: 10, language: 'te`xt' })).toBe(
    '`````text\n````\nxxxx…\n(96 more characters)\n`````',
  )
})

test('a text of many megabytes is cut without being read whole', () => {
  const started = performance.now()
  const block = fencedBlock('<x>\u001b[31m'.repeat(4_000_000), { maxLength: 1_000 })
  expect(block.length).toBeLessThan(1_100)
  expect(block).toMatch(/\n\(31\d{6} more characters\)\n```$/)
  expect(performance.now() - started).toBeLessThan(1_000)
})

test.each([
  ['quotes and angle brackets', `<a href="x" title='y'>&`, '&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;'],
])('escapeHtml: %s', (_title, text, wanted) => {
  expect(escapeHtml(text)).toBe(wanted)
})

test('nothing that moves the cursor, hides or reverses text reaches a terminal', () => {
  fc.assert(
    fc.property(hostileText, (text) => {
      expect(plainText(text)).not.toMatch(
        /\p{Cc}|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029]|\p{Surrogate}/u,
      )
      expect(terminalBlock(text)).not.toMatch(/(?![\n\t])\p{Cc}|[\u202a-\u202e\u2066-\u2069]|\p{Surrogate}/u)
    }),
  )
})

test.each([
  ['C1 sequence', '\u009b31mred', 'red'],
  ['hyperlink', '\u001b]8;;https://evil.example\u0007click\u001b]8;;\u0007', 'click'],
  ['carriage return that overwrites', 'FAILED\rPASSED', 'FAILED PASSED'],
  ['backspaces', 'ok\b\bno', 'okno'],
])('plainText: %s', (_title, text, wanted) => {
  expect(plainText(text)).toBe(wanted)
})

test('workflow command data and properties are escaped as the runner unescapes them', () => {
  expect(workflowData('50%\r\na:b,c')).toBe('50%25%0D%0Aa:b,c')
  expect(workflowProperty('50%\r\na:b,c')).toBe('50%25%0D%0Aa%3Ab%2Cc')
})

/** How the runner finds a command, with its blindness for invisible characters. Source: actions/runner, ActionCommand.cs. */
function isCommand(line: string): boolean {
  const seen = line.replace(/[\p{C}\p{DI}]/gu, '').trimStart()
  return seen.startsWith('::') || seen.includes('##[')
}

test.each([
  ['at the start', '::error::x', ': :error::x'],
  ['after blanks', ' \t::add-mask::x', ' \t: :add-mask::x'],
  ['old form anywhere', 'log ##[error]x', 'log ## [error]x'],
  ['on a later line', 'a\n::stop-commands::x', 'a\n: :stop-commands::x'],
  ['behind invisible characters', '\u200b:\u200d:error::x', '\u200b: \u200d:error::x'],
  ['harmless colons stay', 'std::vector ::', 'std::vector ::'],
])('inertLine: a command %s', (_title, text, wanted) => {
  expect(inertLine(text)).toBe(wanted)
})

test('no line of a log can be a workflow command', () => {
  fc.assert(
    fc.property(hostileText, fc.constantFrom('', '::', '##[', ' :', '\u00ad:', '#\ufeff'), (text, start) => {
      for (const line of inertLine(`${start}${text}`).split(/\r\n|\r|\n/)) expect(isCommand(line)).toBe(false)
    }),
    { numRuns: 1000 },
  )
})
