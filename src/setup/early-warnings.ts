import type { Host } from '../core/host.ts'

interface EarlyWarnings {
  /** Whose warnings are kept until `take`. */
  readonly host: Host
  /** What was warned of so far, each text once; from here on warnings go to the log. */
  take(): string[]
}

/** Keeps what is warned of while everything is opened, so that the report can tell it, too. */
export function keepWarnings(outer: Host): EarlyWarnings {
  const kept = new Set<string>()
  let isTaken = false
  return {
    host: {
      ...outer,
      log: {
        info: (message) => outer.log.info(message),
        warn(message) {
          if (isTaken) outer.log.warn(message)
          else kept.add(outer.secrets.redact(message))
        },
      },
    },
    take() {
      isTaken = true
      return [...kept]
    },
  }
}
