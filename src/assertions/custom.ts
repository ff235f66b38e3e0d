import { z } from 'zod'
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts'
import type { CalledPlugin } from '../core/means.ts'
import { toSeed } from '../core/trace.ts'
import { siblingPath } from '../lib/sibling-path.ts'
import { defineAssertion, unevaluable } from './assertion.ts'
import { returnedVerdict } from './returned-verdict.ts'
import { requiredText } from './settings.ts'

/** Of a function that looks at one run. */
const LIMIT_MS = 10_000

/** A file of the author's own judges: its `check({ output, timeline, input }, options)`. */
export const custom = defineAssertion({
  type: 'custom',
  schema: z.object({
    file: requiredText('a file beside the suite, such as "checks/no-secrets.ts"'),
    options: z.custom<JsonObject>(isJsonObject, { error: 'expected an object' }).optional(),
  }),
  plugin: ({ file }) => file,
  prepare({ file, options = {} }) {
    return {
      expectation: () => `${file} to accept the output`,
      expected: options,
      async check({ output, trace, case: item }, { plugin }) {
        if (!plugin) throw new Error(`${file} was not checked when the suite was loaded`)
        const subject: JsonObject = { output, timeline: toSeed(trace) as unknown as Json, input: item.input }
        const called: CalledPlugin = {
          file: siblingPath(item.location.file, file),
          function: 'check',
          args: [subject, options],
          limitMs: LIMIT_MS,
        }
        const outcome = await plugin(called)
        return outcome.kind === 'failed'
          ? unevaluable(`${file}: ${outcome.message}`)
          : returnedVerdict(outcome.value, output, file)
      },
    }
  },
})
