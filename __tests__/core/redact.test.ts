import { expect, test } from 'vitest'
import { redactDeep } from '../../src/core/redact.ts'
import { createRedactor } from '../../src/lib/redact.ts'

const secrets = createRedactor()
secrets.add('hunter2-hunter2')

test('every text is redacted, at any depth and in keys', () => {
  const value = {
    'a hunter2-hunter2': [1, 'x hunter2-hunter2', { deep: { text: 'hunter2-hunter2', none: null } }],
    ok: true,
  }
  expect(redactDeep(value, secrets)).toEqual({
    'a [redacted]': [1, 'x [redacted]', { deep: { text: '[redacted]', none: null } }],
    ok: true,
  })
})

test('what holds no secret is the same value, not a copy', () => {
  const clean = { list: [1, { text: 'words' }], nothing: undefined }
  expect(redactDeep(clean, secrets)).toBe(clean)
  const mixed = { clean, dirty: 'hunter2-hunter2' }
  expect(redactDeep(mixed, secrets).clean).toBe(clean)
})

test('computed members of a report are redacted like others, and a clean one is shared', () => {
  const report = (text: string) => {
    const computed = {
      get runs() {
        return [{ message: text }]
      },
    }
    return Object.setPrototypeOf({ index: 3 }, computed) as { readonly index: number; readonly runs: unknown }
  }
  expect(redactDeep(report('x hunter2-hunter2'), secrets)).toEqual({ index: 3, runs: [{ message: 'x [redacted]' }] })
  const clean = report('words')
  expect(redactDeep(clean, secrets)).toBe(clean)
})

test('a map is redacted like a record, keys and values, and shared where it is clean', () => {
  const pools = new Map([['hunter2-hunter2/a', { steps: [{ tool: 'x hunter2-hunter2' }] }]])
  expect([...redactDeep(pools, secrets)]).toEqual([['[redacted]/a', { steps: [{ tool: 'x [redacted]' }] }]])
  const clean = new Map([['a', { tool: 'x' }]])
  expect(redactDeep(clean, secrets)).toBe(clean)
})
