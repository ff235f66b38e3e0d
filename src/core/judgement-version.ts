/**
 * Of how runs are judged: what assertions and evaluators make of the same trace. Raised when that changes, so that runs
 * that were judged in another way are not compared with.
 */
export const JUDGEMENT_VERSION: number = 1
