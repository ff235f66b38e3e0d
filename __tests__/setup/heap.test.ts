import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { HEAP_FLAG, keepHeapSmall } from '../../src/setup/heap.ts'

/** Keeps 400 lists and replaces one after the other; prints the mean size of the heap in megabytes. */
const PROGRAM = `
const v8 = require('node:v8')
if (process.argv[1]) v8.setFlagsFromString(process.argv[1])
const make = () => Array.from({ length: 1_000 }, (_, i) => ({ i, text: 'x' + i }))
const kept = Array.from({ length: 400 }, make)
let sum = 0
for (let turn = 0; turn < 6_000; turn += 1) {
  kept[turn % kept.length] = make()
  if (turn % 20 === 0) sum += v8.getHeapStatistics().total_heap_size
}
console.log(Math.round(sum / 300e6))
`

test('this V8 takes the setting while it runs, and keeps its heap smaller', () => {
  const run = (...args: string[]) => {
    // A small young generation, so that the old one, which the setting is for, is what is measured.
    const child = spawnSync(process.execPath, ['--max-semi-space-size=2', '-e', PROGRAM, ...args], { encoding: 'utf8' })
    expect(child.stderr).toBe('')
    return Number(child.stdout)
  }
  expect(run(HEAP_FLAG)).toBeLessThan(0.9 * run())
})

test('it is set without a complaint', () => {
  expect(keepHeapSmall).not.toThrow()
})
