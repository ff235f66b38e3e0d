export type { Subject } from './assertion.ts'
export { judgeAssertions } from './judge.ts'
export { type NormalisedAssertions, normaliseAssertions } from './normalise.ts'
