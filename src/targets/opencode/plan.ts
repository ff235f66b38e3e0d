import type { Problem } from '../../core/errors.ts'
import { quote } from '../../core/kind.ts'
import { type Message, textOf } from '../../core/message.ts'
import type { SessionPlan } from '../../core/session.ts'
import type { Case } from '../../core/suite.ts'
import { pathFault } from './confined.ts'

/** The case's own plan; a case that has none says its user messages, one after the other, and approves everything. */
export function planOf({ session, messages }: Pick<Case, 'session' | 'messages'>): SessionPlan {
  return (
    session ?? {
      turns: messages.filter(({ role }) => role === 'user').map((message) => ({ text: textOf(message) })),
      inherit: true,
      setup: [],
      approval: { kind: 'approve' },
      files: [],
    }
  )
}

/** What an OpenCode session cannot do, and paths that must not be; found without a server. */
export function planProblems(item: Case): Problem[] {
  const plan = planOf(item)
  const problems: Problem[] = []
  if (item.conversation)
    problems.push({
      field: 'simulator',
      message: 'a simulated user cannot talk with an OpenCode session',
      hint: 'write what the user says as prompts',
    })
  if (!item.session) problems.push(...messageProblems(item.messages))
  if (plan.turns.length === 0) problems.push({ field: 'input', message: 'there is nothing to say' })
  for (const [index, { file }] of plan.setup.entries()) problems.push(...pathProblems(file, `setup[${index}].file`))
  for (const [index, { filePath }] of plan.files.entries())
    problems.push(...pathProblems(filePath, `contentExpectations[${index}].filePath`))
  return problems
}

function messageProblems(messages: readonly Message[]): Problem[] {
  const problems: Problem[] = []
  if (messages.some(({ role }) => role !== 'user'))
    problems.push({ field: 'input', message: 'an OpenCode session takes what the user says, no history' })
  const isText = ({ content }: Message) =>
    content === undefined || typeof content === 'string' || content.every((part) => part.type === 'text')
  if (!messages.every(isText)) problems.push({ field: 'input', message: 'an OpenCode session takes text alone' })
  return problems
}

function pathProblems(file: string, field: string): Problem[] {
  const fault = pathFault(file)
  return fault === undefined ? [] : [{ field, message: `${quote(file)} ${fault}` }]
}
