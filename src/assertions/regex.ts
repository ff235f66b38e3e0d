import { z } from 'zod'
import { asText } from '../core/json.ts'
import { compilePattern, patternProblem } from '../lib/regex.ts'
import { defineAssertion, judged } from './assertion.ts'
import { cut } from './excerpt.ts'
import { requiredText } from './settings.ts'

const pattern = requiredText('a pattern (text)').superRefine((value, context) => {
  const message = patternProblem(value)
  if (message !== undefined) context.addIssue({ code: 'custom', message })
})

export const regex = defineAssertion({
  type: 'regex',
  schema: z.object({ value: pattern }),
  prepare({ value }) {
    const compiled = compilePattern(value)
    return {
      expectation: () => `output to match /${cut(value)}/`,
      expected: value,
      ...(value === '' ? { warning: 'an empty pattern matches every output' } : {}),
      check: ({ output }) => judged(compiled.test(asText(output)), output),
    }
  },
})
