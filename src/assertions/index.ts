export type { Subject } from './assertion.ts'
export { judgeAssertions } from './judge.ts'
export { normaliseAssertions } from './normalise.ts'
