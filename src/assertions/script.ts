import { z } from 'zod'
import type { Json } from '../core/json.ts'
import { defineAssertion, unevaluable } from './assertion.ts'
import { returnedVerdict } from './returned-verdict.ts'
import { requiredText } from './settings.ts'

/** A function of the application's scripts judges: it gets output, input and value. Source: spec yao 4.3. */
export const script = defineAssertion({
  type: 'script',
  schema: z.object({
    script: requiredText('the name of a function, such as "scripts.tests.check.Valid"'),
    value: z.custom<Json>().optional(),
  }),
  called: ({ script: name }) => name,
  prepare({ script: name, value = null }) {
    return {
      expectation: () => `${name} to accept the output`,
      expected: value,
      async check({ output, case: item }, { call }) {
        if (!call) throw new Error(`${name} was not checked when the suite was loaded`)
        const outcome = await call(name, [output, item.input, value])
        return outcome.kind === 'failed'
          ? unevaluable(`${name}: ${outcome.message}`)
          : returnedVerdict(outcome.value, output, name)
      },
    }
  },
})
