import { z } from 'zod'
import { eventsOf, type Trace } from '../core/trace.ts'
import { type FileRead, filesRead, isContextFile, isFile, matchesExpected } from './context-files.ts'
import { defineEvaluator, type Finding, type Judgement } from './evaluator.ts'
import { type TaskKind, taskKindOf } from './task-kind.ts'
import {
  callsOf,
  describeCall,
  isDelegating,
  isExecution,
  isRoot,
  isShell,
  type Placed,
  type ToolCall,
  wasExecuted,
} from './tools.ts'

const files = z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]).optional()

/** The files that each kind of task must have read; old and new names of the project that the rule comes from. */
const REQUIRED = {
  code: ['code.md', 'code-quality.md'],
  docs: ['docs.md', 'documentation.md'],
  tests: ['tests.md', 'test-coverage.md'],
  review: ['review.md', 'code-review.md'],
  delegation: ['delegation.md', 'task-delegation.md'],
}

/** Rules for the task are read before anything is changed. Source: spec opencode-evals C.2. */
export const contextLoading = defineEvaluator({
  type: 'context-loading',
  schema: z.object({
    /** One of them must be read, whatever the task is; also asked of a session that changes nothing. */
    expectedContextFiles: z.array(z.string().min(1)).optional(),
    /** Required files by kind of task, in place of the usual ones. */
    requiredContexts: z
      .strictObject({ code: files, docs: files, tests: files, review: files, delegation: files })
      .default({}),
    /** What counts as a context file beside the usual ones: the path contains one of these. */
    contextPatterns: z.array(z.string().min(1)).default([]),
  }),
  violations: {
    'no-context-loaded': 'warning',
    'wrong-context-file': 'error',
    'context-loaded-after-execution': 'warning',
  },
  judge(settings, trace) {
    const expected = settings.expectedContextFiles ?? []
    const executions = callsOf(trace).filter(({ event }) => isExecution(event) && wasExecuted(event))
    const changes = executions.filter(({ event }) => !isShell(event))
    if (expected.length === 0 && changes.length === 0) {
      const reason = executions.length === 0 ? 'nothing was executed' : 'only commands were run'
      return {
        kind: 'not_applicable',
        reason,
        facts: { isTaskSession: executions.length > 0, isBashOnly: executions.length > 0 },
      }
    }
    const task = kindOf(trace, executions)
    const isContext = (path: string) =>
      isContextFile(path) ||
      [...settings.contextPatterns, ...expected].some((pattern) => matchesExpected(path, pattern))
    const reads = filesRead(trace).filter(({ path }) => isContext(path))
    const required = task === 'unknown' ? [] : [settings.requiredContexts[task] ?? REQUIRED[task]].flat()
    const wanted: Wanted =
      expected.length > 0
        ? { by: 'the case', names: expected, isIt: matchesExpected }
        : { by: `a task of kind "${task}"`, names: required, isIt: isFile }
    return judged({ task, reads, wanted, firstChange: changes[0] })
  },
})

interface Wanted {
  /** Who wants it, for messages. */
  readonly by: string
  readonly names: readonly string[]
  readonly isIt: (path: string, name: string) => boolean
}

interface Scene {
  readonly task: TaskKind
  readonly reads: readonly FileRead[]
  readonly wanted: Wanted
  readonly firstChange: Placed<ToolCall> | undefined
}

function judged(scene: Scene): Judgement {
  const { task, reads, wanted } = scene
  const finding = findingOf(scene)
  return {
    kind: 'judged',
    inspections: [{ name: 'context-loaded', findings: finding ? [finding] : [] }],
    facts: {
      isTaskSession: true,
      taskType: task,
      required: wanted.names,
      read: reads.slice(0, 20).map(({ path }) => path),
    },
  }
}

function findingOf({ reads, wanted, firstChange }: Scene): Finding | undefined {
  const { names, isIt } = wanted
  const [firstRead] = reads
  const few = names.slice(0, 3).join(', ')
  const timestamp = (firstChange ?? firstRead)?.event.timestamp
  const at = timestamp === undefined ? {} : { timestamp }
  const before = firstChange ? ` before ${describeCall(firstChange.event)}` : ''
  if (!firstRead) {
    const which = names.length === 0 ? '' : `; expected one of ${few}`
    return { type: 'no-context-loaded', message: `no context file was read${before}${which}`, ...at }
  }
  const isRight = names.length === 0 || reads.some(({ path }) => names.some((name) => isIt(path, name)))
  if (!isRight) {
    const read = [...new Set(reads.map(({ path }) => path))].slice(0, 3).join(', ')
    return { type: 'wrong-context-file', message: `${read} was read, but ${wanted.by} needs one of ${few}`, ...at }
  }
  if (!firstChange || firstRead.index < firstChange.index) return undefined
  const message = `${describeCall(firstChange.event)} ran before the first context file, ${firstRead.path}, was read`
  return { type: 'context-loaded-after-execution', message, ...at }
}

/** From the user's first words; a session that delegates has delegating for its task. */
function kindOf(trace: Trace, executions: readonly Placed<ToolCall>[]): TaskKind {
  if (executions.some(({ event }) => isDelegating(event))) return 'delegation'
  return taskKindOf(eventsOf(trace, 'user_message').find(isRoot)?.text ?? '')
}
