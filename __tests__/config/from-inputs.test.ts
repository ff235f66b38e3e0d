import { describe, expect, test } from 'vitest'
import { rawFromInputs, resolveConfig } from '../../src/config/config.ts'
import { defaultOf, namesOn, optionOf } from '../../src/config/options.ts'

function parse(inputs: Record<string, string>) {
  return resolveConfig(
    rawFromInputs((name) => inputs[name] ?? ''),
    'action',
  )
}

describe('action inputs', () => {
  test('have the defaults of the action', () => {
    expect(parse({ input: 'tests/inputs.jsonl' })).toMatchObject({
      runs: 3,
      parallel: 4,
      'min-pass-rate': 80,
      baseline: 'auto',
      'save-baseline': 'auto',
      comment: 'always',
      'check-run': true,
      'job-summary': true,
      'max-annotations': 50,
      'working-directory': '.',
    })
  })

  test('are lists by line, blanks and empty lines dropped', () => {
    expect(parse({ input: '  a.jsonl\r\n\n b.jsonl ', 'fail-on': 'error\nthreshold' })).toMatchObject({
      input: ['a.jsonl', 'b.jsonl'],
      'fail-on': ['error', 'threshold'],
    })
  })

  test.each(['true', 'True', 'TRUE'])('take %s for a flag', (text) => {
    expect(parse({ 'fail-fast': text })['fail-fast']).toBe(true)
  })

  test('can switch a default off', () => {
    expect(parse({ 'check-run': 'false' })['check-run']).toBe(false)
  })

  test.each(['yes', '1', 'on'])('refuse %s for a flag', (text) => {
    expect(() => parse({ 'fail-fast': text })).toThrow('input fail-fast: expected true or false')
  })

  test('that only carry the default do not outrank what a case says', () => {
    expect([...parse({ input: 'x', timeout: '5m', runs: '3', 'check-run': 'true' }).given]).toEqual(['input'])
    expect([...parse({ input: 'x', timeout: '30s' }).given]).toEqual(['input', 'timeout'])
  })

  test('name every mistake at once, by input', () => {
    expect(() => parse({ runs: '0', comment: 'loudly' })).toThrow(
      'input runs: expected a whole number of at least 1, got "0"\ninput comment: expected always, changes, failures, off, got "loudly"',
    )
  })

  test.each(namesOn('action'))('%s accepts its own default', (name) => {
    const written = defaultOf(name, 'action')
    if (written === undefined) return
    const value =
      optionOf(name).kind === 'list' ? [written] : optionOf(name).kind === 'flag' ? written === 'true' : written
    expect(optionOf(name).schema.safeParse(value).success).toBe(true)
  })
})
