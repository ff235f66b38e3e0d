import { expect, test } from 'vitest'
import { shortenBlocks } from '../../src/render/shorten-blocks.ts'

const CUT = 'The rest is left out to fit: the workflow run has it.'
const FENCE = `\`\`\`\`text\n\`\`\`\n\n<details>\n${'words '.repeat(20)}\n\`\`\`\``
const DETAILS =
  '<details><summary>x</summary>\n\nwords\n\n<details><summary>y</summary>\n\nmore\n\n</details>\n\n</details>'
const FOOTER = '<sub>updated</sub>'
const text = ['figures', '#### Title', '| a |\n| - |', DETAILS, FENCE, FOOTER].join('\n\n')

test('a text that fits is left as it is', () => {
  expect(shortenBlocks(text, text.length)).toBe(text)
})

test('whole blocks are kept from the beginning, and the footer', () => {
  expect(shortenBlocks(text, text.length - 1)).toBe(
    ['figures', '#### Title', '| a |\n| - |', DETAILS, CUT, FOOTER].join('\n\n'),
  )
})

test('a title is not left alone', () => {
  const most = ['figures', '#### Title', CUT, FOOTER].join('\n\n').length
  expect(shortenBlocks(text, most)).toBe(['figures', CUT, FOOTER].join('\n\n'))
})

test('at any length nothing is left open, and the length holds', () => {
  for (let chars = 0; chars <= text.length; chars += 1) {
    const shorter = shortenBlocks(text, chars)
    if (shorter === undefined) {
      expect(chars).toBeLessThan(CUT.length)
      continue
    }
    expect(shorter.length).toBeLessThanOrEqual(chars)
    expect(shorter.includes(FENCE)).toBe(shorter.includes('````'))
    expect(shorter.includes(DETAILS)).toBe(shorter.includes('<summary>'))
  }
})
