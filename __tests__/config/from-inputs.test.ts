import { describe, expect, test } from 'vitest'
import { configFromInputs } from '../../src/config/config.ts'
import { defaultOf, namesOn, optionOf } from '../../src/config/lookup.ts'
import { describeProblem } from '../../src/core/errors.ts'

function parse(inputs: Record<string, string>) {
  const { config, problems } = configFromInputs((name) => inputs[name] ?? '')
  expect(problems).toEqual([])
  return config
}

function mistakesIn(inputs: Record<string, string>) {
  return configFromInputs((name) => inputs[name] ?? '').problems.map(describeProblem)
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

  test('name the application, a file of variables and strictness; what lies outside of the workspace stays there', () => {
    const config = parse({ input: 'x', app: 'app', env: '.env', strict: 'true', 'allow-outside': 'true' })
    expect(config).toMatchObject({ app: 'app', env: '.env', strict: true, 'allow-outside': false })
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
    expect(mistakesIn({ 'fail-fast': text })).toEqual([`input fail-fast: expected true or false, got "${text}"`])
  })

  test('that only carry the default do not outrank what a case says', () => {
    expect([...parse({ input: 'x', timeout: '5m', runs: '3', 'check-run': 'true' }).given]).toEqual(['input'])
    expect([...parse({ input: 'x', timeout: '30s' }).given]).toEqual(['input', 'timeout'])
  })

  test('name every mistake at once, by input', () => {
    expect(mistakesIn({ runs: '0', comment: 'loudly', verbose: 'si' })).toEqual([
      'input verbose: expected true or false, got "si"',
      'input runs: expected a whole number of at least 1, got "0"',
      'input comment: expected always, changes, failures, off, got "loudly"',
    ])
  })

  test('with mistakes among them leave the sound ones as given and the others at their defaults', () => {
    const inputs: Record<string, string> = { runs: '0', 'check-run': 'yes', comment: 'off', 'comment-key': 'small' }
    const { config } = configFromInputs((name) => inputs[name] ?? '')
    expect(config).toMatchObject({ runs: 3, 'check-run': true, comment: 'off', 'comment-key': 'small' })
  })

  test('a token that was given empty is none, not the expression that stands for the default', () => {
    expect(parse({ 'github-token': '' })['github-token']).toBe('')
  })

  test.each(namesOn('action'))('%s accepts its own default', (name) => {
    const written = defaultOf(name, 'action')
    if (written === undefined) return
    const value =
      optionOf(name).kind === 'list' ? [written] : optionOf(name).kind === 'flag' ? written === 'true' : written
    expect(optionOf(name).schema.safeParse(value).success).toBe(true)
  })
})
