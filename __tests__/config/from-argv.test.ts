import { describe, expect, test } from 'vitest'
import { type Config, resolveConfig } from '../../src/config/config.ts'
import { rawFromArgv } from '../../src/config/from-argv.ts'
import { helpText } from '../../src/config/help.ts'
import { namesOn, optionOf } from '../../src/config/lookup.ts'
import { UserError } from '../../src/core/errors.ts'

function parse(...args: string[]): Config {
  return resolveConfig(rawFromArgv(args), 'cli')
}

function errorOf(...args: string[]): string {
  try {
    parse(...args)
  } catch (error) {
    if (error instanceof UserError) return error.message
    throw error
  }
  return ''
}

describe('command line', () => {
  test('has the defaults of the seed', () => {
    expect(parse('-i', 'tests/inputs.jsonl')).toMatchObject({
      input: ['tests/inputs.jsonl'],
      output: [],
      runs: 1,
      timeout: 300_000,
      parallel: 1,
      verbose: false,
      'fail-fast': false,
      'min-pass-rate': 100,
      'fail-on': ['regression', 'threshold', 'error'],
      'max-error-rate': 0,
      'allow-empty': false,
      'require-baseline': false,
      'on-baseline-error': 'fail',
      baseline: '',
      'save-baseline': '',
      'exit-codes': 'seed',
      'dry-run': false,
    })
  })

  test('reads short and long names, repeated inputs and inline values', () => {
    const config = parse(
      '-i',
      'a.jsonl',
      '--input',
      'b.jsonl',
      '-o',
      'out.json',
      '-n',
      'my.agent',
      '-c',
      'openai.gpt4',
      '-u',
      'ann',
      '-t',
      'ops',
      '-r',
      'report.html',
      '--ctx=ctx.json',
      '--runs',
      '5',
      '--run',
      '(?i)refund',
      '--timeout=1m30s',
      '--parallel',
      '4',
      '-a',
      '../app',
      '-e',
      '.env',
      '-v',
      '--strict',
      '--allow-outside',
      '--fail-fast',
      '--min-pass-rate',
      '80%',
      '--fail-on',
      'error,threshold',
    )
    expect(config).toMatchObject({
      input: ['a.jsonl', 'b.jsonl'],
      output: ['out.json'],
      name: 'my.agent',
      connector: 'openai.gpt4',
      user: 'ann',
      team: 'ops',
      reporter: 'report.html',
      ctx: 'ctx.json',
      runs: 5,
      run: '(?i)refund',
      timeout: 90_000,
      parallel: 4,
      app: '../app',
      env: '.env',
      verbose: true,
      strict: true,
      'allow-outside': true,
      'fail-fast': true,
      'min-pass-rate': 80,
      'fail-on': ['error', 'threshold'],
    })
  })

  test('knows what was given, for the precedence over the cases', () => {
    expect([...parse('-i', 'x', '--timeout', '5m').given]).toEqual(['input', 'timeout'])
  })

  test('takes a message that starts with a dash', () => {
    expect(parse('-i', '-5 degrees, is that cold?').input).toEqual(['-5 degrees, is that cold?'])
    expect(parse('--input=--runs').input).toEqual(['--runs'])
  })

  test.each([
    ['an unknown flag', ['--paralel', '2'], '--paralel: unknown flag (did you mean "--parallel"?)'],
    ['a flag that means nothing', ['--xyzzy'], '--xyzzy: unknown flag (agent-test --help lists them)'],
    ['an unknown short flag', ['-x'], '-x: unknown flag (agent-test --help lists them)'],
    [
      'an argument without a flag',
      ['tests.jsonl'],
      'unexpected argument "tests.jsonl" (suites and messages are given with -i)',
    ],
    ['a value that was forgotten', ['-i', '--runs', '3'], '-i: needs a value (SUITE)'],
    ['a value missing at the end', ['--runs'], '--runs: needs a value (N)'],
    ['runs of 0', ['--runs', '0'], '--runs: expected a whole number of at least 1, got "0"'],
    ['negative runs', ['--runs=-1'], '--runs: expected a whole number of at least 1, got "-1"'],
    ['fractional runs', ['--runs', '1.5'], '--runs: expected a whole number of at least 1, got "1.5"'],
    ['runs in words', ['--runs', 'three'], '--runs: expected a whole number of at least 1, got "three"'],
    ['parallel of 0', ['--parallel', '0'], '--parallel: expected a whole number of at least 1, got "0"'],
    [
      'a timeout without unit',
      ['--timeout', '30'],
      '--timeout: expected a duration above zero with a unit, such as 30s or 1m30s, got "30"',
    ],
    [
      'a timeout of zero',
      ['--timeout', '0s'],
      '--timeout: expected a duration above zero with a unit, such as 30s or 1m30s, got "0s"',
    ],
    [
      'a negative timeout',
      ['--timeout=-5s'],
      '--timeout: expected a duration above zero with a unit, such as 30s or 1m30s, got "-5s"',
    ],
    [
      'a rate from 0 to 1',
      ['--min-pass-rate', '0.8'],
      '--min-pass-rate: expected a percentage from 0 to 100, got 0.8: write 80 for 80 %',
    ],
    ['a rate above 100', ['--min-pass-rate', '120'], '--min-pass-rate: expected a percentage from 0 to 100, got "120"'],
    [
      'an unknown cause',
      ['--fail-on', 'anything'],
      '--fail-on: expected regression, threshold, error, removed, cost, got "anything"',
    ],
    ['an unknown exit code style', ['--exit-codes', 'unix'], '--exit-codes: expected seed, detailed, got "unix"'],
    ['a flag with a value', ['--verbose=maybe'], '--verbose: takes no value, got "maybe"'],
  ])('refuses %s', (_, args, message) => {
    expect(errorOf(...args)).toBe(message)
  })

  test('refuses a pattern that is no RE2', () => {
    expect(errorOf('--run', '(?=x)')).toMatch(/^--run: not an RE2 pattern: /)
  })

  test('names every mistake at once', () => {
    expect(errorOf('--runs', '0', '--parallel', 'x', '--timeout', '3').split('\n')).toHaveLength(3)
    expect(errorOf('baz', '--foo', '--bar').split('\n')).toHaveLength(3)
  })

  test.each(namesOn('cli'))('--%s is in the help text', (name) => {
    expect(helpText()).toContain(`--${name}`)
    expect(helpText()).toContain(optionOf(name).help)
  })
})
