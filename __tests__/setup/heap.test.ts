import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { HEAP_FLAG, keepHeapSmall } from '../../src/setup/heap.ts'

/** Keeps 40 MB and makes garbage that survives for a while; tells how large the heap got. */
const PROGRAM = `
const v8 = require('node:v8')
if (process.argv[1]) v8.setFlagsFromString(process.argv[1])
const make = (n) => Array.from({ length: n }, (_, i) => ({ i, text: 'x' + i }))
const kept = make(300_000)
let last = []
let most = 0
for (let turn = 0; turn < 3_000; turn += 1) {
  last = [...last.slice(-40), make(2_000)]
  most = Math.max(most, v8.getHeapStatistics().total_heap_size)
}
console.log(Math.round(most / 1e6), kept.length)
`

test('the running V8 takes the setting and keeps its heap smaller', () => {
  const run = (...args: string[]) => spawnSync(process.execPath, ['-e', PROGRAM, ...args], { encoding: 'utf8' })
  const [without, withFlag] = [run(), run(HEAP_FLAG)]
  expect([without.stderr, withFlag.stderr]).toEqual(['', ''])
  expect(Number.parseInt(withFlag.stdout, 10)).toBeLessThan(Number.parseInt(without.stdout, 10))
})

test('it can be set in a process that runs already', () => {
  expect(keepHeapSmall).not.toThrow()
})
