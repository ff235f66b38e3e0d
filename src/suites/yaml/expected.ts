import { isJsonObject, type Json } from '../../core/json.ts'
import { readFields, shown } from '../../core/reading/fields.ts'
import { type Place, readCount, readTexts } from '../../core/reading/values.ts'
import type { DemandsBuilder } from './demands.ts'
import { readFlags } from './flags.ts'
import { readViolations } from './violations.ts'

/** The seed's simple shape (`behavior`) and the public schema's deprecated one. Source: spec opencode-evals A.6, A.8. */
const EXPECTED = {
  behavior: 'any',
  pass: 'boolean',
  violations: 'list',
  minMessages: 'number',
  maxMessages: 'number',
  toolCalls: 'list',
  filesModified: 'list',
  notes: 'any',
} as const

export function readExpected(value: Json, demands: DemandsBuilder, { notes, at }: Place): void {
  if (!isJsonObject(value)) {
    notes.problem(at, `expected an object such as {behavior: [approval_requested]}, got ${shown(value)}`)
    return
  }
  const fields = readFields(value, EXPECTED, { notes, at, unknown: 'problem' })
  if (fields.behavior !== undefined) readFlags(fields.behavior, demands, { notes, at: `${at}.behavior` })
  if (fields.violations) readViolations(fields.violations, demands, { notes, at: `${at}.violations` })
  if (fields.pass !== undefined) demands.expectPass(fields.pass)
  const least = readCount(fields.minMessages, { notes, at: `${at}.minMessages` })
  demands.set('behavior', 'minMessages', least)
  demands.set('behavior', 'maxMessages', readCount(fields.maxMessages, { notes, at: `${at}.maxMessages` }))
  demands.add('behavior', 'mustUseTools', readTexts(fields.toolCalls, { notes, at: `${at}.toolCalls` }))
  demands.add('behavior', 'filesModified', readTexts(fields.filesModified, { notes, at: `${at}.filesModified` }))
}
