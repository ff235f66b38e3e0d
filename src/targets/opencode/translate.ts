import type { EmittedEvent } from '../../core/trace.ts'
import { readMessageInfo, type SessionInfo } from './raw.ts'
import { createRecording } from './recording.ts'

/** What is left of a family of sessions: the prompted one and those of its subagents. Any part of it may be missing. */
export interface Recorded {
  /** As the server describes them: `{id, parentID?, directory?, …}`. */
  readonly sessions?: Iterable<unknown>
  /** `{info, parts}` of all sessions, those of one session in their order. */
  readonly messages?: Iterable<unknown>
  /** As they came, `at` in milliseconds since the epoch. Only they know of approvals, which no server stores. */
  readonly events?: Iterable<{ readonly event: unknown; readonly at?: number }>
}

export interface Translated {
  /** In order, each with its time. */
  readonly events: readonly EmittedEvent[]
  readonly sessions: readonly SessionInfo[]
  /** What could not be read and was passed over, in words. */
  readonly skipped: readonly string[]
}

/**
 * Server data as a trace. A message that was listed replaces what events said of it. Order: by time; a call stands where
 * it began to act, which is after the reply it needed; of two at one time a request comes first and its reply next.
 */
export function translate({ sessions = [], messages = [], events = [] }: Recorded): Translated {
  const recording = createRecording()
  for (const session of sessions) recording.session(session)
  const listed = [...messages]
  // Ids of events tell a time without its year.
  const near = listed.reduce<number>((latest, message) => Math.max(latest, createdAt(message)), 0)
  for (const { event, at } of events) recording.event(event, at ?? (near > 0 ? near : undefined))
  for (const message of listed) recording.message(message)
  return { events: recording.take('everything'), sessions: recording.sessions(), skipped: recording.skipped() }
}

function createdAt(message: unknown): number {
  return readMessageInfo((message as { readonly info?: unknown } | null)?.info)?.time.created ?? 0
}
