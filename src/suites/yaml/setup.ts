import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'
import { readFields, shown } from '../../core/reading/fields.ts'
import { type Place, readOneOf } from '../../core/reading/values.ts'
import type { SetupStep } from '../../core/session.ts'
import { readInnerPath } from './inner-path.ts'

const STEP = { action: 'any', file: 'any', content: 'any' } as const

/** What is done in the workspace before the first turn. Source: spec opencode-evals A.4, `setup`. */
export function readSetup(list: readonly Json[], { notes, at }: Place): SetupStep[] {
  return list.flatMap((item, index) => {
    const place = { notes, at: `${at}[${index}]` }
    if (isJsonObject(item)) return readStep(item, place)
    notes.problem(place.at, `expected a step such as {action: write, file: a.txt, content: Hello}, got ${shown(item)}`)
    return []
  })
}

function readStep(item: JsonObject, { notes, at }: Place): SetupStep[] {
  const { action: written, file: path, content } = readFields(item, STEP, { notes, at, unknown: 'problem' })
  if (written === undefined) notes.problem(`${at}.action`, 'required', 'write, delete or mkdir')
  const action = readOneOf(written, ['write', 'delete', 'mkdir'], { notes, at: `${at}.action` })
  const file = readInnerPath(path, { notes, at: `${at}.file` })
  if (action === 'write') {
    if (typeof content === 'string') return file === undefined ? [] : [{ action, file, content }]
    notes.problem(`${at}.content`, content === undefined ? 'required' : `expected a text, got ${shown(content)}`)
    return []
  }
  if (action !== undefined && content !== undefined)
    notes.problem(`${at}.content`, `means nothing to the action "${action}"`)
  return action === undefined || file === undefined ? [] : [{ action, file }]
}
