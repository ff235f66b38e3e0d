// Two doors and no function over both: a program that only uses files must not load the artifact client and GitHub.
export { artifactBaseline, baselineOrigin } from './artifact.ts'
export type { BaselineStore } from './baseline-store.ts'
export { fileBaseline } from './file.ts'
