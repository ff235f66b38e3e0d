import { isJsonObject, isTooDeep, type Json } from '../../core/json.ts'
import type { EmittedEvent } from '../../core/trace.ts'
import { compilePattern, patternProblem } from '../../lib/regex.ts'
import type { OutsideCall } from '../../sandbox/sandbox.ts'
import { ownFrames } from '../../sandbox/stack.ts'
import { LONGEST_MESSAGE, LONGEST_VALUE } from './prelude.ts'

/** `t.fatal` and `t.skip`: the test is over, whatever it would catch. */
export class EndOfTest extends Error {}

/** A test that asserts in a loop must not fill a report. */
const MOST_CHECKS = 1_000

/** Answers what `TEST_PRELUDE` calls, and hands everything else on. No script reaches these calls by itself. */
export function testCalls(emit: (event: EmittedEvent) => void, others: OutsideCall): OutsideCall {
  const counts = { passed: 0, failed: 0 }
  return async (name, args) => {
    const [first] = args
    switch (name) {
      case 'check': {
        const event = checkEvent(args)
        const kind = event.passed ? 'passed' : 'failed'
        counts[kind] += 1
        if (counts[kind] <= MOST_CHECKS) emit(event)
        return undefined
      }
      case 'match':
        return matched(textOf(args[0]), textOf(args[1]))
      case 'skip':
        emit({ type: 'skip', reason: textOf(first).slice(0, LONGEST_MESSAGE) })
        throw new EndOfTest('skip')
      case 'end':
        throw new EndOfTest('fatal')
      default:
        return others(name, args)
    }
  }
}

/** Its name, whether it passed, its message and its stack; then what was expected, what was there and settings, as JSON. */
function checkEvent([name, decision, message, trail, expectedText, actualText, settings]: readonly Json[]) {
  const passed = decision === true
  const stack = ownFrames(textOf(trail))
  const text = textOf(message).slice(0, LONGEST_MESSAGE)
  const [expected, actual, decidedBy] = [expectedText, actualText, settings].map(valueIn)
  return {
    type: 'check',
    name: textOf(name).slice(0, 100),
    passed,
    message: passed || stack === '' ? text : `${text} (${placeOf(stack)})`,
    ...(expected === undefined ? {} : { expected: shortened(expected) }),
    ...(actual === undefined ? {} : { actual: isJsonObject(decidedBy) ? actual : shortened(actual) }),
    ...(stack === '' ? {} : { details: { stack } }),
    ...(isJsonObject(decidedBy) ? { decidedBy } : {}),
  } satisfies EmittedEvent
}

/** What is nested too deep to be a value stays a text. */
function valueIn(text: Json | undefined): Json | undefined {
  if (typeof text !== 'string') return undefined
  const value = JSON.parse(text) as Json
  return isTooDeep(value) ? text : value
}

/** `at Fn (path:line)` or `at path:line` of the innermost frame, as `path:line`. */
export function placeOf(stack: string): string {
  const [frame = ''] = stack.split('\n')
  return /\(([^()]*)\)$/.exec(frame)?.[1] ?? frame.replace(/^at /, '')
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}

function shortened(value: Json): Json {
  const text = JSON.stringify(value)
  return text.length <= LONGEST_VALUE ? value : `${text.slice(0, LONGEST_VALUE)}…`
}

function matched(text: string, pattern: string): Json {
  const problem = patternProblem(pattern)
  return problem === undefined ? { matches: compilePattern(pattern).test(text) } : { problem }
}
