import type { CaseReport } from '../core/case-report.ts'
import type { Report } from '../core/report.ts'
import { MESSAGE_SUITE } from '../core/suite.ts'

const PROGRAM = 'npx --yes github:org/agent-test#v1'

/**
 * The command that runs one case again, ready to be pasted into bash or zsh: nothing of the suite's or the case's
 * name is left for the shell or for the pattern to interpret. One line of printable characters.
 */
export function rerunCommand(
  { suite, id, input }: CaseReport,
  { runsPerCase }: Pick<Report, 'runsPerCase'>,
  extra: readonly string[] = [],
): string {
  const isMessage = suite === MESSAGE_SUITE && typeof input === 'string'
  const source = isMessage ? input : suite
  const filter = isMessage ? [] : ['--run', `^${quotePattern(id)}$`]
  // A value that starts with a hyphen would be taken for a flag.
  const given = source.startsWith('-') ? [`--input=${source}`] : ['-i', source]
  const words = [...given, ...filter, '--runs', String(runsPerCase), ...extra]
  return [PROGRAM, ...words.map(shellWord)].join(' ')
}

/** RE2: marks are escaped; what is not printable or could be misread is given by its number. */
export function quotePattern(id: string): string {
  return id
    .replace(/[\\.+*?()|[\]{}^$]/g, '\\$&')
    .replace(/\p{Surrogate}/gu, '.')
    .replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, (character) => `\\x{${(character.codePointAt(0) ?? 0).toString(16)}}`)
}

const PLAIN_WORD = /^[\w./:=,@%+^-]+$/
const UNPRINTABLE = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u

function shellWord(word: string): string {
  if (UNPRINTABLE.test(word)) return ansiQuoted(word)
  if (PLAIN_WORD.test(word)) return word
  return `'${word.replaceAll("'", `'\\''`)}'`
}

/** `$'…'` with every byte spelt out that is not printable ASCII: control characters survive copying. */
function ansiQuoted(word: string): string {
  const bytes = [...new TextEncoder().encode(word)]
  const spelt = bytes.map((byte) => {
    const isPlain = byte >= 0x20 && byte < 0x7f && byte !== 0x27 && byte !== 0x5c
    return isPlain ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`
  })
  return `$'${spelt.join('')}'`
}
