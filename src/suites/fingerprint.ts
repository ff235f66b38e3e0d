import { createHash } from 'node:crypto'
import type { EvaluationPlan } from '../core/evaluation.ts'
import { type Json, sortedJson } from '../core/json.ts'
import { JUDGEMENT_VERSION } from '../core/judgement-version.ts'
import type { SessionPlan } from '../core/session.ts'
import type { Case } from '../core/suite.ts'

/** Eight bytes are sixteen digits; cut from the whole text they would keep all of it in memory. */
const FINGERPRINT_BYTES = 8
export const FINGERPRINT_LENGTH = 2 * FINGERPRINT_BYTES

type Question = Pick<
  Case,
  'messages' | 'assertions' | 'options' | 'metadata' | 'conversation' | 'session' | 'evaluations'
> & {
  /** Stands for the files of the session's workspace, wherever that lies. */
  readonly workspaceHash?: string
}

/**
 * Hash of what is asked, what must hold and how that is judged, file contents included; not of the id, the place or the
 * time limit.
 */
export function fingerprintOf(question: Question, judgementVersion = JUDGEMENT_VERSION): string {
  const { messages, assertions, options, metadata, conversation, session, evaluations, workspaceHash } = question
  // All are plain JSON: they were read from a suite. Metadata counts because prompts can quote it.
  const plain = {
    messages,
    assertions,
    options,
    metadata,
    ...(conversation === undefined ? {} : { conversation }),
    ...(session === undefined ? {} : { session: withoutPlace(session) }),
    ...(evaluations === undefined ? {} : { evaluations: withoutHaste(evaluations) }),
    ...(workspaceHash === undefined ? {} : { workspaceHash }),
    // The first version had no number: what was saved then is still comparable.
    ...(judgementVersion === 1 ? {} : { judgementVersion }),
  } as unknown as Json
  return createHash('sha256').update(sortedJson(plain)).digest().toString('hex', 0, FINGERPRINT_BYTES)
}

/** Whether a run that has failed goes on is no part of the question. */
function withoutHaste({ stopOnCritical: _stops, ...asked }: EvaluationPlan): object {
  return asked
}

function withoutPlace({ workspace: _path, turnTimeoutMs: _limit, ...asked }: SessionPlan): object {
  return asked
}
