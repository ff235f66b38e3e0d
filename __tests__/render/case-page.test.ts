import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type CasePage, renderCasePage } from '../../src/render/index.ts'
import { elementsOf, githubHtml, hostileText, parseHtml, referencesIn, skeletonOf } from '../support/markdown.ts'

/** A page with something in every place, where each place holds one of the texts. */
function pageWith(text: (index: number) => string): CasePage {
  const run = {
    output: `o${text(0)}`,
    error: `e${text(1)}`,
    status: `s${text(2)}`,
    assertions: [
      { type: `t${text(3)}`, passed: true, message: `m${text(4)}` },
      { type: `t${text(5)}`, passed: false, message: `m${text(6)}` },
    ],
    trace: [
      { type: `t${text(7)}`, data: `d${text(8)}` },
      { type: 'tool_call', data: { [`k${text(9)}`]: text(10) } },
    ],
  }
  return {
    id: `i${text(11)}`,
    status: `s${text(0)}`,
    figures: [['Suite', `f${text(1)}`]],
    error: `e${text(2)}`,
    given: [
      ['Input', `g${text(3)}`],
      ['Options', { [`k${text(4)}`]: text(5) }],
    ],
    runs: [
      { ...run, number: 1, durationMs: 3 },
      { ...run, number: 2 },
    ],
  }
}

const nodesOf = (page: CasePage) => parseHtml(githubHtml(renderCasePage(page)))
const plain = nodesOf(pageWith(() => 'word'))

describe('a page of one result', () => {
  test('says everything that was said', () => {
    const page: CasePage = {
      id: 'greet',
      status: 'failed',
      figures: [['Pass Rate', '0%']],
      error: 'expected "Hello"',
      given: [['Input', 'Hi']],
      runs: [
        {
          output: 'x'.repeat(20_000),
          assertions: [{ type: 'contains', passed: false, message: 'expected "Hello"' }],
          trace: [{ type: 'tool_call', data: { tool: 'find' } }],
        },
      ],
    }
    const text = renderCasePage(page)
    expect(text).toContain('x'.repeat(20_000))
    expect(text.replace(/x{20000}/, '(output)')).toMatchInlineSnapshot(`
      "# ❌ \`greet\` - failed

      | Figure | Value |
      | - | - |
      | Pass Rate | 0% |

      **Error:** expected "Hello"

      ## Input

      \`\`\`text
      Hi
      \`\`\`

      ## Output

      \`\`\`text
      (output)
      \`\`\`

      ## Assertions

      - ❌ \`contains\`: expected "Hello"

      ## Trace

      \`tool_call\`

      \`\`\`json
      {
        "tool": "find"
      }
      \`\`\`
      "
    `)
  })

  test('no text in it becomes an element, a link, a mention or a reference', () => {
    fc.assert(
      fc.property(fc.array(hostileText, { minLength: 12, maxLength: 12 }), (texts) => {
        const nodes = nodesOf(pageWith((index) => texts[index] ?? ''))
        expect(skeletonOf(nodes)).toEqual(skeletonOf(plain))
        expect(referencesIn(nodes)).toEqual([])
        expect(elementsOf(nodes).filter(({ tagName }) => ['a', 'img', 'script', 'input'].includes(tagName))).toEqual([])
      }),
      { numRuns: 300 },
    )
  })
})
