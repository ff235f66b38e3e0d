interface Subject {
  output: unknown
  timeline: { type: string; data: { parameters?: { filePath?: string } } }[]
  input: unknown
}

/** The answer names every file that was written. */
export function check({ output, timeline }: Subject, settings: { ignore?: string[] }) {
  const files = timeline.flatMap(({ type, data }) => (type === 'tool_call' ? (data.parameters?.filePath ?? []) : []))
  const missing = files.filter((file) => !settings.ignore?.includes(file) && !String(output).includes(file))
  return missing.length === 0 || { pass: false, message: `the answer does not mention ${missing.join(', ')}` }
}
