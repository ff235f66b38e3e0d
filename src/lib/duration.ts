const UNIT_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
}

/** Go counts nanoseconds in 64 bits: about 292 years. */
const LONGEST_MS = 2 ** 63 / 1e6

/**
 * Milliseconds of a Go duration such as `300ms`, `1m30s` or `1.5h`; undefined for anything else.
 * Source: Go's time.ParseDuration; a bare `0` parses, any other number needs a unit.
 */
export function parseDuration(text: string): number | undefined {
  if (/^[+-]?0$/.test(text)) return 0
  const signed = /^([+-]?)((?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/.exec(text)
  if (!signed) return undefined
  let total = 0
  for (const [, amount, unit] of (signed[2] ?? '').matchAll(/(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g)) {
    total += Number(amount) * (UNIT_MS[unit ?? ''] ?? 0)
  }
  if (total > LONGEST_MS) return undefined
  // Go counts whole nanoseconds.
  if (total < 1e-6) return 0
  return signed[1] === '-' ? -total : total
}

/** `850ms`, `1.2s`, `3m 12s`, `1h 4m`. */
export function formatDuration(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)}ms`
  if (ms < 59_950) return `${(ms / 1_000).toFixed(1)}s`
  const seconds = Math.round(ms / 1_000)
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m ${seconds % 60}s`
  return `${Math.floor(seconds / 3_600)}h ${Math.floor((seconds % 3_600) / 60)}m`
}
