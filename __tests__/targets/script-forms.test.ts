import { expect, test } from 'vitest'
import { scriptTestbed } from '../support/script-testbed.ts'

const runTests = scriptTestbed()

test.each([
  'const TestIt = async <T,>(t) => { await null; t.assert.True(true) }',
  'const TestIt = ((t) => { t.assert.True(true) }) as any',
  'enum E { A = "a" }\nconst { x: y, ...rest } = { x: 1, z: 2 }\nabstract class B<T> { constructor(protected readonly a: T) {} }\nfunction TestIt<T>(t: any, _?: T) { t.assert.Equal([E.A, y, rest.z], ["a", 1, 2]) }',
])('%s runs', async (tests) => {
  expect(await runTests(tests)).toMatchObject([{ status: 'passed', checks: [{ passed: true }] }])
})

test.each(['export function* TestIt(t) {', 'export async function* TestIt(t) {', 'const TestIt = function* (t) {'])(
  '%s fails, for nothing of it runs',
  async (head) => {
    const [result] = await runTests(`${head}\n  t.fail("never")\n}`)
    expect(result).toMatchObject({
      status: 'failed',
      checks: [{ message: 'TypeError: a test cannot be a generator, nothing of it would run' }],
    })
  },
)
