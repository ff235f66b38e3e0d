export { isBranchName, isSafeName, isSha, shortSha } from './names.ts'
export type { Credentials } from './remote.ts'
export { openRepository, type Repository } from './repository.ts'
