import { isJsonObject, type Json } from '../../core/json.ts'
import { nearField, readFields, shown } from '../../core/reading/fields.ts'
import type { Notes } from '../../core/reading/findings.ts'
import { type Place, readDurationMs } from '../../core/reading/values.ts'
import type { Turn } from '../../core/session.ts'
import { expectContextFiles } from './behavior.ts'
import type { DemandsBuilder } from './demands.ts'

/** Source: spec opencode-evals A.2; `onlyWhenAsked` is ours. */
const TURN = {
  text: 'any',
  delayMs: 'any',
  expectContext: 'boolean',
  contextFile: 'string',
  onlyWhenAsked: 'boolean',
} as const

/** More are hardly meant: each is a model call at least. */
const MOST_TURNS = 100

/** What is said to the agent: `prompt`, or the turns of `prompts`. */
export function readTurns(
  { prompt, prompts }: { readonly prompt?: Json; readonly prompts?: readonly Json[] },
  demands: DemandsBuilder,
  { notes, field }: { readonly notes: Notes; readonly field: string },
): Turn[] {
  if (prompts && prompt !== undefined) notes.problem(field, 'cannot be given beside "prompts"', 'choose one of them')
  if (prompts) return readPrompts(prompts, demands, { notes, at: 'prompts' })
  const text = prompt === undefined ? undefined : readText(prompt, { notes, at: field })
  return text === undefined ? [] : [{ text }]
}

function readPrompts(prompts: readonly Json[], demands: DemandsBuilder, { notes, at }: Place): Turn[] {
  if (prompts.length === 0) notes.problem(at, 'expected at least one turn, got an empty list')
  if (prompts.length > MOST_TURNS) {
    notes.problem(at, `expected at most ${MOST_TURNS} turns, got ${prompts.length}`)
    return []
  }
  return prompts.flatMap((item, index) => {
    const place = { notes, at: `${at}[${index}]` }
    if (typeof item === 'string') {
      const text = readText(item, place)
      return text === undefined ? [] : [{ text }]
    }
    if (isJsonObject(item)) {
      if (index === 0 && item['onlyWhenAsked'] === true)
        notes.problem(`${place.at}.onlyWhenAsked`, 'nobody has asked before the first turn')
      return readTurn(item, demands, place)
    }
    notes.problem(place.at, `expected a turn such as {text: Hello}, got ${shown(item)}`)
    return []
  })
}

function readTurn(item: Readonly<Record<string, Json>>, demands: DemandsBuilder, { notes, at }: Place): Turn[] {
  const fields = readFields(item, TURN, { notes, at, unknown: 'problem' })
  if (fields.text === undefined) notes.problem(`${at}.text`, 'required', nearField('text', item))
  const text = fields.text === undefined ? undefined : readText(fields.text, { notes, at: `${at}.text` })
  const delayMs = readDurationMs(fields.delayMs, { notes, at: `${at}.delayMs`, from: 0 })
  // Which turn it was is not told apart: what must be read may be read in any.
  if (fields.expectContext === true) demands.set('behavior', 'requiresContext', true)
  if (fields.contextFile && fields.expectContext !== false) expectContextFiles(demands, [fields.contextFile])
  if (text === undefined) return []
  return [
    {
      text,
      ...(delayMs === undefined ? {} : { delayMs }),
      ...(fields.onlyWhenAsked === undefined ? {} : { onlyWhenAsked: fields.onlyWhenAsked }),
    },
  ]
}

function readText(text: Json, { notes, at }: Place): string | undefined {
  if (typeof text === 'string' && text.trim() !== '') return text
  notes.problem(at, `expected a text that is not empty, got ${shown(text)}`)
  return undefined
}
