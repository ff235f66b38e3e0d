import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { checkKindConfig } from '../../src/core/kind.ts'
import { createTarget, parseTarget, targets } from '../../src/targets/index.ts'
import type { TargetKind } from '../../src/targets/target.ts'
import { fakeHost } from '../support/fake-host.ts'

const kinds = targets.types.map((type): [string, TargetKind] => {
  const kind = targets.get(type)
  if (!kind) throw new Error(`${type} is listed but not registered`)
  return [type, kind]
})

/** Text that each kind can read as its VALUE: a URL, a program, a path, an id. */
const VALUE = 'http://127.0.0.1:1/v1'

const check = (config: { type: string; [setting: string]: unknown }) =>
  checkKindConfig(targets, config, { noun: 'target', field: 'target' })

test('there are kinds', () => {
  expect(kinds.length).toBeGreaterThan(0)
})

describe.each(kinds)('target %s', (type, kind) => {
  test('has a name that TYPE:VALUE can hold', () => {
    expect(type).toMatch(/^[a-z][a-z-]*$/)
    expect(kind.type).toBe(type)
  })

  test('has settings of plain data, which an editor can complete', () => {
    const { type: shape, properties } = z.toJSONSchema(kind.schema, { io: 'output' })
    expect(shape).toBe('object')
    expect(Object.keys(properties ?? {})).toEqual(Object.keys(kind.schema.shape))
  })

  test('keeps the name of its type out of its settings', () => {
    expect(Object.keys(kind.schema.shape)).not.toContain('type')
  })

  test('makes settings of a VALUE that it accepts itself', () => {
    const parsed = parseTarget(`${type}:${VALUE}`)
    expect(parsed).toHaveProperty('config')
    expect('config' in parsed && check(parsed.config)).toEqual([])
  })

  test('reads its own settings twice without a change', () => {
    const once = kind.schema.parse(kind.fromValue(VALUE))
    expect(kind.schema.parse(once)).toEqual(once)
  })

  test('refuses an unknown setting and knows which was meant', () => {
    const [setting = ''] = Object.keys(kind.schema.shape)
    const misspelt = `${setting}x`
    const problems = check({ type, ...kind.fromValue(VALUE), [misspelt]: 1 })
    expect(problems).toEqual([
      { field: `target.${misspelt}`, message: 'unknown setting', hint: expect.stringMatching(/^did you mean ".+"\?$/) },
    ])
  })

  test('refuses a setting of the wrong type before anything is opened', async () => {
    const wrong = Object.fromEntries(Object.keys(kind.schema.shape).map((setting) => [setting, Symbol('no JSON')]))
    await expect(createTarget({ type, ...wrong }, { host: fakeHost() })).rejects.toMatchObject({
      name: 'UserError',
      code: 'INVALID_TARGET',
    })
  })
})
