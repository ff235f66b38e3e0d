import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Problem } from '../../src/core/errors.ts'
import { renderProblems } from '../../src/render/index.ts'
import { elementsOf, githubHtml, hostileText, parseHtml, referencesIn } from '../support/markdown.ts'

const heading = 'Agent tests'
const links = {
  runUrl: 'https://github.com/acme/bot/actions/runs/1',
  headSha: 'a'.repeat(40),
  fileUrl: ({ file, line }: { file: string; line: number }) => `https://github.com/acme/bot/blob/x/${file}#L${line}`,
}

test('the verdict comes first, then every mistake with its place, a link and what to do', () => {
  const problems = [
    { file: 'a.jsonl', line: 2, field: 'assert[0].type', message: 'unknown', hint: 'did you mean "contains"?' },
    { field: 'input runs', message: 'expected 1' },
  ]
  expect(renderProblems({ cause: 'mistakes', problems }, { heading, links, chars: 60_000 }).split('\n')).toEqual([
    '### Agent tests',
    '',
    '> [!WARNING]',
    '> **Not run:** 2 mistakes in the suites or settings; nothing was called. The gate is closed.',
    '',
    '- [`a.jsonl:2`](https://github.com/acme/bot/blob/x/a.jsonl#L2) `assert[0].type` unknown (did you mean "contains"?)',
    '- `input runs` expected 1',
    '',
    '<sub>[Workflow run](https://github.com/acme/bot/actions/runs/1) · agent-test 1.0.0 · updated for `aaaaaaa`</sub>',
    '',
  ])
})

test.each([65_000, 2_000, 700, 10])(
  'of thousands of mistakes %d characters hold what fits and count the rest',
  (chars) => {
    const problems = Array.from(
      { length: 3_000 },
      (_, index): Problem => ({ file: 'a.jsonl', line: index + 1, message: 'x'.repeat(90) }),
    )
    const text = renderProblems({ cause: 'mistakes', problems }, { heading, links, chars })
    expect(text.length).toBeLessThanOrEqual(chars)
    if (chars < 700) return
    expect(text).toContain('3,000 mistakes')
    expect(text).toMatch(/\n- … and \d+ more; the log lists them all\n/)
    expect(text).toContain('updated for')
  },
)

test('no mistake says more than words', () => {
  fc.assert(
    fc.property(hostileText, (text) => {
      const problem = { file: text, line: 1, field: text, message: text, hint: text }
      const rendered = renderProblems({ cause: 'mistakes', problems: [problem] }, { heading: text, chars: 60_000 })
      const tree = parseHtml(githubHtml(rendered))
      const allowed = ['h3', 'blockquote', 'p', 'strong', 'ul', 'li', 'code', 'sub', 'span']
      expect(
        elementsOf(tree)
          .map(({ tagName }) => tagName)
          .filter((name) => !allowed.includes(name)),
      ).toEqual([])
      expect(referencesIn(tree).filter((found) => !found.includes('[!WARNING'))).toEqual([])
    }),
  )
})
