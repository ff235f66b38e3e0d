import { fileNameOf } from '../lib/file-name.ts'

/**
 * Names of the files that a session is kept in. Source: seed 001, "Storage Structure": `sessions/{sessionId}/` with these
 * three. `run.json` and `events.jsonl` are ours and stand beside `sessions/`.
 */
export const SESSIONS_FOLDER = 'sessions'
export const SESSION_FILE = 'session.json'
export const MESSAGES_FILE = 'messages.jsonl'
export const PARTS_FOLDER = 'parts'
export const EVENTS_FILE = 'events.jsonl'
export const RUN_FILE = 'run.json'

/** Of `run.json`: raised when an earlier reader would misread it. */
export const RUN_VERSION = 1

/** Longer texts are no single message, part or event. */
export const LONGEST_BYTES = 16 * 1024 ** 2

/** Files of a part, by its id; undefined for an id that is no safe name: such a part has no files. */
export function partFiles(id: string): { readonly text: string; readonly json: string } | undefined {
  if (id.length > 120 || !/^[\w-]+$/.test(id) || fileNameOf(id) !== id) return undefined
  return { text: `${id}.txt`, json: `${id}.json` }
}
