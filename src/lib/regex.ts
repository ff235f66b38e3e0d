import { RE2JS } from 're2js'

/** A compiled pattern in the RE2 dialect: linear time, so untrusted patterns and texts are safe. */
export interface Pattern {
  /** Search, not full match. */
  test(text: string): boolean
}

/** Throws an Error whose message says what is wrong with the pattern. */
export function compilePattern(source: string): Pattern {
  const compiled = RE2JS.compile(source)
  return { test: (text) => compiled.matcher(text).find() }
}
