import type { ConversationPlan } from './conversation.ts'
import type { EvaluationPlan } from './evaluation.ts'
import type { CaseGate } from './gate.ts'
import type { Json, JsonObject } from './json.ts'
import type { KindConfig } from './kind.ts'
import type { Message } from './message.ts'
import type { SessionPlan } from './session.ts'

export interface Location {
  /** Path of the suite file relative to the working directory, with `/`. */
  readonly file: string
  /** 1-based line where the case starts. */
  readonly line: number
}

/** One test: an input and what must hold. Identified across commits by `caseKey`. */
export interface Case {
  /** Identity across commits: `<suite>/<id>`. */
  readonly key: string
  readonly id: string
  readonly suite: string
  readonly location: Location
  /** The record's `input` as written. */
  readonly input: Json
  readonly messages: readonly Message[]
  readonly assertions: readonly KindConfig[]
  readonly options: CaseOptions
  readonly metadata: JsonObject
  readonly user?: string
  readonly team?: string
  readonly timeoutMs?: number
  /** A simulated user goes on from the input, until the checkpoints are reached. */
  readonly conversation?: ConversationPlan
  /** Function of the agent's `*_test.ts` that runs before each run; what it returns is for `after`. */
  readonly before?: string
  /** The one that runs after each run. */
  readonly after?: string
  /** How it is put to an agent that works in a session; `messages` is the first thing said there. */
  readonly session?: SessionPlan
  /** What is asked of the evaluations of its runs. */
  readonly evaluations?: EvaluationPlan
  /** What it asks of itself in place of the gate's settings; no part of the fingerprint. */
  readonly gate?: CaseGate
  /** Names that `--tag` selects by. */
  readonly tags?: readonly string[]
  /** Why the case is not run. */
  readonly skip?: string
  /** Hash of what is asked and what must hold; another fingerprint is another question. */
  readonly fingerprint: string
}

/** Yao's `options` of a record. Source: seed 000, "Options". */
export interface CaseOptions {
  readonly connector?: string
  readonly mode?: string
  readonly search?: boolean
  readonly disable_global_prompts?: boolean
  readonly metadata?: JsonObject
  readonly skip?: Readonly<Partial<Record<'history' | 'trace' | 'output' | 'keyword' | 'search', boolean>>>
}

export interface Suite {
  /** The file's path relative to the working directory, with `/`; `message` for a direct message. */
  readonly name: string
  /** Absolute path of the file; the working directory for a direct message. */
  readonly path: string
  readonly cases: readonly Case[]
  readonly warnings: readonly string[]
  /** Absolute paths of the files that its cases attach. */
  readonly references?: readonly string[]
  /** What runs its cases, whatever the command line names: a script test is its own target. */
  readonly target?: KindConfig
  /** What runs its cases where the command line names nothing. */
  readonly defaultTarget?: KindConfig
}

/** Name of the suite that direct messages make up: no file is called so, for suites have an extension. */
export const MESSAGE_SUITE = 'message'

/** An assertion with the field of the record that holds it, such as `checkpoints[0].assert[1]`. */
export interface PlacedAssertion {
  readonly config: KindConfig
  readonly field: string
}

/** Every assertion that may be judged in a run of the case, those of its checkpoints included. */
export function placedAssertions({
  assertions,
  conversation,
}: Pick<Case, 'assertions' | 'conversation'>): PlacedAssertion[] {
  const later = conversation?.checkpoints.map((checkpoint) => checkpoint.assertions) ?? []
  return [
    ...placedIn(assertions, 'assert'),
    ...later.flatMap((list, index) => placedIn(list, `checkpoints[${index}].assert`)),
  ]
}

/** A list of one is as likely written without its brackets. */
function placedIn(list: readonly KindConfig[], field: string): PlacedAssertion[] {
  return list.map((config, index) => ({ config, field: list.length === 1 ? field : `${field}[${index}]` }))
}

export function caseKey(suite: string, id: string): string {
  return `${suite}/${id}`
}
