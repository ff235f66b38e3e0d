export { jsonl } from './jsonl.ts'
export { yaml } from './yaml/index.ts'
