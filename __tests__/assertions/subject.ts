import type { Subject } from '../../src/assertions/index.ts'
import { judgeAssertions, normaliseAssertions } from '../../src/assertions/index.ts'
import type { Json } from '../../src/core/json.ts'
import type { Means } from '../../src/core/means.ts'
import type { Check } from '../../src/core/result.ts'
import type { TraceEvent } from '../../src/core/trace.ts'
import { aCase } from '../support/builders.ts'

export function subjectOf(output: Json, events: readonly TraceEvent[] = []): Subject {
  return { output, trace: { events }, case: aCase() }
}

interface Surroundings {
  readonly events?: readonly TraceEvent[]
  readonly means?: Means
}

/** Loads `assert` as a suite would and judges `output` by it; throws what loading has to say against it. */
export async function check(output: Json, assert: Json, { events, means }: Surroundings = {}): Promise<Check[]> {
  const { assertions, problems } = normaliseAssertions(assert, undefined)
  if (problems.length > 0) throw new Error(JSON.stringify(problems))
  return judgeAssertions(subjectOf(output, events), assertions, means)
}

/** The failure texts of `output` under `assert`, in order. */
export async function failures(output: Json, assert: Json, surroundings: Surroundings = {}): Promise<string[]> {
  return (await check(output, assert, surroundings)).filter((item) => !item.passed).map((item) => item.message)
}
