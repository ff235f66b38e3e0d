import { judgeAssertions, type Subject } from '../assertions/index.ts'
import type { Checkpoint, CheckpointRecord, ConversationEnding } from '../core/conversation.ts'
import { quote } from '../core/kind.ts'
import type { Means } from '../core/means.ts'
import { type Check, failureText } from '../core/result.ts'

/** What has been reached of a conversation so far. */
export interface Board {
  /** Tests what is open against one reply; throws a TargetError when a judge could not be run. */
  test(subject: Subject, turn: number, means: Means): Promise<void>
  reached(): string[]
  pending(): string[]
  reachedIn(turn: number): string[]
  /** Nothing is left that the conversation would have to go on for. */
  isComplete(): boolean
  records(): CheckpointRecord[]
  /** What the conversation comes to: every checkpoint but those that may be missing and are. */
  checks(ending: ConversationEnding, turns: number): Check[]
}

/** The last test of a checkpoint. */
interface Tested {
  readonly turn: number
  readonly checks: readonly Check[]
}

/** Source: spec yao 10.1. */
export function openBoard(checkpoints: readonly Checkpoint[]): Board {
  const turns = new Map<string, number>()
  const tested = new Map<string, Tested>()
  const isReached = ({ id }: Pick<Checkpoint, 'id'>) => turns.has(id)
  const reason = (checkpoint: Checkpoint) => whyMissing(checkpoint, tested.get(checkpoint.id), turns)
  return {
    async test(subject, turn, means) {
      const open = new Set(checkpoints.filter((checkpoint) => !isReached(checkpoint)))
      // Again and again, for each that is reached may open others; but each is tested once in a turn.
      for (let next = firstOf(open, turns); next; next = firstOf(open, turns)) {
        open.delete(next)
        const checks = await judgeAssertions(subject, next.assertions, means)
        tested.set(next.id, { turn, checks })
        if (checks.every(({ passed }) => passed)) turns.set(next.id, turn)
      }
    },
    reached: () => checkpoints.filter(isReached).map(({ id }) => id),
    pending: () => checkpoints.filter((checkpoint) => !isReached(checkpoint)).map(({ id }) => id),
    reachedIn: (turn) => checkpoints.filter(({ id }) => turns.get(id) === turn).map(({ id }) => id),
    isComplete() {
      const required = checkpoints.filter((checkpoint) => checkpoint.required)
      return (required.length > 0 ? required : checkpoints).every(isReached)
    },
    records: () =>
      checkpoints.map((checkpoint) => {
        const { id, description, required } = checkpoint
        const turn = turns.get(id)
        const judged = tested.get(id)?.checks.find(({ details }) => details !== undefined)
        return {
          id,
          ...(description === undefined ? {} : { description }),
          required,
          ...(turn === undefined ? { message: reason(checkpoint) } : { reachedInTurn: turn, message: '' }),
          ...(judged === undefined ? {} : { verdict: { passed: judged.passed, ...judged.details } }),
        }
      }),
    checks: (ending, count) =>
      checkpoints.flatMap((checkpoint) => {
        if (isReached(checkpoint)) return [{ name: CHECK, passed: true, weight: 1, message: '' }]
        return checkpoint.required ? [missing(checkpoint, { ending, count, reason: reason(checkpoint), tested })] : []
      }),
  }
}

/** What a checkpoint is called among the checks of a run. */
const CHECK = 'checkpoint'

/** In the order of the case: the first that waits for nothing any more. */
function firstOf(open: ReadonlySet<Checkpoint>, reached: ReadonlyMap<string, number>): Checkpoint | undefined {
  return [...open].find(({ after }) => after.every((id) => reached.has(id)))
}

/** Empty when it was never tested and waits for nothing. */
function whyMissing({ after }: Checkpoint, last: Tested | undefined, reached: ReadonlyMap<string, number>): string {
  const blockers = after.filter((id) => !reached.has(id))
  if (blockers.length > 0) return `it comes after ${blockers.map(quote).join(' and ')}, not reached either`
  return last ? `in turn ${last.turn} ${failureText({ status: 'failed', checks: last.checks })}` : ''
}

interface Missing {
  readonly ending: ConversationEnding
  /** Turns that were taken. */
  readonly count: number
  readonly reason: string
  readonly tested: ReadonlyMap<string, Tested>
}

function missing({ id }: Checkpoint, { ending, count, reason, tested }: Missing): Check {
  const turns = count === 1 ? '1 turn' : `${count} turns`
  const when =
    ending === 'goal_achieved' ? `when the simulator held its goal for achieved, after ${turns}` : `in ${turns}`
  const failed = tested.get(id)?.checks.find(({ passed }) => !passed)
  return {
    name: CHECK,
    passed: false,
    weight: 1,
    message: `checkpoint ${quote(id)} was not reached ${when}${reason === '' ? '' : `: ${reason}`}`,
    ...(failed?.expected === undefined ? {} : { expected: failed.expected }),
    ...(failed?.actual === undefined ? {} : { actual: failed.actual }),
  }
}
