/** Gives equal texts as one and the same, so that a hundred thousand that were parsed apart take the place of one. */
export function sharedTexts(): (text: string) => string {
  const known = new Map<string, string>()
  return (text) => {
    const first = known.get(text)
    if (first === undefined) known.set(text, text)
    return first ?? text
  }
}
