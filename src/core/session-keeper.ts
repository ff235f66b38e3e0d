import type { JsonObject } from './json.ts'
import type { Case } from './suite.ts'

/** Keeps what a target with sessions was told, as it came, so that a run can be judged again without being run again. */
export interface SessionKeeper {
  /** A run begins, or is tried again: what an earlier try left is gone. */
  open(run: { readonly case: Case; readonly run: number }): Promise<SessionRecorder>
}

export interface SessionRecorder {
  /** An event of the server, `at` in milliseconds since the epoch. A promise when the disk is behind. */
  event(event: unknown, at: number): Promise<void> | undefined
  /** A session as the server describes it, with its messages `{info, parts}`; once for each of the family. */
  session(info: unknown, messages: Iterable<unknown>): Promise<void>
  /** What else is worth knowing of the run, such as `agent` and `model`. */
  close(facts?: JsonObject): Promise<void>
}
