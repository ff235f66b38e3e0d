import { RE2JS } from 're2js'

/** A compiled pattern in the RE2 dialect: linear time, so untrusted patterns and texts are safe. */
export interface Pattern {
  /** Search, not full match. */
  test(text: string): boolean
}

const MAX_KNOWN = 1_000
// Compiling is dear, and every pattern is compiled to check it and again to use it, mostly in many cases of a suite.
const known = new Map<string, Pattern>()

/** Throws an Error whose message says what is wrong with the pattern. */
export function compilePattern(source: string): Pattern {
  const earlier = known.get(source)
  if (earlier) return earlier
  const compiled = RE2JS.compile(source)
  const pattern: Pattern = { test: (text) => compiled.matcher(text).find() }
  if (known.size >= MAX_KNOWN) known.clear()
  known.set(source, pattern)
  return pattern
}

/** What is wrong with a pattern, for whoever reads settings; undefined when it compiles. */
export function patternProblem(source: string): string | undefined {
  try {
    compilePattern(source)
    return undefined
  } catch (error) {
    return `not an RE2 pattern: ${error instanceof Error ? error.message : String(error)}`
  }
}
