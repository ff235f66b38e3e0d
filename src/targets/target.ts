import type { z } from 'zod'
import type { Problem } from '../core/errors.ts'
import type { Host } from '../core/host.ts'
import type { ContextFile, Identity } from '../core/identity.ts'
import type { Kind, KindConfig } from '../core/kind.ts'
import type { SessionKeeper } from '../core/session-keeper.ts'
import type { Case, CaseOptions } from '../core/suite.ts'
import type { EmittedEvent } from '../core/trace.ts'

/** One turn of a conversation, whose case holds all messages so far. */
interface ConversationTurn {
  /** From 1. */
  readonly number: number
  /** The same object in every turn of one run and in no other run: what must live over the turns can hang on it. */
  readonly conversation: object
}

/** What the user of a conversation says before a turn. */
export interface UserTurn {
  readonly message: string
  /** It has what it wanted, and says nothing more. */
  readonly goalAchieved: boolean
  readonly reasoning?: string
}

/** One run of one case, everything resolved. */
export interface RunRequest {
  readonly case: Case
  /** From 1. */
  readonly run: number
  readonly identity: Identity
  /** The case's options with the command line's overrides applied. */
  readonly options: CaseOptions
  /** Operations, as `operationOf` names them, that were approved on the base branch; where the case learns. */
  readonly learned?: ReadonlySet<string>
  /** Absent where the case is over with one reply. */
  readonly turn?: ConversationTurn
  /** Aborts at the run's time limit and on interruption. */
  readonly signal: AbortSignal
}

export interface UnusedOption {
  /** Such as `options.skip.trace`. */
  readonly field: string
  /** What becomes of it, such as "passed to hooks only". */
  readonly fate: string
}

/** What is tested. */
export interface Target {
  /** Names the target in reports and baselines; no secrets, the same on every machine. */
  readonly label: string
  /** Absolute paths of files it reads while it runs: results must not be written over them. */
  readonly reads?: readonly string[]
  /** Absolute path of the agent's folder, where it has one. */
  readonly agentFolder?: string
  /** Absolute path of the application that the agent belongs to, where it is one of several there. */
  readonly application?: string
  /** Its answers were recorded once, and are the same whatever becomes of the agent. */
  readonly isRecorded?: boolean
  /** Does all that a case's session asks for; without it such a case is run only when its first prompt is all there is. */
  readonly runsSessions?: boolean
  /** Problems of this case on this target, before any run: what this target cannot do or does not know. */
  check?(item: Case): readonly Problem[] | Promise<readonly Problem[]>
  /** What the case asks for in its options that this target does not do itself; said once a suite, by name. */
  unusedOptions?(item: Case): readonly UnusedOption[]
  /** Model that a case with these options, the command line's applied, asks for; undefined where that is not known. */
  requestedModel?(item: Case, options: CaseOptions): string | undefined
  /** Runs the agent once; throws a TargetError when it could not be run. */
  execute(request: RunRequest): AsyncIterable<EmittedEvent>
  /**
   * What the user says before a later turn, where the target knows: a recording is not talked with anew. Without it the
   * simulator is asked. Throws a TargetError when it does not know.
   */
  userTurn?(request: RunRequest, turn: number): Promise<UserTurn>
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
  /** `-n`, only for kinds that take it. */
  readonly name?: string
  /** Absolute path of the nearest folder with a package.yao above the suite, only for kinds that take a name. */
  readonly agentFolder?: string
  /** `-u` and `-t`, only when given. */
  readonly user?: string
  readonly team?: string
  /** Keeps what a target with sessions is told; without it nothing is kept. */
  readonly keeper?: SessionKeeper
  /** Whether a text asks for approval, for what is only said when it does; nothing asks without it. */
  readonly asksApproval?: (text: string) => boolean
}

/** A checkout of another commit, beside the tested one. */
export interface Checkout {
  /** The host of the tested one, in the same folder of this one. */
  readonly host: Host
  /** Where something of the tested checkout lies here, by absolute path; undefined for what lies outside of it. */
  pathOf(path: string): string | undefined
}

/** Settings for the same agent of another commit; or a clause that says why there are none. */
export type Moved = { readonly settings: KindConfig } | { readonly reason: string }

/** As `Moved`, with or without the type. */
export type MovedSettings = { readonly settings: Readonly<Record<string, unknown>> } | { readonly reason: string }

/** The context is that of the tested one. */
type MoveSettings<S> = (
  settings: S,
  context: TargetContext,
  checkout: Checkout,
) => MovedSettings | Promise<MovedSettings>

export interface TargetKind extends Kind {
  /** `--target TYPE` alone names a target. */
  readonly needsNoValue?: boolean
  /** Asks a model, whose answers `--record` can write to a cassette. */
  readonly asksModel?: boolean
  /** True when these settings leave the agent to `-n`, or to the place of the suite. */
  takesName?(config: KindConfig): boolean
  /** Settings from the VALUE of `--target TYPE:VALUE`. */
  fromValue(value: string): Record<string, unknown>
  /** Opens the target; throws a UserError with every problem found. */
  create(config: KindConfig, context: TargetContext): Promise<Target>
  /** Settings that open the agent of a checkout in place of the tested one; a text says why that can never be. */
  readonly inCheckout: string | MoveSettings<KindConfig>
}

/** A kind whose `create` sees its own settings typed; parsing twice is safe because settings are plain data. */
export function defineTarget<S extends z.ZodObject>(definition: {
  readonly type: string
  readonly schema: S
  readonly asksModel?: boolean
  readonly needsNoValue?: boolean
  takesName?(config: KindConfig): boolean
  fromValue(value: string): Record<string, unknown>
  create(settings: z.infer<S>, context: TargetContext): Promise<Target>
  readonly inCheckout: string | MoveSettings<z.infer<S>>
}): TargetKind {
  const { inCheckout, schema, ...rest } = definition
  return {
    ...rest,
    schema,
    create: ({ type: _type, ...settings }, context) => definition.create(schema.parse(settings), context),
    inCheckout:
      typeof inCheckout === 'string'
        ? inCheckout
        : ({ type: _type, ...settings }, context, checkout) => inCheckout(schema.parse(settings), context, checkout),
  }
}
