import type { Baseline, LoadedBaseline } from '../core/baseline.ts'

/** Where baselines are kept. */
export interface BaselineStore {
  /** Never throws for a missing or unreadable baseline: that is a state of its own. */
  load(): Promise<LoadedBaseline>
  save(baseline: Baseline): Promise<void>
}
