import { z } from 'zod'
import { asText, type Json } from '../core/json.ts'
import { defineAssertion, judged } from './assertion.ts'
import { excerpt } from './excerpt.ts'

/** Source: spec yao 4.3; a missing or null value is contained in everything, so it is refused. */
export const substring = z.custom<Json>(
  (value) => value !== undefined && value !== null,
  'expected the text to look for, got nothing',
)

export const contains = defineAssertion({
  type: 'contains',
  schema: z.object({ value: substring }),
  prepare({ value }) {
    const part = asText(value)
    return {
      expectation: () => `output to contain ${excerpt(part)}`,
      expected: value,
      ...(part === '' ? { warning: 'an empty text is contained in every output' } : {}),
      check: ({ output }) => judged(asText(output).includes(part), output),
    }
  },
})
