/**
 * Yao begins an answer with a line of its own when the assistant keeps a trace: a rocket, words in the user's language
 * and a link to the trace. Agents that answer for others may add theirs. Source: spec yao 12.
 */
const TRACE_LINE =
  /^\s*🚀[^\n[\]]{0,200}\[[^\n[\]]{0,200}\]\([^\s()]{0,2000}\/trace\/[^\s()/]{1,200}\/view\)[^\S\n]*(?:\n|$)/u

/** The answer without the lines that the server put before it. */
export function withoutTraceLines(text: string): string {
  let rest = text
  while (TRACE_LINE.test(rest)) rest = rest.replace(TRACE_LINE, '')
  return rest
}
