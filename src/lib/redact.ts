const REPLACEMENT = '[redacted]'

/** Shorter values are words, not secrets: replacing them would shred every report. */
const SHORTEST_SECRET = 8

/** Shapes of keys that services hand out. Every branch is linear and anchored on a literal prefix. */
const KEY_SHAPES =
  /\b(?:sk-[A-Za-z0-9_-]{16,}|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|xox[abprs]-[A-Za-z0-9-]{10,}|AKIA[0-9A-Z]{16}|AIza[0-9A-Za-z_-]{30,}|eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,})|-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[A-Za-z0-9+/=\s]{0,10000}(?:-----END [A-Z ]{0,30}PRIVATE KEY-----)?/g

const SECRET_NAME = /(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL)/i

interface Redactor {
  add(value: string | undefined): void
  redact(text: string): string
}

/** Replaces known secret values, also in their URL and Base64 forms, and whatever has the shape of a key. */
export function createRedactor(): Redactor {
  let values: readonly string[] = []
  return {
    add(value) {
      if (value === undefined || value.trim().length < SHORTEST_SECRET) return
      const forms = [value, value.trim(), encodeURIComponent(value), Buffer.from(value).toString('base64')]
      // Longest first, so that a secret inside another does not leave the rest of the longer one behind.
      values = [...new Set([...values, ...forms])].sort((left, right) => right.length - left.length)
    },
    redact(text) {
      const known = values.reduce(
        (rest, value) => (rest.includes(value) ? rest.replaceAll(value, REPLACEMENT) : rest),
        text,
      )
      return known.replace(KEY_SHAPES, REPLACEMENT)
    },
  }
}

/** The values of variables whose names say that they are secret. */
export function secretsOfEnvironment(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(env).flatMap(([name, value]) => (value !== undefined && SECRET_NAME.test(name) ? [value] : []))
}
