import fc from 'fast-check'
import { micromark } from 'micromark'
import { gfm, gfmHtml } from 'micromark-extension-gfm'
import { type DefaultTreeAdapterTypes, parseFragment } from 'parse5'

type Node = DefaultTreeAdapterTypes.ChildNode
type Parent = DefaultTreeAdapterTypes.DocumentFragment | DefaultTreeAdapterTypes.Element

/** What GitHub's Markdown makes of the text before its filters for mentions and references run. */
export function githubHtml(markdown: string): string {
  return micromark(markdown, { allowDangerousHtml: true, extensions: [gfm()], htmlExtensions: [gfmHtml()] })
}

export function parseHtml(html: string): DefaultTreeAdapterTypes.DocumentFragment {
  return parseFragment(html)
}

/** Every element below `parent`, in order. */
export function elementsOf(parent: Parent): DefaultTreeAdapterTypes.Element[] {
  return parent.childNodes.flatMap((node) => (isElement(node) ? [node, ...elementsOf(node)] : []))
}

export function isElement(node: Node): node is DefaultTreeAdapterTypes.Element {
  return 'tagName' in node
}

export function textContent(node: Parent | Node): string {
  if ('value' in node) return node.value
  return 'childNodes' in node ? node.childNodes.map(textContent).join('') : ''
}

/** Texts that GitHub's filters look through: everything outside of code, preformatted text and links. */
function filteredTexts(parent: Parent): string[] {
  return parent.childNodes.flatMap((node) => {
    if (!isElement(node)) return 'value' in node ? [node.value] : []
    return ['code', 'pre', 'a'].includes(node.tagName) ? [] : filteredTexts(node)
  })
}

/** What GitHub would link, notify or turn into a picture in a text. */
const REFERENCE =
  /@[\w-]|#\d|\bgh-\d|(?<![\da-z])[\da-f]{7,40}(?![\da-z])|\bwww\.|:\/\/|:[\w+-]+:|\$[^\s$]*\$|[\w.+-]+@[\w-]+\.\w/i

export function referencesIn(parent: Parent): string[] {
  return filteredTexts(parent).flatMap((text) => REFERENCE.exec(text)?.[0] ?? [])
}

/** The nesting of elements without their words, one line an element; `<span>` around a dollar sign does not count. */
export function skeletonOf(parent: Parent, depth = 0): string[] {
  return parent.childNodes.flatMap((node) => {
    if (!isElement(node)) return []
    if (node.tagName === 'span') return skeletonOf(node, depth)
    return [`${' '.repeat(depth)}${node.tagName}`, ...skeletonOf(node, depth + 1)]
  })
}

const FRAGMENTS = [
  '<img src=x onerror=alert(1)>',
  '<script>alert(1)</script>',
  '</details></summary></table>',
  '<details>',
  '<!-- agent-test:default -->',
  '-->',
  '`',
  '``',
  '```',
  '~~~',
  '|',
  '\\|',
  '\\',
  '\\\\',
  '\n',
  '\n\n',
  '\r\n',
  '\r',
  '\t',
  '    ',
  ' ',
  '# ',
  '=== ',
  '---',
  '- ',
  '1. ',
  '1) ',
  '> ',
  '> [!CAUTION]',
  '|---|',
  '@everyone',
  '@octocat',
  '@org/team',
  'a@b.example',
  'mailto:a@b.example',
  '#1',
  'GH-12',
  'octo/repo#3',
  '0123456789abcdef0123456789abcdef01234567',
  'deadbeef',
  'https://evil.example/x',
  'http://evil.example',
  'ftp://evil.example',
  'www.evil.example',
  '[x](https://evil.example)',
  '![x](https://evil.example/x.png)',
  '[x]: https://evil.example',
  '[^1]',
  '[^1]: note',
  '- [ ] ',
  '**b**',
  '__b__',
  '~~s~~',
  '&lt;b&gt;',
  '&#64;octocat',
  '&amp;',
  '$x$',
  '$`x`$',
  ':tada:',
  '\u001b[31m',
  '\u001b]0;title\u0007',
  '\u202e',
  '\u2028',
  '\u0000',
  '\ud800',
  '😀',
  '“ü”',
  '::error::x',
  '##[error]x',
  'word',
  'a',
] as const

/** Texts that try to break out: known tricks glued together with arbitrary characters. */
export const hostileText = fc
  .array(
    fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...FRAGMENTS) }, fc.string({ unit: 'binary', maxLength: 6 })),
    {
      minLength: 1,
      maxLength: 8,
    },
  )
  .map((parts) => parts.join(''))
