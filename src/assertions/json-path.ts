import { z } from 'zod'
import { isJsonObject, type Json, jsonEquals, jsonType } from '../core/json.ts'
import { describeCandidate, findJson } from '../lib/extract-json.ts'
import { defineAssertion, judged, type Outcome, unevaluable } from './assertion.ts'
import { cut, excerpt } from './excerpt.ts'
import { compilePath, type Path, valueAt } from './path.ts'
import { requiredJson } from './settings.ts'

export const jsonPath = defineAssertion({
  type: 'json_path',
  schema: z.object({
    path: z.string('expected a path such as user.name or items[0] (text)').optional(),
    value: requiredJson('expected the value to compare with, got nothing'),
  }),
  prepare({ path: text = '', value }) {
    const path = compilePath(text)
    const place = () => (text === '' ? 'the document' : cut(JSON.stringify(text).slice(1, -1)))
    return {
      expectation: () => `${place()} to be ${Array.isArray(value) ? 'one of ' : ''}${excerpt(value)}`,
      expected: value,
      ...(path
        ? {}
        : { warning: `the path ${excerpt(text)} can never be found: only keys, dots and [n] are understood` }),
      check({ output }) {
        if (!path)
          return unevaluable(`the path ${excerpt(text)} cannot be followed: only keys, dots and [n] are understood`)
        if (typeof output === 'string') return checkText(output, path, value)
        if (Array.isArray(output) || isJsonObject(output)) return compareAt(output, path, value)
        return unevaluable(`expected output to be JSON with a value at ${place()}, got ${jsonType(output)}`)
      },
    }
  },
})

/** The first JSON in the text that has the path; without one, the first JSON, where the path is missing. */
async function checkText(text: string, path: Path, value: Json): Promise<Outcome> {
  let fallback: { document: Json; where: string } | undefined
  for await (const candidate of findJson(text)) {
    const document = candidate.value as Json
    const where = describeCandidate(candidate, text)
    if (valueAt(document, path) !== undefined) return compareAt(document, path, value, where)
    // A guess that does not even have the path is no document: `missing` would pass against null.
    if (!candidate.isGuess) fallback ??= { document, where }
  }
  if (fallback) return compareAt(fallback.document, path, value, fallback.where)
  return unevaluable(`expected output to hold JSON, got ${excerpt(text)}`)
}

function compareAt(document: Json, path: Path, value: Json, where = ''): Outcome {
  const found = valueAt(document, path)
  const actual = found ?? null
  const isAnyOf = Array.isArray(value) && !Array.isArray(actual) && value.some((item: Json) => jsonEquals(item, actual))
  const notes = [found === undefined ? 'no such path' : '', where].filter((note) => note !== '')
  return judged(isAnyOf || jsonEquals(value, actual), actual, notes.join(', '))
}
