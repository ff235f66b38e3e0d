import { createHash } from 'node:crypto'
import { type Json, sortedJson } from '../core/json.ts'
import type { Case } from '../core/suite.ts'

/** Eight bytes are sixteen digits; cut from the whole text they would keep all of it in memory. */
const FINGERPRINT_BYTES = 8
export const FINGERPRINT_LENGTH = 2 * FINGERPRINT_BYTES

/** Hash of what is asked and what must hold, file contents included; not of the id, the place or the time limit. */
export function fingerprintOf({
  messages,
  assertions,
  options,
  metadata,
}: Pick<Case, 'messages' | 'assertions' | 'options' | 'metadata'>): string {
  // All are plain JSON: they were read from a suite. Metadata counts because prompts can quote it.
  const question = { messages, assertions, options, metadata } as unknown as Json
  return createHash('sha256').update(sortedJson(question)).digest().toString('hex', 0, FINGERPRINT_BYTES)
}
