/** Limits and numbers of runs of the gate. Source: spec verdict 4.2, inputs. */
export interface GateSettings {
  /** Runs of every case in the first stage. */
  readonly runs: number
  /** Runs of a suspicious case, the first stage included; equal to `runs` it is the plain test of a fixed number. */
  readonly maxRuns: number
  /** Chance of any false alarm of the case test. */
  readonly alphaCase: number
  /** Chance of a false alarm of the suite test. */
  readonly alphaSuite: number
  /** Largest mid-p of a suspicious first stage. */
  readonly screen: number
  /** How many times stronger the evidence must be for a case that fails on the base branch as well, beside others. */
  readonly flakyWeight: number
  /** Fresh runs of the base commit for a flagged case. */
  readonly controlRuns: number
  /** Largest mid-p against the fresh runs that keeps a flag. */
  readonly controlVeto: number
  /** Fresh runs of the base commit for every case, after an alarm of the suite. */
  readonly suiteControlRuns: number
}

export const GATE_DEFAULTS: GateSettings = {
  runs: 3,
  maxRuns: 15,
  alphaCase: 0.04,
  alphaSuite: 0.01,
  screen: 0.3,
  flakyWeight: 5,
  controlRuns: 5,
  controlVeto: 0.1,
  suiteControlRuns: 2,
}

/**
 * Base-branch runs below which a case is not judged: not even 0 of 15 could be flagged. Source: spec verdict 4.2 step
 * 4.
 */
export const YOUNG_BELOW = 3
