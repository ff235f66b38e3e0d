import { z } from 'zod'
import { asText } from '../core/json.ts'
import { defineAssertion, judged } from './assertion.ts'
import { substring } from './contains.ts'
import { excerpt } from './excerpt.ts'

export const notContains = defineAssertion({
  type: 'not_contains',
  schema: z.object({ value: substring }),
  prepare({ value }) {
    const part = asText(value)
    return {
      expectation: () => `output not to contain ${excerpt(part)}`,
      expected: value,
      ...(part === '' ? { warning: 'an empty text is contained in every output' } : {}),
      check: ({ output }) => judged(!asText(output).includes(part), output),
    }
  },
})
