import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { judgeAssertions, normaliseAssertions } from '../../src/assertions/index.ts'
import { TargetError } from '../../src/core/errors.ts'
import { isJsonObject, type Json } from '../../src/core/json.ts'
import type { Means } from '../../src/core/means.ts'
import type { Check } from '../../src/core/result.ts'
import type { TraceEvent } from '../../src/core/trace.ts'
import { subjectOf } from './subject.ts'

interface Row {
  readonly id: string
  readonly note: string
  readonly output: Json
  readonly assert: Json
  readonly expected?: Json
  readonly pass: boolean
  readonly config_error?: boolean
  readonly vacuous?: boolean
  readonly tools?: readonly RecordedCall[]
  /** What each judge replies; `!err`: it could not be run. */
  readonly judge?: Readonly<Record<string, string>>
  /** What the script that it calls returns. */
  readonly script_returns?: Json
}

interface RecordedCall {
  readonly tool: string
  readonly toolcall_id?: string
  readonly server?: string
  readonly arguments?: Json
  readonly result?: Json
  readonly error?: string
}

const table = new URL('../fixtures/conformance/yao-assert-cases.jsonl', import.meta.url)
const rows = readFileSync(table, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Row)

/** Found when the suite's application is known: see the tests of what cases call. */
const unknownScripts = rows.filter(({ assert }) => isJsonObject(assert) && assert['script'] === 'scripts.missing.Fn')
const refused = rows.filter((row) => row.config_error && !unknownScripts.includes(row))
const evaluated = rows.filter((row) => !row.config_error)

test('the table is whole', () => {
  expect([refused.length, unknownScripts.length, evaluated.length]).toEqual([22, 1, 167])
})

test.each(refused)('$id is refused at load: $note', ({ assert, expected }) => {
  const { problems } = normaliseAssertions(assert, expected)
  expect(problems).toHaveLength(1)
  expect(problems[0]?.field).toMatch(/^assert/)
})

test.each(evaluated)(
  '$id passes: $pass ($note)',
  async ({ output, assert, expected, pass, tools = [], judge = {}, script_returns }) => {
    const { assertions, problems } = normaliseAssertions(assert, expected)
    expect(problems).toEqual([])
    expect(
      await passes(judgeAssertions(subjectOf(output, tools.map(toEvent)), assertions, meansOf(judge, script_returns))),
    ).toBe(pass)
  },
)

/** A judge that gives no verdict makes the run errored, which is no pass. */
async function passes(checks: Promise<readonly Check[]>): Promise<boolean> {
  try {
    return (await checks).every((check) => check.passed)
  } catch (error) {
    if (error instanceof TargetError) return false
    throw error
  }
}

function toEvent({ arguments: parameters = {}, toolcall_id: _id, ...call }: RecordedCall): TraceEvent {
  return { type: 'tool_call', timestamp: 0, parameters, ...call }
}

function meansOf(judges: Readonly<Record<string, string>>, returned: Json = null): Means {
  return {
    call: async () => ({ kind: 'returned', value: returned }),
    async ask({ agent }) {
      const output = judges[agent]
      if (output === undefined || output === '!err') throw new TargetError('no answer', { code: 'PROVIDER_ERROR' })
      return { output }
    },
  }
}
