import { type ApprovalRequest, decide } from '../../core/approval.ts'
import type { ApprovalPolicy } from '../../core/session.ts'
import type { EmittedEvent } from '../../core/trace.ts'
import type { Ask, PermissionAsk, QuestionAsk } from './asks.ts'
import type { Answer, Client } from './client.ts'
import { textWithoutRoot, withoutRoot } from './relative-paths.ts'

const TRIES = 3

/** Answers whatever is asked in a folder, so that nothing there waits for ever. */
export interface Answering {
  /** Answers each ask once, those that are let through first: a refusal ends the others of its session too. */
  answer(asks: readonly Ask[]): Promise<readonly Given[]>
}

/** An answer that was sent. */
interface Given {
  readonly ask: Ask
  readonly accepted: boolean
  /** Why, where that is worth telling. */
  readonly log?: EmittedEvent
}

interface Folder {
  readonly client: Client
  /** What paths are made relative to. */
  readonly root: string
  readonly policy: ApprovalPolicy
  /** Operations that were approved on the base branch. */
  readonly learned?: ReadonlySet<string>
  /** Tool that a permission is asked for, where it is known. */
  toolOf(ask: PermissionAsk): string | undefined
}

export function openAnswering(folder: Folder): Answering {
  const answered = new Set<string>()
  let approvals = 0
  return {
    async answer(asks) {
      const fresh = asks.filter(({ id }) => !answered.has(id))
      const decided = fresh.map((ask) => {
        answered.add(ask.id)
        const decision =
          ask.kind === 'question' ? answerQuestion(ask, folder) : answerPermission(ask, folder, approvals)
        if (ask.kind === 'permission' && decision.answer.kind === 'once') approvals += 1
        return { ask, ...decision }
      })
      const refused = decided.filter(({ answer }) => answer.kind === 'reject')
      const letThrough = decided.filter(({ answer }) => answer.kind !== 'reject')
      for (const { ask, answer } of [...letThrough, ...refused]) await send(ask, answer, folder.client)
      return decided.map(({ ask, answer, because }): Given => {
        const given = { ask, accepted: answer.kind !== 'reject' }
        // Where everything is answered alike there is nothing to explain.
        if (ask.kind === 'permission' && folder.policy.kind !== 'smart') return given
        return { ...given, log: { type: 'log', level: 'info', text: `${wordsOf(ask, folder.root)}: ${because}` } }
      })
    },
  }
}

interface Answered {
  readonly answer: Answer
  readonly because: string
}

function answerPermission(ask: PermissionAsk, { root, policy, learned, toolOf }: Folder, approvals: number): Answered {
  const request: ApprovalRequest = {
    tool: toolOf(ask) ?? ask.permission,
    permission: ask.permission,
    ...(ask.title === undefined ? {} : { title: ask.title }),
    patterns: ask.patterns.map((pattern) => textWithoutRoot(pattern, root)),
    metadata: withoutRoot(ask.metadata, root) as ApprovalRequest['metadata'],
  }
  const decision = decide(policy, request, { approvals, ...(learned === undefined ? {} : { learned }) })
  if (decision.approved) return { answer: { kind: 'once' }, because: `approved, ${decision.because}` }
  const message = policy.kind === 'deny' && policy.message !== undefined ? { message: policy.message } : {}
  return { answer: { kind: 'reject', ...message }, because: `denied, ${decision.because}` }
}

/** Whoever approves takes the first option of each question, as one who agrees would; otherwise it is rejected. */
function answerQuestion({ questions }: QuestionAsk, { policy }: Folder): Answered {
  const agrees = policy.kind === 'approve' || (policy.kind === 'smart' && policy.defaultDecision)
  if (!agrees) return { answer: { kind: 'reject' }, because: 'rejected by the approval strategy' }
  const labels = questions.map(({ options }) => options.slice(0, 1))
  return { answer: { kind: 'choices', labels }, because: `answered ${JSON.stringify(labels.flat().join(', '))}` }
}

/** An ask without its reply would hang until the limit. */
async function send(ask: Ask, answer: Answer, client: Client): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await client.reply(ask, answer)
    } catch (error) {
      if (attempt >= TRIES) throw error
    }
  }
}

function wordsOf(ask: Ask, root: string): string {
  if (ask.kind === 'question')
    return `question ${JSON.stringify(ask.questions.map(({ question }) => question).join(' '))}`
  const what = ask.patterns.map((pattern) => textWithoutRoot(pattern, root)).join(', ')
  return `permission ${ask.permission}${what === '' ? '' : ` for ${what}`}`
}
