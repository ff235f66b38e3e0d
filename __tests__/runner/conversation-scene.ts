import type { Checkpoint, ConversationPlan } from '../../src/core/conversation.ts'
import { TargetError } from '../../src/core/errors.ts'
import type { Host } from '../../src/core/host.ts'
import type { Json, JsonObject } from '../../src/core/json.ts'
import type { AskAgent, Question } from '../../src/core/means.ts'
import type { RunResult } from '../../src/core/result.ts'
import type { Case } from '../../src/core/suite.ts'
import type { Plan } from '../../src/runner/plan.ts'
import type { Target } from '../../src/targets/target.ts'
import { aCase } from '../support/builders.ts'
import { aPlan, runPlan } from '../support/plans.ts'
import { say, scriptedTarget } from './fake-targets.ts'

/** A checkpoint that is reached by a word. */
export function point(id: string, word: string, rest: Partial<Checkpoint> = {}): Checkpoint {
  return { id, assertions: [{ type: 'contains', value: word }], after: [], required: true, ...rest }
}

export interface Scene {
  readonly target: Target
  readonly checkpoints: readonly Checkpoint[]
  /** What the simulator answers, from turn 2 on; the last one again and again. */
  readonly user?: readonly (Json | TargetError)[]
  readonly ask?: AskAgent
  readonly plan?: Partial<ConversationPlan>
  readonly item?: Partial<Case>
  readonly settings?: Partial<Plan>
  readonly host?: Host
}

interface Played {
  readonly result: RunResult
  readonly results: readonly RunResult[]
  readonly questions: readonly (Omit<Question, 'content'> & { readonly content: JsonObject })[]
}

export async function play({
  target,
  checkpoints,
  user = ['go on'],
  ask,
  plan,
  item,
  settings,
  host,
}: Scene): Promise<Played> {
  const questions: Question[] = []
  const simulate: AskAgent = async (question) => {
    questions.push(question)
    const answer = user[Math.min(questions.length, user.length) - 1] ?? null
    if (answer instanceof TargetError) throw answer
    return { output: answer }
  }
  const conversation = { simulator: { agent: 'sim', metadata: {} }, checkpoints, maxTurns: 5, ...plan }
  const planned = { item: aCase({ assertions: [], conversation, ...item }), target, means: { ask: ask ?? simulate } }
  const results: RunResult[] = []
  for await (const { result } of runPlan(aPlan([planned], settings), host)) results.push(result)
  const [result] = results
  if (!result) throw new Error('no run has ended')
  const read = questions.map(({ content, ...rest }) => ({ ...rest, content: JSON.parse(content) as JsonObject }))
  return { result, results, questions: read }
}

/** Says one text after the other, the last one again and again. */
export function talker(...texts: readonly string[]): Target {
  return scriptedTarget(({ turn }) => say(texts[Math.min(turn?.number ?? 1, texts.length) - 1] ?? ''))
}
