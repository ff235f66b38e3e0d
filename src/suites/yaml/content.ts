import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'
import { readFields, shown } from '../../core/reading/fields.ts'
import { checkPattern, type Place, readCount, readTexts } from '../../core/reading/values.ts'
import type { DemandsBuilder } from './demands.ts'
import { readInnerPath } from './inner-path.ts'

/** Source: spec opencode-evals A.4, `contentExpectations`. */
const CONTENT = {
  filePath: 'any',
  mustContain: 'list',
  mustNotContain: 'list',
  mustMatch: 'string',
  minLength: 'number',
  maxLength: 'number',
} as const

/** Files that must be there after the run, and what they must hold. */
export function readFileExpectations(list: readonly Json[], demands: DemandsBuilder, { notes, at }: Place): void {
  for (const [index, item] of list.entries()) {
    const place = { notes, at: `${at}[${index}]` }
    if (isJsonObject(item)) readFile(item, demands, place)
    else {
      const such = 'expected an object such as {filePath: src/index.ts, mustContain: [export]}'
      notes.problem(place.at, `${such}, got ${shown(item)}`)
    }
  }
}

function readFile(item: JsonObject, demands: DemandsBuilder, { notes, at }: Place): void {
  const fields = readFields(item, CONTENT, { notes, at, unknown: 'problem' })
  const placeOf = (field: string): Place => ({ notes, at: `${at}.${field}` })
  const filePath = readInnerPath(fields.filePath, placeOf('filePath'))
  if (fields.mustMatch !== undefined) checkPattern(fields.mustMatch, placeOf('mustMatch'))
  const minLength = readCount(fields.minLength, placeOf('minLength'))
  const maxLength = readCount(fields.maxLength, placeOf('maxLength'))
  if (minLength !== undefined && maxLength !== undefined && minLength > maxLength)
    notes.warning(at, `contradiction: no text is at least ${minLength} and at most ${maxLength} characters long`)
  const mustContain = readTexts(fields.mustContain, placeOf('mustContain'))
  const mustNotContain = readTexts(fields.mustNotContain, placeOf('mustNotContain'))
  if (filePath === undefined) return
  demands.expectFile({
    filePath,
    mustContain,
    mustNotContain,
    ...(fields.mustMatch === undefined ? {} : { mustMatch: fields.mustMatch }),
    ...(minLength === undefined ? {} : { minLength }),
    ...(maxLength === undefined ? {} : { maxLength }),
  })
}
