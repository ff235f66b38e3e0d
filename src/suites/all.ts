export { jsonl } from './jsonl.ts'
