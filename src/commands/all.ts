export { demo } from './demo.ts'
export { test } from './test.ts'
