import type { Json } from '../core/json.ts'
import type { Check, RunRecord } from '../core/result.ts'
import { fencedBlock } from '../lib/escape.ts'
import { lineDiff } from '../lib/line-diff.ts'
import { jsonText } from './words.ts'

const MOST_OUTPUTS = 3
/** Unchanged lines shown around what differs. */
const CONTEXT = 3
/** Beyond this a diff is cut so much that two quotes say more. */
const LONGEST_SIDE = 20_000

/**
 * What was wanted and what came instead: one diff where both share lines, else both one after the other, each different
 * answer once. `length` cuts each quote.
 */
export function expectedAndGot(failed: readonly Check[], group: readonly RunRecord[], length: number): string[] {
  const wanted = failed.find((check) => check.expected !== undefined)
  const got = wanted?.actual ?? group[0]?.output
  const diff = wanted?.expected === undefined || got === undefined ? undefined : diffOf(wanted.expected, got)
  if (diff !== undefined) {
    const text = `Expected (-) against got (+):\n\n${fencedBlock(diff, { language: 'diff', maxLength: length })}`
    return [text, ...answers(group.slice(1), length, 'Got as well')]
  }
  const expected = wanted?.expected === undefined ? [] : [quoted('Expected', wanted.expected, length)]
  return [...expected, ...answers(group, length, 'Got')]
}

export function quoted(title: string, value: Json, maxLength: number): string {
  return `${title}:\n\n${fencedBlock(jsonText(value), { language: 'text', maxLength })}`
}

/** Undefined where both sides have too little in common for a diff to help. */
function diffOf(expected: Json, got: Json): string | undefined {
  const [before, after] = [jsonText(expected), jsonText(got)]
  if (before.length > LONGEST_SIDE || after.length > LONGEST_SIDE) return undefined
  const lines = lineDiff(before, after)
  if (!lines) return undefined
  const isTelling = (text: string) => /[\p{L}\p{N}]/u.test(text)
  const shared = lines.filter(({ kind, text }) => kind === 'same' && isTelling(text)).length
  const wanted = lines.filter(({ kind, text }) => kind !== 'after' && isTelling(text)).length
  if (shared === 0 || shared === lines.length || shared * 3 < wanted) return undefined
  const marks = { same: ' ', before: '-', after: '+' } as const
  return excerpt(lines.map(({ kind, text }) => ({ isSame: kind === 'same', line: `${marks[kind]} ${text}` })))
}

/** Without the long stretches in which nothing differs. */
function excerpt(lines: readonly { readonly isSame: boolean; readonly line: string }[]): string {
  const differing = lines.flatMap(({ isSame }, index) => (isSame ? [] : [index]))
  const isNear = (index: number) => differing.some((at) => Math.abs(at - index) <= CONTEXT)
  const shown: string[] = []
  let left = 0
  for (const [index, { line }] of lines.entries()) {
    if (isNear(index)) {
      if (left > 0) shown.push(`  … ${left} lines as expected`)
      left = 0
      shown.push(line)
    } else left += 1
  }
  return [...shown, ...(left > 0 ? [`  … ${left} lines as expected`] : [])].join('\n')
}

function answers(group: readonly RunRecord[], length: number, title: string): string[] {
  const different = new Map<string, { readonly output: Json; readonly run: number }>()
  for (const { output, run } of group) {
    if (output === undefined) continue
    const text = jsonText(output)
    if (!different.has(text)) different.set(text, { output, run })
  }
  const shown = [...different.values()].slice(0, MOST_OUTPUTS)
  const titleOf = (run: number) => (shown.length === 1 && title === 'Got' ? title : `${title} in run ${run}`)
  const more = different.size > shown.length ? [`… and ${different.size - shown.length} other answers.`] : []
  return [...shown.map(({ output, run }) => quoted(titleOf(run), output, length)), ...more]
}
