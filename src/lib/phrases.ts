/** Where one of the phrases stands among the words. */
interface PhraseMatch {
  readonly start: number
  /** Behind its last word. */
  readonly end: number
}

export interface Phrases {
  /** Every place where one begins, each with the longest that does. */
  all(words: readonly string[]): PhraseMatch[]
  /** The longest that begins at this word. */
  at(words: readonly string[], start: number): PhraseMatch | undefined
}

type Sequence = readonly ReadonlySet<string>[]

/**
 * Phrases as lines of words: `a|b` is either word, `a?` may be absent. Found by comparing words, without a pattern
 * engine, in time that grows with the number of words alone.
 */
export function phrases(...lines: readonly string[]): Phrases {
  const byFirst = new Map<string, Sequence[]>()
  for (const sequence of lines.flatMap(sequencesOf)) {
    for (const first of sequence[0] ?? []) byFirst.set(first, [...(byFirst.get(first) ?? []), sequence])
  }
  const at = (words: readonly string[], start: number): PhraseMatch | undefined => {
    let longest = 0
    for (const sequence of byFirst.get(words[start] ?? '') ?? []) {
      if (sequence.length > longest && fits(sequence, words, start)) longest = sequence.length
    }
    return longest === 0 ? undefined : { start, end: start + longest }
  }
  return {
    at,
    all: (words) => words.flatMap((_, start) => at(words, start) ?? []),
  }
}

function fits(sequence: Sequence, words: readonly string[], start: number): boolean {
  return sequence.every((choices, offset) => choices.has(words[start + offset] ?? ''))
}

/** One sequence for each choice of the words that may be absent. */
function sequencesOf(line: string): Sequence[] {
  let sequences: Sequence[] = [[]]
  for (const item of line.split(' ')) {
    const choices = new Set(item.replace(/\?$/, '').split('|'))
    const without = item.endsWith('?') ? sequences : []
    sequences = [...sequences.map((sequence) => [...sequence, choices]), ...without]
  }
  return sequences
}
