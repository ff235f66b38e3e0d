import { JUDGING } from './judging.ts'

/** Characters of a message, and of an expected or actual value, that are told. */
export const LONGEST_MESSAGE = 4_000
export const LONGEST_VALUE = 20_000

/**
 * `__openTest(name)` makes `t`, the first argument of a script test. Checks are told outside as they are made, so that
 * they are known however the test ends; what is compared is compared here. The code that is tested shares the globals
 * with this: what is needed of them is taken before it is loaded. Source: spec yao 7.
 */
export const TEST_PRELUDE = `const __openTest = (function () {
  const call = __call
  const write = console.log
  const { Error } = globalThis
  ${JUDGING}
  /** Assertions that were begun and are not told. */
  let begun = 0
  __atEnd(() => {
    if (begun > 0) tell('assertion', false, 'the test caught what ended one of its assertions')
  })

  function tell(kind, passed, message, stack, expected, actual, settings) {
    call('check', kind, passed, message, stack, expected, actual, settings)
  }

  /** As JSON, and not more of it than is reported. */
  function evidence(value) {
    if (value === undefined) return undefined
    const found = shown(value)
    if (found.length > ${LONGEST_VALUE}) return stringify(cut(found, 0, ${LONGEST_VALUE}) + '…')
    return parsed(found) === null && found !== 'null' ? stringify(found) : found
  }

  function stackHere() {
    const { stack } = new Error()
    return typeof stack === 'string' ? stack : ''
  }

  /** An assertion is soft: what keeps it from judging fails it. */
  function judged(judge, args) {
    try {
      return apply(judge, undefined, args)
    } catch (error) {
      return verdict(false, 'it cannot be judged: ' + described(error))
    }
  }

  function openTest(name) {
    let hasFailed = false
    const check = (kind, { passed, problem, expected, actual }, message) => {
      if (passed) return tell(kind, true, '')
      hasFailed = true
      const found = typeof problem === 'string' ? problem : problem()
      const told = typeof message === 'string' && message !== '' ? message + ': ' + found : found
      tell(kind, false, cut(told, 0, ${LONGEST_MESSAGE}), stackHere(), evidence(expected), evidence(actual))
    }
    const asserting = (kind) => function (...args) {
      begun += 1
      const { needs, judge } = ASSERTIONS[kind]
      const isShort = args.length < needs
      const found = isShort ? verdict(false, 'expected ' + needs + ' arguments, got ' + args.length) : judged(judge, args)
      check(kind, found, args[needs])
      begun -= 1
      return found.passed
    }
    const assert = { __proto__: null }
    for (const kind in ASSERTIONS) assert[kind] = asserting(kind)
    assert.Agent = function (actual, id, options) {
      begun += 1
      const { criteria, metadata, connector, message } = Object(options)
      const agent = String(id)
      const use = startsWith(agent, 'agents:') ? agent : 'agents:' + agent
      const settings = text({ __proto__: null, use, value: criteria, options: { __proto__: null, metadata, connector } })
      tell('Agent', true, typeof message === 'string' ? message : '', stackHere(), undefined, text(actual), settings)
      begun -= 1
    }

    const fail = (kind) => (...args) => {
      begun += 1
      check(kind, { passed: false, problem: words(args) || 'failed' })
      begun -= 1
    }
    const failFatally = fail('fatal')
    const fatal = (...args) => {
      apply(failFatally, undefined, args)
      call('end')
    }
    const skip = (...args) => call('skip', words(args))
    const log = (...args) => void apply(write, undefined, args)
    return {
      __proto__: null,
      name, Name: name, assert, Assert: assert,
      get failed() { return hasFailed },
      get Failed() { return hasFailed },
      log, Log: log, error: fail('error'), Error: fail('error'), fail: fail('fail'), Fail: fail('fail'),
      fatal, Fatal: fatal, skip, Skip: skip,
    }
  }

  return openTest
})()

/** A call of a generator runs nothing of it, so it would always pass. */
const __testable = (({ getPrototypeOf }) => {
  const kinds = { generator: getPrototypeOf(function* () {}), asynchronous: getPrototypeOf(async function* () {}) }
  return (fn) => {
    const kind = getPrototypeOf(fn)
    if (kind !== kinds.generator && kind !== kinds.asynchronous) return fn
    throw new TypeError('a test cannot be a generator, nothing of it would run')
  }
})(Object)`

/** The test function gets `t` and `ctx`. */
export const INVOKE_TEST = '(fn, args) => __testable(fn)(__openTest(args[0]), __openContext(args[1]))'
