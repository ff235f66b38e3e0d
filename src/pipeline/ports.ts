import type { BaselineStore } from '../baselines/index.ts'
import type { BaselineOrigin, LoadedBaseline } from '../core/baseline.ts'
import type { RunRecord } from '../core/result.ts'
import type { Controls, RunBlob } from '../core/run-blob.ts'
import type { Waiver } from '../core/waiver.ts'
import type { Reporter } from '../reporters/reporter.ts'
import type { OpenedBaseSide } from '../setup/base-side.ts'

/** Where results go and what they are compared with; the entry decides. */
export interface Ports {
  readonly reporter: Reporter
  /** Finds what to compare with; absent when no baseline was asked for. */
  readonly loadBaseline?: () => Promise<LoadedBaseline>
  /** Saved to after a complete run. */
  readonly saveTo?: BaselineStore
  /** The tested commit where it is known for sure, so that a baseline is never compared with itself. */
  readonly commit?: string
  readonly origin: BaselineOrigin
  /** What was gathered of this very commit before: it counts, and is not run again. */
  readonly loadEarlier?: () => Promise<Earlier | undefined>
  /** Told everything that was gathered, before it is judged by others or again. */
  readonly saveBlob?: (blob: RunBlob) => Promise<void>
  /** The base commit's agent; absent where no control is wanted. Opened at most once, when the first is asked for. */
  readonly openBaseSide?: (baseline: LoadedBaseline | undefined) => Promise<OpenedBaseSide>
  /** Waivers from outside of the checkout, such as a label. */
  readonly moreWaivers?: () => Promise<readonly Waiver[]>
  /** A shard: others judge. */
  readonly isPart?: boolean
}

export interface Earlier {
  /** By case; errored runs are in it only where they are not to be run again. */
  readonly runs: ReadonlyMap<string, readonly RunRecord[]>
  readonly controls: Controls
  /** They are all there is: shards that are merged. */
  readonly isComplete?: boolean
}
