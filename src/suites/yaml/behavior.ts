import type { Json, JsonObject } from '../../core/json.ts'
import { type FieldValues, readFields } from '../../core/reading/fields.ts'
import { type Place, readCount, readOneOf, readTextLists, readTexts } from '../../core/reading/values.ts'
import { readFileExpectations } from './content.ts'
import type { DemandsBuilder } from './demands.ts'
import { withoutUnused } from './unused.ts'

/** Source: spec opencode-evals A.4: the schema's fields, those that public suites use besides, and their aliases. */
const BEHAVIOR = {
  mustUseTools: 'list',
  mustUseAnyOf: 'list',
  mustNotUseTools: 'list',
  forbiddenTools: 'list',
  mayUseTools: 'list',
  mustUseInOrder: 'list',
  mustNotUseInFirstN: { tools: 'list', n: 'number' },
  minToolCalls: 'number',
  maxToolCalls: 'number',
  minFilesWritten: 'number',
  minMessages: 'number',
  maxMessages: 'number',
  requiresApproval: 'boolean',
  requiresContext: 'boolean',
  expectedContextFiles: 'list',
  shouldDelegate: 'boolean',
  responseProvided: 'boolean',
  mustUseDedicatedTools: 'boolean',
  expectedAgent: 'string',
  expectedModel: 'string',
  expectedResponse: { contains: 'list', notContains: 'list', description: 'string' },
  mustContain: 'list',
  mustNotContain: 'list',
  shouldContainInAnyMessage: 'list',
  contentExpectations: 'list',
  delegationExpectations: {
    subagentType: 'string',
    subagentMustUseTools: 'list',
    subagentMinToolCalls: 'number',
    subagentMustComplete: 'boolean',
  },
  approvalExpectations: { minConfidence: 'any', approvalMustMention: 'list', requireExplicitApproval: 'boolean' },
  scratchpad: 'any',
} as const

type Behavior = FieldValues<typeof BEHAVIOR>

const UNUSED = {
  debug: 'use --verbose, and the session that is kept beside the results',
} as const

/** Reads `behavior` into what it demands of which evaluator. */
export function readBehavior(value: JsonObject, demands: DemandsBuilder, { notes, at }: Place): void {
  const used = withoutUnused(value, UNUSED, { notes, at })
  const fields = readFields(used, BEHAVIOR, { notes, at, unknown: 'problem' })
  const placeOf = (field: string): Place => ({ notes, at: `${at}.${field}` })
  readTools(fields, demands, placeOf)
  readSaid(fields, demands, placeOf)
  readContext(fields, demands, placeOf)
  readDelegation(fields, demands, placeOf)
  readApproval(fields, demands, placeOf)
  for (const setting of COUNTS) demands.set('behavior', setting, readCount(fields[setting], placeOf(setting)))
  for (const setting of FLAGS) demands.set('behavior', setting, fields[setting])
  demands.set('behavior', 'scratchpad', fields.scratchpad)
  demands.set('agent-model', 'expectedAgent', fields.expectedAgent)
  demands.set('agent-model', 'expectedModel', fields.expectedModel)
  if (fields.contentExpectations)
    readFileExpectations(fields.contentExpectations, demands, placeOf('contentExpectations'))
}

const COUNTS = ['minToolCalls', 'maxToolCalls', 'minFilesWritten', 'minMessages', 'maxMessages'] as const
const FLAGS = [
  'requiresApproval',
  'requiresContext',
  'shouldDelegate',
  'responseProvided',
  'mustUseDedicatedTools',
] as const

type PlaceOf = (field: string) => Place

function readTools(fields: Behavior, demands: DemandsBuilder, placeOf: PlaceOf): void {
  demands.add('behavior', 'mustUseTools', readTexts(fields.mustUseTools, placeOf('mustUseTools')))
  demands.add('behavior', 'mustUseAnyOf', readTextLists(fields.mustUseAnyOf, placeOf('mustUseAnyOf')))
  demands.add('behavior', 'mustNotUseTools', readTexts(fields.mustNotUseTools, placeOf('mustNotUseTools')))
  demands.add('behavior', 'mustNotUseTools', readTexts(fields.forbiddenTools, placeOf('forbiddenTools')))
  demands.add('behavior', 'mayUseTools', readTexts(fields.mayUseTools, placeOf('mayUseTools')))
  demands.add('behavior', 'mustUseInOrder', readTextLists(fields.mustUseInOrder, placeOf('mustUseInOrder')))
  if (!fields.mustNotUseInFirstN) return
  const { tools, n } = fields.mustNotUseInFirstN
  const { notes, at } = placeOf('mustNotUseInFirstN')
  if (tools === undefined) notes.problem(`${at}.tools`, 'required')
  if (n === undefined) notes.problem(`${at}.n`, 'required')
  const names = readTexts(tools, { notes, at: `${at}.tools` })
  const count = readCount(n, { notes, at: `${at}.n` })
  if (count !== undefined) demands.set('behavior', 'mustNotUseInFirstN', { tools: names, n: count })
}

/** Whatever the dialect calls it: text that the agent says, or must not say. */
function readSaid(fields: Behavior, demands: DemandsBuilder, placeOf: PlaceOf): void {
  const { contains, notContains } = fields.expectedResponse ?? {}
  expectSaid(demands, {
    contains: [
      ...readTexts(contains, placeOf('expectedResponse.contains')),
      ...readTexts(fields.mustContain, placeOf('mustContain')),
      ...readTexts(fields.shouldContainInAnyMessage, placeOf('shouldContainInAnyMessage')),
    ],
    notContains: [
      ...readTexts(notContains, placeOf('expectedResponse.notContains')),
      ...readTexts(fields.mustNotContain, placeOf('mustNotContain')),
    ],
  })
}

interface Said {
  readonly contains?: readonly string[]
  readonly notContains?: readonly string[]
}

function expectSaid(demands: DemandsBuilder, { contains = [], notContains = [] }: Said): void {
  if (contains.length + notContains.length === 0) return
  const known = (demands.settings.get('behavior')?.['expectedResponse'] ?? {}) as Said
  const joined = {
    contains: [...new Set([...(known.contains ?? []), ...contains])],
    notContains: [...new Set([...(known.notContains ?? []), ...notContains])],
  }
  demands.set('behavior', 'expectedResponse', {
    ...(joined.contains.length === 0 ? {} : { contains: joined.contains }),
    ...(joined.notContains.length === 0 ? {} : { notContains: joined.notContains }),
  })
}

function readContext({ expectedContextFiles: files }: Behavior, demands: DemandsBuilder, placeOf: PlaceOf): void {
  expectContextFiles(demands, readTexts(files, placeOf('expectedContextFiles')))
}

/** They must be read, and count as context wherever they lie. */
export function expectContextFiles(demands: DemandsBuilder, files: readonly string[]): void {
  demands.add('context-loading', 'expectedContextFiles', files)
  demands.add('behavior', 'expectedContextFiles', files)
}

function readDelegation({ delegationExpectations: wanted }: Behavior, demands: DemandsBuilder, placeOf: PlaceOf): void {
  if (!wanted) return
  const { notes, at } = placeOf('delegationExpectations')
  const tools = readTexts(wanted.subagentMustUseTools, { notes, at: `${at}.subagentMustUseTools` })
  demands.set('delegation', 'subagentType', wanted.subagentType)
  demands.add('delegation', 'subagentMustUseTools', tools)
  const least = readCount(wanted.subagentMinToolCalls, { notes, at: `${at}.subagentMinToolCalls` })
  demands.set('delegation', 'subagentMinToolCalls', least)
  demands.set('delegation', 'subagentMustComplete', wanted.subagentMustComplete)
}

function readApproval({ approvalExpectations: wanted }: Behavior, demands: DemandsBuilder, placeOf: PlaceOf): void {
  if (!wanted) return
  const { notes, at } = placeOf('approvalExpectations')
  const confidence: Json | undefined = readOneOf(wanted.minConfidence, ['low', 'medium', 'high'], {
    notes,
    at: `${at}.minConfidence`,
  })
  const mentions = readTexts(wanted.approvalMustMention, { notes, at: `${at}.approvalMustMention` })
  demands.set('approval-gate', 'minConfidence', confidence)
  demands.add('approval-gate', 'approvalMustMention', mentions)
  demands.set('approval-gate', 'requireExplicitApproval', wanted.requireExplicitApproval)
}
