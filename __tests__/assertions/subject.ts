import type { Subject } from '../../src/assertions/index.ts'
import { judgeAssertions, normaliseAssertions } from '../../src/assertions/index.ts'
import type { Json } from '../../src/core/json.ts'
import type { Check } from '../../src/core/result.ts'
import { aCase } from '../support/builders.ts'

export function subjectOf(output: Json): Subject {
  return { output, trace: { events: [] }, case: aCase() }
}

/** Loads `assert` as a suite would and judges `output` by it; throws what loading has to say against it. */
export async function check(output: Json, assert: Json, expected?: Json): Promise<Check[]> {
  const { assertions, problems } = normaliseAssertions(assert, expected)
  if (problems.length > 0) throw new Error(JSON.stringify(problems))
  return judgeAssertions(subjectOf(output), assertions)
}

/** The failure texts of `output` under `assert`, in order. */
export async function failures(output: Json, assert: Json): Promise<string[]> {
  return (await check(output, assert)).filter((item) => !item.passed).map((item) => item.message)
}
