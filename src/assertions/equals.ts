import { z } from 'zod'
import { type Json, jsonEquals } from '../core/json.ts'
import { defineAssertion, judged } from './assertion.ts'
import { excerpt } from './excerpt.ts'

export const equals = defineAssertion({
  type: 'equals',
  schema: z.object({ value: z.custom<Json>().optional() }),
  prepare({ value }) {
    const expected = value ?? null
    return {
      expectation: () => `output to equal ${excerpt(expected)}`,
      expected,
      ...(value === undefined ? { warning: 'without a value the output is compared with null' } : {}),
      check: ({ output }) => judged(jsonEquals(output, expected), output),
    }
  },
})
