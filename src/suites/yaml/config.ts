import { type CaseGate, mergeGates } from '../../core/gate.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'
import { type FieldValues, readFields, shown } from '../../core/reading/fields.ts'
import type { Notes } from '../../core/reading/findings.ts'
import { readDurationMs, readTexts } from '../../core/reading/values.ts'
import type { ApprovalPolicy } from '../../core/session.ts'
import { readApprovalPolicy } from './approval.ts'
import { readBehavior } from './behavior.ts'
import { type EvaluatorScope, NO_CUSTOM } from './custom-evaluators.ts'
import { collectDemands, type Demands } from './demands.ts'
import {
  type EvaluatorChoice,
  mergeChoices,
  NO_CHOICE,
  readEvaluators,
  readTestChoice,
  readWeights,
} from './evaluator-choice.ts'
import { GATE, readYamlGate } from './gate.ts'
import { readModel } from './model.ts'
import { PASS_RULES, type PassRules, readPassRules } from './pass-rules.ts'
import { readRules } from './rules.ts'
import { readSuiteSelectors, type SuiteSelector } from './suite-selectors.ts'
import { withoutUnused } from './unused.ts'
import type { Fixture, Workspace } from './workspaces.ts'

/** What a config file gives to every test below its folder that does not say otherwise. */
export interface SuiteConfig extends PassRules {
  readonly agent?: string
  readonly model?: string
  readonly timeoutMs?: number
  readonly tags: readonly string[]
  readonly suites: readonly SuiteSelector[]
  readonly choice: EvaluatorChoice
  readonly approval?: ApprovalPolicy
  readonly workspace?: Fixture
  readonly inherit?: boolean
  readonly gate?: CaseGate
  /** By the agent's name. */
  readonly agents: ReadonlyMap<string, AgentRules>
}

/** What is asked of every test of one agent. Source: spec opencode-evals C.8, "Agent-specific rules". */
export interface AgentRules {
  readonly demands: Demands
  readonly choice: EvaluatorChoice
}

const DEFAULTS = {
  agent: 'string',
  model: 'any',
  timeout: 'any',
  tags: 'list',
  approvalStrategy: 'any',
  workspace: 'string',
  inherit: 'boolean',
  ...PASS_RULES,
  ...GATE,
} as const

/** Source: spec opencode-evals A.7: the file beside public suites, and its early form with weights and rules. */
const CONFIG = {
  ...DEFAULTS,
  defaults: DEFAULTS,
  name: 'any',
  description: 'any',
  version: 'any',
  suites: 'any',
  evaluators: 'any',
  weights: 'any',
  scoring: 'any',
  rules: 'object',
  agents: 'object',
} as const

const UNUSED = {
  agent_path: 'OpenCode finds an agent by its name',
  test_cases_path: 'name the tests with -i',
  testPaths: 'name the tests with -i',
  test_directory: 'name the tests with -i',
  sessions_path: 'sessions are kept beside the results',
  results_path: 'name the results with -o',
  models: 'the model is "model", or -c',
  reporting: 'reports are chosen on the command line',
  expectations: 'what is expected of an agent is written as agents.NAME.behavior',
} as const

type ConfigFields = FieldValues<typeof CONFIG>

/** What is around a config file. */
export interface ConfigPlace {
  /** Its path relative to the working directory. */
  readonly file: string
  /** The folder that a config names; absent where nothing is run. */
  readonly workspace?: (written: string) => Workspace
}

export function readConfig(value: JsonObject, notes: Notes, { file, workspace: find }: ConfigPlace): SuiteConfig {
  const used = withoutUnused(value, UNUSED, { notes, at: '' })
  const fields = readFields(used, CONFIG, { notes, at: '', unknown: 'problem' })
  const choice = readChoice(fields, notes, file)
  const defaults = readDefaults(fields.defaults ?? {}, { notes, at: 'defaults.', find })
  const own = readDefaults(fields, { notes, at: '', find })
  const gate = mergeGates([defaults.gate, own.gate])
  return {
    ...defaults,
    ...own,
    ...(gate === undefined ? {} : { gate }),
    tags: [
      ...readTexts(fields.defaults?.tags, { notes, at: 'defaults.tags' }),
      ...readTexts(fields.tags, { notes, at: 'tags' }),
    ],
    suites: fields.suites === undefined ? [] : readSuiteSelectors(fields.suites, { notes, at: 'suites' }),
    choice,
    agents: readAgents(fields.agents ?? {}, notes, { file, custom: choice.custom }),
  }
}

type Defaults = Omit<SuiteConfig, 'tags' | 'suites' | 'choice' | 'agents'>

interface DefaultsPlace {
  readonly notes: Notes
  /** Path of the object that holds them, with its dot. */
  readonly at: string
  readonly find: ConfigPlace['workspace'] | undefined
}

function readDefaults(fields: FieldValues<typeof DEFAULTS>, { notes, at, find }: DefaultsPlace): Defaults {
  const { agent, approvalStrategy: strategy, inherit } = fields
  const workspace = fields.workspace === undefined ? undefined : find?.(fields.workspace)
  if (workspace?.ok === false) notes.problem(`${at}workspace`, workspace.message, workspace.hint)
  const timeoutMs = readDurationMs(fields.timeout, { notes, at: `${at}timeout` })
  const model = readModel(fields.model, { notes, at: `${at}model` })
  const approval =
    strategy === undefined ? undefined : readApprovalPolicy(strategy, { notes, at: `${at}approvalStrategy` })
  const gate = readYamlGate(fields, { notes, at })
  return {
    ...readPassRules(fields, { notes, at }),
    ...(gate === undefined ? {} : { gate }),
    ...(agent ? { agent } : {}),
    ...(model === undefined ? {} : { model }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(approval === undefined ? {} : { approval }),
    ...(workspace?.ok === true ? { workspace } : {}),
    ...(inherit === undefined ? {} : { inherit }),
  }
}

function readChoice(
  fields: Pick<ConfigFields, 'evaluators' | 'weights' | 'scoring' | 'rules'>,
  notes: Notes,
  file: string,
): EvaluatorChoice {
  const { evaluators, weights, scoring, rules } = fields
  const scope = { file, custom: NO_CUSTOM }
  const chosen = evaluators === undefined ? NO_CHOICE : readEvaluators(evaluators, { notes, at: 'evaluators' }, scope)
  const { custom } = chosen
  if (weights !== undefined && scoring !== undefined) notes.problem('scoring', 'cannot be given beside "weights"')
  const shares =
    weights === undefined
      ? scoring === undefined
        ? {}
        : readWeights(scoring, { notes, at: 'scoring' }, custom)
      : readWeights(weights, { notes, at: 'weights' }, custom)
  return mergeChoices([
    chosen,
    rules === undefined ? NO_CHOICE : readRules(rules, { notes, at: 'rules' }, { file, custom }),
    { ...NO_CHOICE, weights: shares },
  ])
}

const AGENT = { behavior: 'object', evaluators: 'any', weights: 'any' } as const

function readAgents(agents: JsonObject, notes: Notes, scope: EvaluatorScope): Map<string, AgentRules> {
  return new Map(
    Object.entries(agents).flatMap(([name, value]: [string, Json]): [string, AgentRules][] => {
      const at = `agents.${name}`
      if (!isJsonObject(value)) {
        notes.problem(at, `expected an object such as {behavior: {mustNotUseTools: [bash]}}, got ${shown(value)}`)
        return []
      }
      const fields = readFields(value, AGENT, { notes, at, unknown: 'problem' })
      const demands = collectDemands()
      if (fields.behavior) readBehavior(fields.behavior, demands, { notes, at: `${at}.behavior` })
      const choice = readTestChoice(fields, { notes, at: `${at}.` }, scope)
      return [[name, { demands, choice }]]
    }),
  )
}
