import type { Host } from '../core/host.ts'

/** What a verb knows of the process beside the host. */
export interface Terminal {
  /** Standard output is a terminal, where control characters of an agent would act. */
  readonly isTerminal: boolean
  /** Standard output shows colours. */
  readonly colour: boolean
  /** Folder of the package: holds `examples/`. */
  readonly packageRoot: string
}

/** A verb of the command line. */
export interface Command {
  readonly name: string
  /** Printed for `--help` behind the verb; the general text where there is none. */
  readonly help?: string
  /** Exit code of the process. */
  run(args: readonly string[], host: Host, terminal: Terminal): Promise<number>
}
