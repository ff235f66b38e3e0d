import { normaliseAssertions } from '../../assertions/index.ts'
import { type CaseGate, mergeGates } from '../../core/gate.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { KindConfig } from '../../core/kind.ts'
import { type FieldValues, nearField, readFields, shown } from '../../core/reading/fields.ts'
import type { Notes } from '../../core/reading/findings.ts'
import { readOneOf, readTexts } from '../../core/reading/values.ts'
import type { Turn } from '../../core/session.ts'
import { type Case, caseKey } from '../../core/suite.ts'
import { fingerprintOf } from '../fingerprint.ts'
import { textMessages } from '../messages.ts'
import { readBehavior } from './behavior.ts'
import type { AgentRules, SuiteConfig } from './config.ts'
import { noteContradictions } from './contradictions.ts'
import type { DemandsBuilder } from './demands.ts'
import { readDialectList } from './dialects.ts'
import { type EvaluatorChoice, mergeChoices, NO_CHOICE, readTestChoice } from './evaluator-choice.ts'
import { readExpected } from './expected.ts'
import { readFlags } from './flags.ts'
import { readYamlGate } from './gate.ts'
import { readPassRules } from './pass-rules.ts'
import { checkDemands, demandsFrom, planEvaluations } from './plan.ts'
import { readSession, runLimitMs } from './session.ts'
import { CATEGORIES, FIRST_DESIGN, TEST } from './test-fields.ts'
import { readTurns } from './turns.ts'
import { readViolations } from './violations.ts'
import type { Fixture, Workspace } from './workspaces.ts'

type Fields = FieldValues<typeof FIRST_DESIGN>

/** Where a test is read: in which suite, under which config file, in which dialect. */
export interface TestSource {
  readonly suite: string
  readonly isFirstDesign: boolean
  readonly config: SuiteConfig | undefined
  /** What the list of tests around it asks of each. */
  readonly gate?: CaseGate
  /** Where neither the test nor the config file names one. */
  readonly agent?: string
  /** What the config file adds to the tags of a test: its own, and the suites that the test belongs to. */
  tagsBesides(tags: readonly string[]): readonly string[]
  /** The folder that a test names, or else the config file's. */
  workspaceOf(written: string | undefined): Workspace | undefined
}

/** The case that a test describes; undefined when the test has problems, which then are in `notes`. */
export function readTest(value: JsonObject, notes: Notes, source: TestSource): Case | undefined {
  const { config } = source
  const table = source.isFirstDesign ? FIRST_DESIGN : TEST
  const fields: Fields = readFields(value, table, { notes, at: '', unknown: 'problem' })
  const id = readId(fields.id, value, notes)
  const agent = fields.agent || config?.agent || source.agent
  const rules = agent === undefined ? undefined : config?.agents.get(agent)
  const given = choicesFor(config, rules)
  const { custom } = mergeChoices(given)
  const own = readTestChoice(fields, { notes, at: '' }, { file: source.suite, custom })
  const demands = demandsFrom(rules?.demands, new Map([...custom, ...own.custom]))
  const turns = readPrompt(fields, value, demands, notes)
  readDemands(fields, demands, notes)
  noteContradictions(demands, notes)
  const evaluations = planEvaluations({
    choices: [...given, own],
    demands,
    rules: { ...config, ...readPassRules(fields, { notes, at: '' }) },
  })
  const workspace = readWorkspace(fields.workspace, notes, source)
  const session = readSession(fields, { notes, turns, files: demands.files, config, agent, workspace })
  const assertions = [...readAssertions(fields.assert, notes), ...demands.assertions]
  const rest = readRest(fields, notes, source)
  // Its own mistakes have been told with the fields that hold them.
  if (!notes.hasProblems()) for (const problem of checkDemands(demands)) notes.add(problem)
  const [first] = turns
  if (notes.hasProblems() || id === undefined || !first) return undefined
  const question = {
    messages: textMessages(first.text),
    assertions,
    options: {},
    metadata: fields.metadata ?? {},
    session,
    evaluations,
  }
  const limit = runLimitMs(session)
  return {
    key: caseKey(source.suite, id),
    id,
    suite: source.suite,
    location: { file: source.suite, line: notes.line ?? 1 },
    input: first.text,
    ...question,
    ...(limit === undefined ? {} : { timeoutMs: limit }),
    ...rest,
    fingerprint: fingerprintOf({ ...question, ...(workspace ? { workspaceHash: workspace.hash } : {}) }),
  }
}

function choicesFor(config?: SuiteConfig, rules?: AgentRules): EvaluatorChoice[] {
  return [config?.choice ?? NO_CHOICE, rules?.choice ?? NO_CHOICE]
}

function readId(id: Json | undefined, test: JsonObject, notes: Notes): string | undefined {
  if (typeof id === 'string' && id !== '') return id
  if (id === undefined) notes.problem('id', 'required', nearField('id', test))
  else notes.problem('id', `expected a text that is not empty, got ${shown(id)}`, quoteHint(id))
  return undefined
}

function quoteHint(id: Json): string | undefined {
  return typeof id === 'number' || typeof id === 'boolean' ? `write "${id}" in quotes` : undefined
}

function readPrompt(fields: Fields, test: JsonObject, demands: DemandsBuilder, notes: Notes): readonly Turn[] {
  const { prompt, input, prompts } = fields
  if (prompt !== undefined && input !== undefined)
    notes.problem('input', 'cannot be given beside "prompt"', 'they mean the same')
  const field = prompt === undefined && input !== undefined ? 'input' : 'prompt'
  const asked = fields[field]
  if (asked === undefined && prompts === undefined && !isWritten(test['prompts']))
    notes.problem('prompt', 'required', nearField('prompt', test))
  return readTurns({ ...(asked === undefined ? {} : { prompt: asked }), ...(prompts ? { prompts } : {}) }, demands, {
    notes,
    field,
  })
}

/** What has a wrong type is there, and has been told of. */
function isWritten(value: Json | undefined): boolean {
  return value !== undefined && value !== null
}

function readDemands(fields: Fields, demands: DemandsBuilder, notes: Notes): void {
  if (fields.behavior) readBehavior(fields.behavior, demands, { notes, at: 'behavior' })
  if (fields.expected_behavior !== undefined)
    readFlags(fields.expected_behavior, demands, { notes, at: 'expected_behavior' })
  if (fields.expected !== undefined) readExpected(fields.expected, demands, { notes, at: 'expected' })
  if (fields.expectedViolations) readViolations(fields.expectedViolations, demands, { notes, at: 'expectedViolations' })
  for (const field of ['assertions', 'expectations', 'expectedOutput'] as const) {
    const list = fields[field]
    if (list) readDialectList(field, list, demands, { notes, at: field })
  }
}

function readAssertions(assert: Json | undefined, notes: Notes): readonly KindConfig[] {
  if (assert === undefined) return []
  const { assertions, problems, warnings } = normaliseAssertions(assert, undefined)
  for (const problem of problems) notes.add(problem)
  for (const warning of warnings) notes.warning('', warning)
  return assertions
}

function readWorkspace(written: string | undefined, notes: Notes, source: TestSource): Fixture | undefined {
  const found = source.workspaceOf(written)
  if (found?.ok === false) notes.problem('workspace', found.message, found.hint)
  return found?.ok === true ? found : undefined
}

/** What has no part in the question. */
function readRest(fields: Fields, notes: Notes, source: TestSource): Pick<Case, 'gate' | 'tags' | 'skip'> {
  const own = readTexts(fields.tags, { notes, at: 'tags' })
  const tags = [...new Set([...own, ...source.tagsBesides(own)])]
  const skip = readSkip(fields.skip, notes)
  const gate = mergeGates([source.config?.gate, source.gate, readYamlGate(fields, { notes, at: '' })])
  checkUnsent(fields, notes)
  return {
    ...(gate === undefined ? {} : { gate }),
    ...(tags.length === 0 ? {} : { tags }),
    ...(skip === undefined ? {} : { skip }),
  }
}

function readSkip(skip: Json | undefined, notes: Notes): string | undefined {
  if (skip === undefined || skip === false) return undefined
  if (skip === true) return 'skipped in the suite'
  if (typeof skip === 'string' && skip !== '') return skip
  notes.problem('skip', `expected true, false or the reason, got ${shown(skip)}`)
  return undefined
}

function checkUnsent({ category, attachments }: Fields, notes: Notes): void {
  readOneOf(category, CATEGORIES, { notes, at: 'category' })
  if (attachments && attachments.length > 0) {
    const hint = 'put the files into the workspace and name them in the prompt'
    notes.problem('attachments', 'are not sent to an agent in a session', hint)
  }
}
