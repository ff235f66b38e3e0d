import type { Json } from '../core/json.ts'

/**
 * Runs functions of untrusted scripts. Each job gets a fresh QuickJS context in a worker thread: our globals only, no
 * Node, no files, no network; the only way out is `call`.
 */
export interface Sandbox {
  /** Never rejects for anything that the script does. */
  run(job: SandboxJob): Promise<SandboxOutcome>
  dispose(): Promise<void>
}

export interface SandboxJob {
  /** Path of the script, as `load` knows it. */
  readonly script: string
  /** Its function, exported or at the top level. */
  readonly function: string
  readonly args: readonly Json[]
  /**
   * Our own JavaScript, run first and in order, in one scope that no script reaches: it defines globals. There,
   * `__call(name, ...args)` reaches `call`, and `__atEnd(action)` runs `action` when the function has ended well.
   */
  readonly preludes: readonly string[]
  /**
   * Our own JavaScript in the same scope, a function of the script's function and the arguments; calls the one with the
   * other when absent. A promise that it gives is awaited.
   */
  readonly invoke?: string
  readonly load: LoadScript
  readonly call: OutsideCall
  readonly log: (line: ScriptLog) => void
  readonly limits: SandboxLimits
  readonly signal: AbortSignal
}

export interface SandboxLimits {
  /** Of the script's own running; the time an outside call takes does not count. */
  readonly timeMs: number
  readonly memoryBytes: number
  readonly stackBytes: number
}

/** Finds a script by what `require` was given and who asks; undefined when there is none. */
export type LoadScript = (specifier: string, from: string | undefined) => Promise<LoadedScript | undefined>

export interface LoadedScript {
  /** Its identity: asked for twice, it runs once. Shown in stacks. */
  readonly path: string
  /**
   * CommonJS; a line of it is the same line of the source. It may leave functions that it does not export in
   * `module.locals`.
   */
  readonly code: string
}

/**
 * Answers a call from inside, while the script waits. Throws a ScriptCallError to make the script's call throw; any
 * other error ends the script, whatever it catches, and is the outcome.
 */
export type OutsideCall = (name: string, args: readonly Json[]) => Promise<Json | undefined>

/** The script may catch this one. */
export class ScriptCallError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'ScriptCallError'
  }
}

export interface ScriptLog {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly text: string
}

export interface ScriptError {
  readonly name: string
  readonly message: string
  /** `at function (path:line)` per frame of the script, the innermost first; our own frames are left out. */
  readonly stack: string
}

export type SandboxOutcome =
  /** Undefined is null; what JSON cannot say is left out. */
  | { readonly kind: 'returned'; readonly value: Json }
  | { readonly kind: 'threw'; readonly error: ScriptError }
  /** The script has no such function. */
  | { readonly kind: 'missing' }
  | { readonly kind: 'stopped'; readonly by: 'time' | 'memory' | 'stack' | 'signal' }
  /** An outside call failed with something that is not for the script to catch. */
  | { readonly kind: 'ended'; readonly error: unknown }
