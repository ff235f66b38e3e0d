import { readFileSync } from 'node:fs'
import type { Problem } from '../core/errors.ts'
import type { EvaluationPlan } from '../core/evaluation.ts'
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts'
import { checkKindConfig } from '../core/kind.ts'
import { shown } from '../core/reading/fields.ts'
import { collectFindings, type Findings, type Notes } from '../core/reading/findings.ts'
import { placedNotes } from '../core/reading/placed-notes.ts'
import { readDocument } from '../core/reading/yaml-document.ts'
import { evaluators } from '../evaluators/index.ts'
import { readBehavior } from './yaml/behavior.ts'
import { readConfig, type SuiteConfig } from './yaml/config.ts'
import { collectDemands } from './yaml/demands.ts'
import { NO_CHOICE } from './yaml/evaluator-choice.ts'
import { readEvaluatorName } from './yaml/evaluator-names.ts'
import { demandsFrom, planEvaluations } from './yaml/plan.ts'

/** What is asked of sessions and timelines that no suite tells of. */
export interface EvaluationConfig {
  /** Of a session of this agent. */
  planFor(agent?: string): EvaluationPlan
  /** One evaluator alone, as a row of cases names it; everything wrong is a problem at `place`. */
  planOfOne(evaluator: Json, settings: JsonObject, place: Place): { readonly plan: EvaluationPlan } | Faults
}

interface Place {
  readonly file: string
  readonly line: number
}

interface ConfigFile {
  readonly path: string
  /** As the user knows it. */
  readonly shown: string
}

interface Faults {
  readonly problems: readonly Problem[]
}

/** Rules that the command line gives besides; they win. */
export type GivenRules = Pick<SuiteConfig, 'passThreshold' | 'passPolicy' | 'compat'>

/** The evaluators and rules of a config file, as YAML or JSON; all that is on by default where there is none. */
export function readEvaluationConfig(
  file: ConfigFile | undefined,
  given: GivenRules,
): { readonly config: EvaluationConfig; readonly warnings: readonly string[] } | Faults {
  if (!file) return { config: configOf(undefined, given), warnings: [] }
  const findings = collectFindings(file.shown)
  const config = readFile(file, findings)
  if (findings.problems.length > 0) return { problems: findings.problems }
  return { config: configOf(config, given), warnings: findings.warnings() }
}

/** Hand-written, and no more than settings. */
const MOST_LENGTH = 1024 * 1024

function readFile({ path, shown: name }: ConfigFile, findings: Findings): SuiteConfig | undefined {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    const { code = 'UNKNOWN' } = error as NodeJS.ErrnoException
    findings.at().problem('', code === 'ENOENT' ? 'there is no such file' : `cannot be read (${code})`)
    return undefined
  }
  if (text.length > MOST_LENGTH) findings.at().problem('', 'a config file of more than 1 MiB')
  const document = findings.problems.length === 0 ? readDocument(text, findings) : undefined
  if (!document) return undefined
  const notes = placedNotes(findings, document, '')
  if (isJsonObject(document.value)) return readConfig(document.value, notes, { file: name })
  notes.problem('', `expected settings such as "passThreshold: 80", got ${shown(document.value)}`)
  return undefined
}

function configOf(config: SuiteConfig | undefined, given: GivenRules): EvaluationConfig {
  const rules = { ...config, ...given }
  const choice = config?.choice ?? NO_CHOICE
  return {
    planFor(agent) {
      const own = agent === undefined ? undefined : config?.agents.get(agent)
      return planEvaluations({ choices: [choice, own?.choice ?? NO_CHOICE], demands: demandsFrom(own?.demands), rules })
    },
    planOfOne(written, given, place) {
      const findings = collectFindings(place.file)
      const notes = findings.at(place.line)
      const evaluator = readEvaluatorName(written, { notes, at: 'evaluator' })
      const settings = evaluator === undefined ? {} : settingsOf(evaluator, given, notes)
      if (evaluator === undefined || findings.problems.length > 0) return { problems: findings.problems }
      const only = { ...NO_CHOICE, only: [evaluator], settings: new Map([[evaluator, settings]]) }
      return { plan: planEvaluations({ choices: [choice, only], demands: collectDemands(), rules }) }
    },
  }
}

/** A row's behavior may also be in the words of the suite that it was made from. */
function settingsOf(evaluator: string, given: JsonObject, notes: Notes): JsonObject {
  const problems = checkKindConfig(evaluators, { ...given, type: evaluator }, { noun: 'evaluator', field: 'config' })
  if (problems.length > 0 && evaluator === 'behavior') {
    const demands = collectDemands()
    readBehavior(given, demands, { notes, at: 'config' })
    return demands.settings.get(evaluator) ?? {}
  }
  for (const problem of problems) notes.add(problem)
  return given
}
