/** Secrets that the log must not show. */
export interface Masks {
  add(secret: string): void
  apply(text: string): string
}

export function createMasks(secrets: readonly string[]): Masks {
  const known = new Set<string>()
  const masks: Masks = {
    add(secret) {
      // A secret of several lines is also masked line by line.
      for (const part of [secret, ...secret.split(/\r?\n/)]) {
        if (part.trim() !== '') known.add(part)
      }
    },
    apply(text) {
      const longestFirst = [...known].sort((left, right) => right.length - left.length)
      return longestFirst.reduce((masked, secret) => masked.replaceAll(secret, '***'), text)
    },
  }
  for (const secret of secrets) masks.add(secret)
  return masks
}
