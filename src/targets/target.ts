import type { z } from 'zod'
import type { Problem } from '../core/errors.ts'
import type { Host } from '../core/host.ts'
import type { ContextFile, Identity } from '../core/identity.ts'
import type { Kind, KindConfig } from '../core/kind.ts'
import type { Case, CaseOptions } from '../core/suite.ts'
import type { EmittedEvent } from '../core/trace.ts'

/** One run of one case, everything resolved. */
export interface RunRequest {
  readonly case: Case
  /** From 1. */
  readonly run: number
  readonly identity: Identity
  /** The case's options with the command line's overrides applied. */
  readonly options: CaseOptions
  /** Aborts at the run's time limit and on interruption. */
  readonly signal: AbortSignal
}

/** What is tested. */
export interface Target {
  /** Names the target in reports and baselines; no secrets, the same on every machine. */
  readonly label: string
  /** Absolute paths of files it reads while it runs: results must not be written over them. */
  readonly reads?: readonly string[]
  /** Problems of this case on this target, before any run: what this target cannot do or does not know. */
  check?(item: Case): readonly Problem[]
  /** Runs the agent once; throws a TargetError when it could not be run. */
  execute(request: RunRequest): AsyncIterable<EmittedEvent>
  dispose?(): Promise<void>
}

/** What a kind may use while it opens a target. */
export interface TargetContext {
  readonly host: Host
  /** `--connector`, only when given. */
  readonly connector?: string
  /** `--record`: absolute path of the cassette to write. */
  readonly record?: string
  readonly context?: ContextFile
}

export interface TargetKind extends Kind {
  /** Asks a model, whose answers `--record` can write to a cassette. */
  readonly asksModel?: boolean
  /** Settings from the VALUE of `--target TYPE:VALUE`. */
  fromValue(value: string): Record<string, unknown>
  /** Opens the target; throws a UserError with every problem found. */
  create(config: KindConfig, context: TargetContext): Promise<Target>
}

/** A kind whose `create` sees its own settings typed; parsing twice is safe because settings are plain data. */
export function defineTarget<S extends z.ZodObject>(definition: {
  readonly type: string
  readonly schema: S
  readonly asksModel?: boolean
  fromValue(value: string): Record<string, unknown>
  create(settings: z.infer<S>, context: TargetContext): Promise<Target>
}): TargetKind {
  return {
    ...definition,
    create: ({ type: _type, ...settings }, context) => definition.create(definition.schema.parse(settings), context),
  }
}
