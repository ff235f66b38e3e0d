import type { Problem } from '../../core/errors.ts'
import { quote } from '../../core/kind.ts'
import { type Case, placedAssertions } from '../../core/suite.ts'
import { checkHeaderValue } from '../chat/endpoint.ts'
import type { UnusedOption } from '../target.ts'
import { toYaoMessages } from './request.ts'

/** What these look at happens inside of the server and is not told. Source: spec yao 12. */
const UNSEEN: readonly string[] = ['tool_called', 'tool_result', 'trajectory']

const UNTOLD = 'is not evaluable on this target: a Yao server tells nothing of its tools'
const ELSEWHERE = 'run this case on the assistant itself (-n ID without --target), or leave it out with "skip": true'

/** What a case asks that cannot be asked of a server, or judged by what it tells. */
export function caseProblems(item: Case): Problem[] {
  return [...toYaoMessages(item).problems, ...assertionProblems(item), ...optionProblems(item)]
}

function assertionProblems(item: Case): Problem[] {
  return placedAssertions(item).flatMap(({ config: { type }, field }) =>
    UNSEEN.includes(type) ? [{ field, message: `assertion type ${quote(type)} ${UNTOLD}`, hint: ELSEWHERE }] : [],
  )
}

function optionProblems({ options }: Case): Problem[] {
  const problems: Problem[] = []
  const { connector, mode, skip } = options
  if (connector !== undefined) problems.push(...connectorProblems(connector, 'options.connector'))
  const checked = mode === undefined ? undefined : checkHeaderValue(mode)
  if (checked && 'problem' in checked) problems.push({ field: 'options.mode', ...checked.problem })
  if (skip?.output === true) {
    problems.push({
      field: 'options.skip.output',
      message: 'not evaluable on this target: without its output the server answers nothing',
      hint: ELSEWHERE,
    })
  }
  return problems
}

export const WHO_ASKS = 'a Yao server knows who asks by the token in'

/** What a case says that the server does not hear, or hears in another place. Source: spec yao 1, 3 and 12. */
export function unusedOptions({ user, team, options, messages }: Case): UnusedOption[] {
  const { metadata, search, disable_global_prompts: bare, skip } = options
  const fates: readonly (readonly [field: string, isUnused: boolean, fate: string])[] = [
    ['user', user !== undefined, `not used: ${WHO_ASKS} YAO_TOKEN`],
    ['team', team !== undefined, `not used: ${WHO_ASKS} YAO_TOKEN`],
    ['options.metadata', metadata !== undefined, AS_METADATA],
    ['options.search', search !== undefined, AS_METADATA],
    ['options.disable_global_prompts', bare !== undefined, AS_METADATA],
    ['options.skip.history', skip?.history === false, 'not used: the record is the whole conversation'],
    ['input', hasFiles(messages), 'files go as data URLs, which a Yao server does not hand on to its model'],
  ]
  return fates.flatMap(([field, isUnused, fate]) => (isUnused ? [{ field, fate }] : []))
}

const AS_METADATA = 'sent as metadata of the context: hooks do not find it in their options'

function hasFiles(messages: Case['messages']): boolean {
  return messages.some(({ content }) => Array.isArray(content) && content.some(({ type }) => type === 'file'))
}

/** A model that names an assistant would be asked in place of the one under test. */
export function connectorProblems(connector: string, field: string): Problem[] {
  if (!connector.includes('-yao_')) return []
  return [{ field, message: `expected the id of a connector, got ${quote(connector)}, which names an assistant` }]
}
