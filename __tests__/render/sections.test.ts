import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { renderSection, renderSections, type Section } from '../../src/render/index.ts'
import { elementsOf, githubHtml, hostileText, parseHtml, referencesIn } from '../support/markdown.ts'
import { sampleLinks, sampleReports } from '../support/sample-reports.ts'

const LIMIT = 65_536

function sectionOf(name: string, title = name): Section {
  const report = sampleReports[name]
  if (!report) throw new Error(`there is no sample ${name}`)
  return renderSection(report, { heading: title, links: sampleLinks, chars: LIMIT })
}

const red = sectionOf('mixed')
const green = sectionOf('green')
const orderOf = (text: string, ...words: readonly string[]) => {
  const places = words.map((word) => text.indexOf(word))
  expect(places).not.toContain(-1)
  expect(places).toEqual([...places].sort((left, right) => left - right))
}

describe('sections of several jobs', () => {
  test('stand worst first, whatever the order they come in', () => {
    const text = renderSections([green, sectionOf('young-baseline'), sectionOf('errors'), red], {
      heading: 'Agent tests',
      chars: LIMIT,
    })
    expect(text).toMatch(/^### Agent tests\n\n> \[!CAUTION\]\n> \*\*2 of 4 sections failed\.\*\*\n/)
    orderOf(text, '| mixed |', '| errors |', '| young-baseline |', '| green |')
    orderOf(text, '#### mixed', '#### errors', '<summary><b>young-baseline', '<summary><b>green')
  })

  test('say so where none failed', () => {
    const text = renderSections([green, { ...green, title: 'other' }], { heading: 'Agent tests', chars: LIMIT })
    expect(text).toContain('> [!TIP]\n> **2 sections, none failed.**')
  })

  test('a single one has its own title and no table of sections', () => {
    const text = renderSections([green], { heading: 'Agent tests', chars: LIMIT })
    expect(text.startsWith(`### green\n\n> [!${green.alert}]\n> ${green.line}\n\n`)).toBe(true)
    expect(text).toContain(green.body)
    expect(text).not.toContain('| Section |')
  })

  test('a line that was read from a comment stays one line', () => {
    const text = renderSections([{ ...green, line: '**x**\n\n# y\r\nz' }], { heading: 'h', chars: LIMIT })
    expect(text).toContain('> **x** # y z\n')
  })
})

describe('hidden lines', () => {
  const marks = (section: Section, body: string) => ({
    before: `<!-- in ${section.title} ${body.length} -->`,
    after: `<!-- out ${section.title} -->`,
  })

  test.each([LIMIT, 20_000, 8_000, 3_000, 2_000])('stand around each body as it is, also within %d', (chars) => {
    const sections = [green, red, { ...red, title: 'again' }]
    const text = renderSections(sections, { heading: 'h', chars, marks })
    expect(text.length).toBeLessThanOrEqual(chars)
    for (const { title } of sections) {
      const [, length, body] =
        new RegExp(`<!-- in ${title} (\\d+) -->\\n\\n([^]*?)<!-- out ${title} -->`).exec(text) ?? []
      expect(body?.replace(/\n\n$/, '')).toHaveLength(Number(length))
    }
  })
})

/** Every details element and fence that is opened is closed, in this order. */
function expectWhole(text: string): void {
  expect(text.match(/<details/g)?.length ?? 0).toBe(text.match(/<\/details>/g)?.length ?? 0)
  expect((text.match(/^`{3,}/gm)?.length ?? 0) % 2).toBe(0)
}

test('at any limit the text stays within it, is whole, and tells how many failed', () => {
  const sections = [
    green,
    red,
    sectionOf('errors'),
    ...Array.from({ length: 6 }, (_, index) => sectionOf('regression', `leg ${index}`)),
  ]
  fc.assert(
    fc.property(fc.integer({ min: 50, max: 70_000 }), (chars) => {
      const text = renderSections(sections, { heading: 'Agent tests', chars })
      expect(text.length).toBeLessThanOrEqual(chars)
      expectWhole(text)
      expect(text).toContain('8 of 9 sections failed')
    }),
    { numRuns: 60 },
  )
})

test('a short section is not cut for a long one', () => {
  const long = {
    ...red,
    body: Array.from({ length: 500 }, (_, index) => `Paragraph ${index} of many words.`).join('\n\n'),
  }
  const text = renderSections([long, green], { heading: 'h', chars: 6_000 })
  expect(text).toContain(green.body)
  expect(text).toContain('The rest is left out to fit')
})

test('a hundred legs stay within the limit, each with its line', () => {
  const legs = Array.from({ length: 100 }, (_, index) => ({ ...green, title: `leg ${index}` }))
  const text = renderSections(legs, { heading: 'Agent tests', chars: LIMIT })
  expect(text.length).toBeLessThanOrEqual(LIMIT)
  for (const { title } of legs) expect(text).toContain(`| ${title} |`)
})

test('no title makes an element, a link or a mention', () => {
  const short = (section: Section, title = section.title): Section => ({ ...section, title, body: 'Some words.' })
  const pageOf = (words: string) =>
    parseHtml(githubHtml(renderSections([short(red), short(green, words)], { heading: words, chars: LIMIT })))
  const tagsOf = (page: ReturnType<typeof parseHtml>) =>
    elementsOf(page).flatMap(({ tagName }) => (tagName === 'span' ? [] : [tagName]))
  const wanted = tagsOf(pageOf('word'))
  fc.assert(
    fc.property(hostileText, (title) => {
      const page = pageOf(title)
      expect(tagsOf(page)).toEqual(wanted)
      expect(referencesIn(page)).toEqual([])
    }),
  )
})
