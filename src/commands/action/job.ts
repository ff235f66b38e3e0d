import type { Config } from '../../config/config.ts'
import type { OutputName } from '../../config/outputs.ts'
import type { Host } from '../../core/host.ts'
import type { ExitReason } from '../../core/verdict.ts'
import type { GitHubContext } from '../../github/index.ts'
import type { GitHubPorts } from '../../setup/github-ports.ts'

export type Outputs = Partial<Record<OutputName, string>>

/** Workflow commands; only the entry writes them. */
export interface ActionSinks {
  command(line: string): void
  annotate(message: string, place: { readonly file?: string; readonly startLine?: number }): void
  /** Called early too: a cancelled job may not get to its end. */
  setOutputs(outputs: Outputs): void
}

/** What one job of the action works with, whatever its mode. `host.cwd` is the working directory. */
export interface Job {
  readonly config: Config
  readonly host: Host
  readonly sinks: ActionSinks
}

export interface Outcome {
  readonly outputs: Outputs
  readonly exitReason: ExitReason
  /** Why the job fails; empty when it does not, or when annotations have said it all. */
  readonly message: string
}

/** What the job has come to: how it ends when something breaks depends on it. */
export interface Progress {
  context?: GitHubContext
  github?: GitHubPorts
  /** Set once there is a report. */
  outcome?: Outcome
}

/** One mode of the action. Throws a UserError with every problem; what it has come to is in `progress`. */
export type RunMode = (job: Job, context: GitHubContext, progress: Progress) => Promise<Outcome>

/** A runner cuts an annotation at 4,096 characters. */
export const LONGEST_MESSAGE = 4_000
