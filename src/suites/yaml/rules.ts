import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'
import { shown } from '../../core/reading/fields.ts'
import type { Place } from '../../core/reading/values.ts'
import type { EvaluatorScope } from './custom-evaluators.ts'
import { type EvaluatorChoice, readEvaluators } from './evaluator-choice.ts'

/** What the early config file calls an evaluator's settings. Source: spec opencode-evals A.7. */
const RENAMED: Readonly<Record<string, string>> = {
  required_contexts: 'requiredContexts',
  file_threshold: 'fileThreshold',
}

const UNUSED: Readonly<Record<string, string>> = {
  keywords: 'how an agent asks is recognised by more than words',
  complexity_triggers: 'complexity is counted from the files that were written',
  appropriate_tools: 'which tool suits a command is part of the evaluator',
}

/** `rules`, one map of settings for each evaluator: `evaluators` by another name. */
export function readRules(rules: JsonObject, { notes, at }: Place, scope: EvaluatorScope): EvaluatorChoice {
  const renamed: Record<string, Json> = {}
  for (const [name, value] of Object.entries(rules)) {
    if (isJsonObject(value)) renamed[name] = renameSettings(value, { notes, at: `${at}.${name}` })
    else notes.problem(`${at}.${name}`, `expected an object such as {enabled: true}, got ${shown(value)}`)
  }
  return readEvaluators(renamed, { notes, at }, scope)
}

function renameSettings(settings: JsonObject, { notes, at }: Place): JsonObject {
  const renamed: Record<string, Json> = {}
  for (const [setting, value] of Object.entries(settings)) {
    const why = Object.hasOwn(UNUSED, setting) ? UNUSED[setting] : undefined
    if (why === undefined) renamed[RENAMED[setting] ?? setting] = value
    else notes.warning(`${at}.${setting}`, 'not used here', why)
  }
  return renamed
}
