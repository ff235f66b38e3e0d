export { command } from './command.ts'
export { http } from './http.ts'
export { replay } from './replay.ts'
export { yao } from './yao/index.ts'
