import { z } from 'zod'
import { jsonType } from '../core/json.ts'
import { didYouMean } from '../core/kind.ts'
import { defineAssertion, judged } from './assertion.ts'
import { excerpt } from './excerpt.ts'
import { requiredText } from './settings.ts'

const TYPES: readonly string[] = ['string', 'number', 'boolean', 'object', 'array', 'null']

export const type = defineAssertion({
  type: 'type',
  schema: z.object({ value: requiredText(`one of ${TYPES.join(', ')}`) }),
  prepare({ value }) {
    const hint = didYouMean(value, TYPES) ?? `types are ${TYPES.join(', ')}`
    return {
      expectation: () => `output to be of type ${excerpt(value)}`,
      expected: value,
      ...(TYPES.includes(value) ? {} : { warning: `no output has the type ${excerpt(value)}; ${hint}` }),
      check({ output }) {
        const actual = jsonType(output)
        return judged(actual === value, actual)
      },
    }
  },
})
