export type SplitCommand = { readonly words: readonly string[] } | { readonly problem: string }

/** Blanks, or a part of a word: between single quotes, between double quotes, escaped, plain. */
const PART = /(\s+)|'([^']*)'|"([^"\\]*(?:\\.[^"\\]*)*)"|\\(.)|([^\s'"\\]+)/sy

/**
 * Splits a command at blanks. Single and double quotes group, a backslash takes the next character as it is (not
 * between single quotes), adjacent parts join, `''` is an empty word. Nothing is expanded: `$`, `*`, `~`, `;` and `|`
 * are plain characters.
 */
export function splitCommand(text: string): SplitCommand {
  const words: string[] = []
  let word: string | undefined
  for (let at = 0; at < text.length; at = PART.lastIndex) {
    PART.lastIndex = at
    const match = PART.exec(text)
    if (!match) return { problem: unfinished(text, at) }
    const [, blanks, single, double, escaped, plain] = match
    if (blanks === undefined) {
      word = (word ?? '') + (single ?? double?.replace(/\\(.)/gs, '$1') ?? escaped ?? plain ?? '')
    } else {
      if (word !== undefined) words.push(word)
      word = undefined
    }
  }
  return { words: word === undefined ? words : [...words, word] }
}

/** Only an open quote or a last backslash is no part of a word. */
function unfinished(text: string, at: number): string {
  const letter = text.charAt(at)
  if (letter === '\\') return 'the backslash at the end has nothing to escape'
  const rest = text.slice(at)
  return `the ${letter === "'" ? 'single' : 'double'} quote in ${JSON.stringify(rest.length > 30 ? `${rest.slice(0, 30)}…` : rest)} is never closed`
}
