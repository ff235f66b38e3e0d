import type { Json } from '../core/json.ts'
import type { ScriptError, ScriptLog } from './sandbox.ts'

/** What the host tells a worker: one job at a time. */
export interface WorkerJob {
  readonly script: string
  readonly function: string
  /** JSON text of the list of arguments. */
  readonly args: string
  readonly preludes: readonly string[]
  readonly invoke: string
  readonly timeMs: number
  readonly memoryBytes: number
  readonly stackBytes: number
}

/** How the worker and its host share the wait: the worker sleeps on `bell` until the host has posted to `replies`. */
export interface WorkerData {
  readonly bell: SharedArrayBuffer
  readonly replies: import('node:worker_threads').MessagePort
}

/** JSON texts go between the threads, never structured values: those may be too deep to be copied. */
export type FromWorker =
  | { readonly kind: 'ready' }
  /** Text of a GuestRequest. The worker waits for an answer. */
  | { readonly kind: 'request'; readonly text: string }
  | { readonly kind: 'log'; readonly level: ScriptLog['level']; readonly text: string }
  | { readonly kind: 'end'; readonly end: JobEnd }

export type JobEnd =
  | { readonly kind: 'returned'; readonly text: string }
  | { readonly kind: 'threw'; readonly error: ScriptError }
  | { readonly kind: 'missing' }
  | { readonly kind: 'stopped'; readonly by: 'time' | 'memory' | 'stack' }
  /** After an answer said so. */
  | { readonly kind: 'ended' }

/** What a script asks of the outside. */
export type GuestRequest =
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly Json[] }
  | { readonly kind: 'load'; readonly specifier: string; readonly from: string | null }

/** What comes back, as JSON text. */
export type GuestReply =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'nothing' }
  /** The script's call throws it. */
  | { readonly kind: 'error'; readonly message: string }
  /** The script ends here and catches nothing. */
  | { readonly kind: 'ended' }

/** Longest JSON text that goes in or out at once. */
export const MAX_TEXT = 16 * 1024 * 1024

/** File name of our own code inside: its frames are left out of stacks. */
export const OUR_FILE = '<agent-test>'
