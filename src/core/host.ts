/** The outside world, handed in by the entry: nothing below the entries touches clock, environment or streams itself. */
export interface Host {
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Aborted by SIGINT and SIGTERM: no new run starts, running ones end. */
  readonly signal: AbortSignal
  /** Milliseconds since the epoch. */
  now(): number
  /** Resolves after `ms`, or at once when `signal` aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** The human report (standard output). `text` may hold several lines; no newline is added at the end. */
  print(text: string): void
  readonly log: Log
  /** Values that must not leave the process; targets add the keys they read. */
  readonly secrets: Secrets
  /** Absolute path of the program that a sandbox's worker thread runs: it stands beside the entry's bundle. */
  readonly sandboxProgram: string
}

/** Progress, warnings and errors (standard error). */
export interface Log {
  info(message: string): void
  warn(message: string): void
}

export interface Secrets {
  add(value: string | undefined): void
  /** The text with every known secret, and whatever looks like a key, replaced. */
  redact(text: string): string
}
