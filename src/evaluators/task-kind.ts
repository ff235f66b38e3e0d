import { wordsOf } from '../lib/sentences.ts'
import { trimEdges } from '../lib/trim-edges.ts'

/** What a prompt asks for, as far as its words tell. */
export type TaskKind = 'tests' | 'docs' | 'review' | 'code' | 'delegation' | 'unknown'

/** In this order: the first group with a word in the prompt decides. Source: spec opencode-evals C.2. */
const KEYWORDS: readonly (readonly [TaskKind, ReadonlySet<string>])[] = [
  ['tests', formsOf('test spec jest vitest mocha pytest unittest', 'testable')],
  ['docs', formsOf('document readme doc docs jsdoc tsdoc docstring', 'documentation')],
  ['review', formsOf('review audit check analyze analyse inspect', 'analysis inspection')],
  [
    'code',
    formsOf(
      'create implement write add build develop code function class component refactor fix update modify change edit',
      'implementation wrote written built creation',
    ),
  ],
]

/** Whole words count, and of paths only what they call a file for readers: "latest" and `test_tmp/` are no tests. */
export function taskKindOf(prompt: string): TaskKind {
  const words = new Set(wordsOf(withoutPaths(prompt)))
  const found = KEYWORDS.find(([, forms]) => [...words].some((word) => forms.has(word)))
  return found?.[0] ?? 'unknown'
}

function withoutPaths(prompt: string): string {
  return prompt
    .split(/\s+/)
    .map((token) => (isPath(token) ? (token.toLowerCase().includes('readme') ? 'readme' : ' ') : token))
    .join(' ')
}

function isPath(token: string): boolean {
  if (token.includes('/') || token.includes('\\')) return true
  const bare = trimEdges(token)
  const dot = bare.lastIndexOf('.')
  return dot > 0 && /^[A-Za-z][A-Za-z0-9]{0,5}$/.test(bare.slice(dot + 1))
}

/** Each verb and noun with its endings, and some words as they are. */
function formsOf(stems: string, whole: string): ReadonlySet<string> {
  return new Set([...stems.split(' ').flatMap(endingsOf), ...whole.split(' ')])
}

function endingsOf(word: string): string[] {
  const stem = word.replace(/[ey]$/, '')
  const all = [
    word,
    `${word}s`,
    `${word}es`,
    `${word}ed`,
    `${word}d`,
    `${word}er`,
    `${word}ing`,
    `${stem}ing`,
    `${stem}er`,
  ]
  return word.endsWith('y') ? [...all, `${stem}ies`, `${stem}ied`] : all
}
