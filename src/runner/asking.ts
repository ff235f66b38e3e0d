import { TargetError } from '../core/errors.ts'
import { quote } from '../core/kind.ts'
import type { Answer, AskAgent, Asker, Means, Question } from '../core/means.ts'
import { attemptAll, type Patience, stoppable } from './attempts.ts'

/** Means that say who asks. */
export function meansOf(means: Means = {}, asker: Asker): Means {
  const { ask } = means
  return ask ? { ...means, ask: (question) => ask({ ...question, asker }) } : means
}

/** Means for judging one run: judges are asked again after retryable errors, and given up with the run's signal. */
export function patientMeans(means: Means, patience: Patience): Means {
  const { ask, call, plugin } = means
  return {
    ...(ask ? { ask: (question) => askPatiently(ask, question, patience) } : {}),
    // Asked for once: a script that fails would fail again.
    ...(call ? { call: (name, args) => stoppable(call(name, args, patience.signal), patience.signal) } : {}),
    ...(plugin ? { plugin: (called) => stoppable(plugin(called, patience.signal), patience.signal) } : {}),
  }
}

async function askPatiently(ask: AskAgent, question: Question, patience: Patience): Promise<Answer> {
  const asked = { ...question, signal: patience.signal }
  const { last, error } = await attemptAll(() => answerOf(stoppable(ask(asked), patience.signal)), patience)
  if (last.answer && !error) return last.answer
  const cause = error ?? new Error('an attempt without answer and error')
  if (!(cause instanceof TargetError)) throw cause
  // Tried often enough: whoever catches it is not to try again.
  throw new TargetError(`judge ${quote(question.agent)}: ${cause.message}`, { code: cause.code, cause })
}

async function answerOf(asked: Promise<Answer>): Promise<{ readonly answer?: Answer; readonly error?: TargetError }> {
  try {
    return { answer: await asked }
  } catch (error) {
    if (error instanceof TargetError) return { error }
    throw error
  }
}
