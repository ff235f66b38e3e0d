import type { Baseline, LoadedBaseline } from '../core/baseline.ts'

/** Where baselines are kept. */
export interface BaselineStore {
  /** Never throws for a missing or unreadable baseline: that is a state of its own. */
  load(): Promise<LoadedBaseline>
  /**
   * Saves what `append` makes of the window so far, which is the store's own: it may hold more than is compared with.
   * Undefined where there is none, or none that can be read.
   */
  save(append: (earlier: Baseline | undefined) => Baseline): Promise<void>
}
