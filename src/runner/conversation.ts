import type { ConversationEnding, ConversationPlan, ConversationRecord, TurnRecord } from '../core/conversation.ts'
import { TargetError } from '../core/errors.ts'
import type { AskAgent, Means } from '../core/means.ts'
import { type Message, textOf } from '../core/message.ts'
import { type Check, madeChecks } from '../core/result.ts'
import { type TraceEvent, type Usage, usageOf } from '../core/trace.ts'
import type { RunRequest, Target, UserTurn } from '../targets/target.ts'
import { patientMeans } from './asking.ts'
import { attemptAll, type Patience } from './attempts.ts'
import { type Board, openBoard } from './checkpoints.ts'
import { collectEvents } from './collect-events.ts'
import { replyMessages, replyOf, testedOutput, turnCase } from './reply.ts'
import { askSimulator, type SimulatorAnswer } from './simulated-user.ts'

/** What a conversation is held with. */
export interface Partners {
  readonly target: Target
  readonly means: Means
  readonly patience: Patience
  /** Told what a try of a turn said that is begun again. */
  readonly lose: (events: readonly TraceEvent[]) => void
}

export interface Conversed {
  readonly events: readonly TraceEvent[]
  /** Why it broke off. */
  readonly error?: TargetError
  /** 1 and every further try of a turn or of the simulator. */
  readonly attempts: number
  readonly checks: readonly Check[]
  readonly record: ConversationRecord
}

/** How a turn ended the conversation. */
interface End {
  readonly ending: ConversationEnding
  readonly error?: TargetError
}

/** A conversation that goes on; these lists grow. */
interface Talk extends Partners {
  readonly request: RunRequest
  readonly plan: ConversationPlan
  readonly board: Board
  /** Means of the checkpoints: they have no more time than the conversation. */
  readonly judging: Means
  readonly events: TraceEvent[]
  readonly messages: Message[]
  readonly turns: TurnRecord[]
  readonly usages: Usage[]
  /** Further tries, as many as there are items of each. */
  readonly retries: number[]
}

/**
 * A simulated user talks with the target until every required checkpoint is reached, the user has what it wanted, or
 * the turns are used up. Source: spec yao 10.1.
 */
export async function converse(request: RunRequest, plan: ConversationPlan, partners: Partners): Promise<Conversed> {
  const board = openBoard(plan.checkpoints)
  const messages = [...request.case.messages]
  const judging = patientMeans(partners.means, partners.patience)
  const scope = { ...partners, request, plan, board, judging }
  const talk: Talk = { ...scope, messages, events: [], turns: [], usages: [], retries: [] }
  // Targets know the conversation by this object.
  const conversation = {}
  let end: End | undefined
  let reasoning: string | undefined
  for (let turn = 1; !end; turn += 1) {
    const startedAt = partners.patience.host.now()
    const said = turn === 1 ? firstWords(messages) : await nextWords(talk, turn)
    if ('ending' in said) {
      end = said
      reasoning = said.reasoning
    } else {
      end = await takeTurn(talk, said.message, { turn: { number: turn, conversation }, startedAt })
    }
  }
  const { ending, error } = end
  const usage = usageOf({ events: talk.usages.map((used) => ({ timestamp: 0, type: 'usage', ...used })) })
  const simulator = {
    agent: plan.simulator.agent,
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(usage === undefined ? {} : { usage }),
  }
  return {
    events: talk.events,
    ...(error === undefined ? {} : { error }),
    attempts: 1 + talk.retries.reduce((sum, count) => sum + count, 0),
    checks: [...madeChecks({ events: talk.events }), ...board.checks(ending, talk.turns.length)],
    record: { turns: talk.turns, checkpoints: board.records(), ending, simulator },
  }
}

/** The first turn is the case's own input, whatever it holds. */
function firstWords(messages: readonly Message[]): Pick<UserTurn, 'message'> {
  const last = messages.findLast(({ role }) => role === 'user')
  return { message: last ? textOf(last) : '' }
}

async function nextWords(
  { target, request, plan, board, messages, means, patience, usages, retries }: Talk,
  turn: number,
): Promise<Pick<UserTurn, 'message'> | (End & { readonly reasoning?: string })> {
  const situation = {
    turn,
    maxTurns: plan.maxTurns,
    messages,
    reached: board.reached(),
    pending: board.pending(),
  }
  const { said, error, usage, attempts } = target.userTurn
    ? await rememberedWords(target.userTurn(request, turn))
    : await askSimulator(plan.simulator, situation, { ask: askerOf(plan, means), patience })
  if (usage) usages.push(usage)
  retries.push(attempts - 1)
  if (!said) return { ending: 'broken_off', ...(error === undefined ? {} : { error }) }
  if (!said.goalAchieved) {
    messages.push({ role: 'user', content: said.message })
    return said
  }
  const { reasoning } = said
  return { ending: 'goal_achieved', ...(reasoning === undefined ? {} : { reasoning }) }
}

function askerOf({ simulator }: ConversationPlan, { ask }: Means): AskAgent {
  if (ask) return ask
  throw new Error(`simulator ${simulator.agent} was not checked when the suite was loaded`)
}

async function rememberedWords(remembered: Promise<UserTurn>): Promise<SimulatorAnswer> {
  try {
    return { said: await remembered, attempts: 1 }
  } catch (error) {
    if (error instanceof TargetError) return { error, attempts: 1 }
    throw error
  }
}

interface TurnStart {
  readonly turn: NonNullable<RunRequest['turn']>
  /** Milliseconds since the epoch; before the simulator was asked. */
  readonly startedAt: number
}

/** The target's reply and its tests; undefined where the conversation goes on. */
async function takeTurn(talk: Talk, input: string, { turn, startedAt }: TurnStart): Promise<End | undefined> {
  const { request, plan, board, events, messages, turns, patience, lose } = talk
  const { host } = patience
  const { number } = turn
  events.push({ timestamp: host.now(), type: 'user_message', text: input, turn: number })
  const item = number === 1 ? request.case : turnCase(request.case, [...messages], input)
  const asked = { ...request, case: item, turn }
  const attempt = () => collectEvents(talk.target, asked, host)
  const { last, error, attempts } = await attemptAll(attempt, patience, (lost) => lose(lost.events))
  talk.retries.push(attempts - 1)
  events.push(...last.events)
  const trace = { events: last.events }
  messages.push(...replyMessages(trace, number))
  const subject = { output: testedOutput(trace), trace, case: item }
  const hasFailed = madeChecks(trace).some(({ passed }) => !passed)
  const failure = error ?? (hasFailed ? undefined : await untested(board.test(subject, number, talk.judging)))
  turns.push({
    turn: number,
    input,
    ...replyOf(trace),
    reached: board.reachedIn(number),
    durationMs: host.now() - startedAt,
    ...(failure === undefined ? {} : { error: failure.message }),
  })
  if (failure) return { ending: 'broken_off', error: failure }
  if (hasFailed) return { ending: 'agent_failed' }
  if (board.isComplete()) return { ending: 'checkpoints_reached' }
  return number >= plan.maxTurns ? { ending: 'turns_used_up' } : undefined
}

/** Why a judge could not be run. */
async function untested(testing: Promise<void>): Promise<TargetError | undefined> {
  try {
    await testing
    return undefined
  } catch (error) {
    if (error instanceof TargetError) return error
    throw error
  }
}
