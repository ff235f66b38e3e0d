import { askedAgents } from '../assertions/index.ts'
import type { Prices } from '../core/budget.ts'
import { collectProblems, type Problem, TargetError } from '../core/errors.ts'
import type { Host } from '../core/host.ts'
import { type ContextFile, resolveIdentity } from '../core/identity.ts'
import type { JsonObject } from '../core/json.ts'
import type { Answer, AskAgent, Question } from '../core/means.ts'
import type { Case, CaseOptions } from '../core/suite.ts'
import { outputOf, usageOf } from '../core/trace.ts'
import { collectEvents } from '../runner/collect-events.ts'
import { createTarget, type Target, type TargetContext } from '../targets/index.ts'
import { agentIdentity } from './judged-by.ts'

/** An agent that a case asks beside the tested one: a judge or a simulated user. */
export interface Asked {
  readonly agent: string
  readonly connector?: string
  readonly metadata: JsonObject
  /** Field of the record that names it, such as `assert[0]`; its settings lie below. */
  readonly field: string
}

/** The agents of one application that its cases ask. */
export interface AskedAgents {
  readonly ask: AskAgent
  /** What is wrong with asking this agent; opens it. */
  problems(asked: Asked): Promise<readonly Problem[]>
  /** What tells the agent apart from one that judged by the same name before. */
  identity(asked: Asked): Promise<string>
  /** Absolute paths of files that they read while they run. */
  reads(): Promise<string[]>
  dispose(): Promise<void>
}

interface Scope {
  readonly host: Host
  /** Absolute path of the application; without one it is looked for from the working directory. */
  readonly root: string | undefined
  readonly record?: string
  /** `-c`. */
  readonly connector?: string
  readonly flags: { readonly user?: string | undefined; readonly team?: string | undefined }
  readonly context?: ContextFile
  readonly prices?: Prices
}

type Opened = { readonly target: Target } | { readonly problems: readonly Problem[] }

/**
 * Opens agents as they are asked for, each once. `-c` is not for them, only `options.connector` changes which connector
 * answers; but while a cassette is recorded, `-c` stands in for an agent's own cassette, which can give no new answers.
 */
export function openAskedAgents(scope: Scope): AskedAgents {
  const opened = new Map<string, Promise<Opened>>()
  const open = (agent: string): Promise<Opened> => {
    const known = opened.get(agent) ?? openAgent(agent, scope)
    opened.set(agent, known)
    return known
  }
  const identities = new Map<string, Promise<string>>()
  const targets = async () =>
    (await Promise.all(opened.values())).flatMap((one) => ('target' in one ? [one.target] : []))
  return {
    async ask(question) {
      const found = await open(question.agent)
      if ('target' in found) return await askTarget(found.target, question, scope)
      const why = found.problems.map(({ message }) => message).join('; ')
      throw new TargetError(why, { code: 'UNSUPPORTED' })
    },
    async problems({ field, ...asked }) {
      const found = await open(asked.agent)
      const problems =
        'target' in found ? ((await found.target.check?.(caseOf({ ...asked, content: '' }))) ?? []) : found.problems
      return problems.map((problem) => placed(problem, field))
    },
    async identity({ field: _field, ...asked }) {
      const key = JSON.stringify([asked.agent, asked.connector])
      const identity = identities.get(key) ?? open(asked.agent).then((found) => identityOf(found, asked))
      identities.set(key, identity)
      return await identity
    },
    reads: async () => (await targets()).flatMap((target) => target.reads ?? []),
    async dispose() {
      await Promise.all((await targets()).map(async (target) => target.dispose?.()))
    },
  }
}

async function openAgent(agent: string, { host, root, record, connector, context }: Scope): Promise<Opened> {
  const problems: Problem[] = []
  const targetContext: TargetContext = {
    host,
    ...(record === undefined ? {} : { record }),
    ...(context === undefined ? {} : { context: withoutTested(context) }),
  }
  const settings = { type: 'yao', name: agent, ...(root === undefined ? {} : { root }) }
  const open = (more: Pick<TargetContext, 'connector'> = {}) =>
    collectProblems(problems, () => createTarget(settings, { ...targetContext, ...more }))
  const target = await open()
  if (!target) return { problems }
  const isRecorded = (target.reads ?? []).length > 0
  if (record === undefined || connector === undefined || !isRecorded) return { target }
  await target.dispose?.()
  const live = await open({ connector })
  return live ? { target: live } : { problems }
}

async function identityOf(found: Opened, asked: Omit<Asked, 'field'>): Promise<string> {
  return 'target' in found ? await agentIdentity(found.target, caseOf({ ...asked, content: '' })) : asked.agent
}

/** A problem without a file lies in the record: in what names the agent, or in its options. */
function placed(problem: Problem, field: string): Problem {
  if (problem.file !== undefined) return problem
  const below = problem.field?.startsWith('options.') ? problem.field : 'use'
  return { ...problem, field: `${field}.${below}` }
}

async function askTarget(target: Target, question: Question, { host, flags, context, prices }: Scope): Promise<Answer> {
  const item = caseOf(question)
  const { events, error } = await collectEvents(
    target,
    {
      case: item,
      run: question.asker?.run ?? 1,
      identity: resolveIdentity({
        flags,
        case: item,
        ...(context === undefined ? {} : { context: withoutTested(context) }),
      }),
      options: item.options,
      signal: question.signal ?? host.signal,
    },
    host,
  )
  if (error) throw error
  const usage = usageOf({ events }, prices)
  return { output: outputOf({ events }), ...(usage === undefined ? {} : { usage }) }
}

/** Chat and metadata of the ctx file are the tested agent's. */
function withoutTested({ chat_id: _chat, metadata: _metadata, ...context }: ContextFile): ContextFile {
  return context
}

/** Nothing of what is asked is kept. Source: spec yao 4.3. */
const KEPT: NonNullable<CaseOptions['skip']> = { history: true, trace: true, output: true }

/** The question as a case of its own; named like the case that asks, for messages and cassettes. */
function caseOf({ content, metadata, connector, asker }: Omit<Question, 'agent'>): Case {
  const { key = '', id = '', suite = '', location = { file: suite, line: 1 }, user, team } = asker?.case ?? {}
  return {
    key,
    id,
    suite,
    location,
    input: content,
    messages: [{ role: 'user', content }],
    assertions: [],
    options: { ...(connector === undefined ? {} : { connector }), metadata, skip: KEPT },
    metadata: {},
    ...(user === undefined ? {} : { user }),
    ...(team === undefined ? {} : { team }),
    fingerprint: '',
  }
}

/** Every agent that a case asks, in its assertions, its checkpoints and as its simulated user. */
export function askedIn({ assertions, conversation }: Case): Asked[] {
  const own = askedAgents(assertions).map(({ index, ...asked }): Asked => {
    return { ...asked, field: assertions.length === 1 ? 'assert' : `assert[${index}]` }
  })
  if (!conversation) return own
  const { simulator, checkpoints } = conversation
  const later = checkpoints.flatMap((checkpoint, at) =>
    askedAgents(checkpoint.assertions).map(({ index, ...asked }): Asked => {
      const list = `checkpoints[${at}].assert`
      return { ...asked, field: checkpoint.assertions.length === 1 ? list : `${list}[${index}]` }
    }),
  )
  const { agent, connector, metadata } = simulator
  const user = { agent, metadata, ...(connector === undefined ? {} : { connector }), field: 'simulator' }
  return [user, ...own, ...later]
}
