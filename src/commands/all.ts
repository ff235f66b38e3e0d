export { demo } from './demo.ts'
export { extract } from './extract.ts'
export { score } from './score.ts'
export { test } from './test.ts'
