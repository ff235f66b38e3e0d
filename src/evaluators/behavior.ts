import { eventsOf, type Trace } from '../core/trace.ts'
import { wasApprovalAsked } from './approvals.ts'
import { type BehaviorSettings, behaviorSchema } from './behavior-settings.ts'
import { toolInspections } from './behavior-tools.ts'
import { cleanupIn } from './cleanup-commands.ts'
import { filesRead, isContextFileStrictly, matchesExpected } from './context-files.ts'
import { defineEvaluator, type Inspection } from './evaluator.ts'
import { inspect } from './inspect.ts'
import {
  changedFiles,
  commandOf,
  isDelegating,
  isRoot,
  isShell,
  type Placed,
  rootCallsOf,
  type ToolCall,
  wasExecuted,
} from './tools.ts'

/** What a case asks of its agent in particular. Source: spec opencode-evals C.8. */
export const behavior = defineEvaluator({
  type: 'behavior',
  schema: behaviorSchema,
  violations: {
    'missing-required-tool': 'error',
    'missing-required-tool-set': 'error',
    'forbidden-tool-used': 'error',
    'tools-out-of-order': 'error',
    'tool-used-too-early': 'error',
    'insufficient-tool-calls': 'error',
    'excessive-tool-calls': 'warning',
    'bash-instead-of-dedicated-tool': 'error',
    'missing-approval-request': 'error',
    'missing-context-loading': 'error',
    'missing-delegation': 'warning',
    'missing-expected-content': 'error',
    'forbidden-content-found': 'error',
    'missing-response': 'error',
    'insufficient-messages': 'error',
    'excessive-messages': 'error',
    'insufficient-files': 'error',
    'missing-file-change': 'error',
    'scratchpad-unused': 'error',
    'scratchpad-used': 'error',
    'scratchpad-left-behind': 'error',
  },
  judge(settings, trace) {
    const calls = rootCallsOf(trace)
    const inspections = [
      ...toolInspections(settings, calls),
      ...approvalInspections(settings, trace),
      ...contextInspections(settings, trace),
      ...delegationInspections(settings, calls),
      ...responseInspections(settings, trace),
      ...fileInspections(settings, calls),
      ...scratchpadInspections(settings, calls),
    ]
    return { kind: 'judged', inspections, facts: { toolCalls: calls.length } }
  },
})

function approvalInspections({ requiresApproval, approvalMode }: BehaviorSettings, trace: Trace): Inspection[] {
  if (!requiresApproval) return []
  const messages = wasApprovalAsked(trace, approvalMode) ? [] : ['the agent never asked for approval']
  return [inspect('requires-approval', 100, 'missing-approval-request', messages)]
}

function contextInspections({ requiresContext, expectedContextFiles }: BehaviorSettings, trace: Trace): Inspection[] {
  if (!requiresContext) return []
  const isContext = (path: string) =>
    isContextFileStrictly(path) || expectedContextFiles.some((pattern) => matchesExpected(path, pattern))
  const isRead = filesRead(trace).some(({ path }) => isContext(path))
  return [inspect('requires-context', 100, 'missing-context-loading', isRead ? [] : ['no context file was read'])]
}

function delegationInspections({ shouldDelegate }: BehaviorSettings, calls: readonly Placed<ToolCall>[]): Inspection[] {
  if (!shouldDelegate) return []
  const isDone = calls.some(({ event }) => isDelegating(event))
  return [inspect('should-delegate', 75, 'missing-delegation', isDone ? [] : ['nothing was left to a subagent'])]
}

function responseInspections(settings: BehaviorSettings, trace: Trace): Inspection[] {
  const { expectedResponse, responseProvided, minMessages, maxMessages } = settings
  const messages = eventsOf(trace, 'assistant_message').filter(isRoot)
  const text = messages.map((message) => message.text).join('\n')
  const { contains = [], notContains = [] } = expectedResponse ?? {}
  const missing = contains
    .filter((part) => !text.includes(part))
    .map((part) => `the agent never said ${JSON.stringify(part)}`)
  const found = notContains
    .filter((part) => text.includes(part))
    .map((part) => `the agent said ${JSON.stringify(part)}`)
  const silent = text.trim() === '' ? ['the agent said nothing'] : []
  const count = messages.length + eventsOf(trace, 'user_message').filter(isRoot).length
  const few =
    minMessages !== undefined && count < minMessages ? [`${count} messages, expected at least ${minMessages}`] : []
  const many =
    maxMessages !== undefined && count > maxMessages ? [`${count} messages, expected at most ${maxMessages}`] : []
  return [
    ...(contains.length === 0 ? [] : [inspect('expected-response-contains', 100, 'missing-expected-content', missing)]),
    ...(notContains.length === 0
      ? []
      : [inspect('expected-response-not-contains', 100, 'forbidden-content-found', found)]),
    ...(responseProvided ? [inspect('response-provided', 100, 'missing-response', silent)] : []),
    ...(minMessages === undefined ? [] : [inspect('min-messages', 50, 'insufficient-messages', few)]),
    ...(maxMessages === undefined ? [] : [inspect('max-messages', 50, 'excessive-messages', many)]),
  ]
}

function fileInspections(
  { minFilesWritten: least, filesModified }: BehaviorSettings,
  calls: readonly Placed<ToolCall>[],
): Inspection[] {
  const changed = [
    ...new Set(calls.filter(({ event }) => wasExecuted(event)).flatMap(({ event }) => changedFiles(event))),
  ]
  const few =
    least !== undefined && changed.length < least
      ? [`${changed.length} files were changed, expected at least ${least}`]
      : []
  const missing = filesModified.filter((name) => !changed.some((path) => matchesExpected(path, name)))
  const unchanged = missing.map((name) => `${name} was not changed`)
  return [
    ...(least === undefined ? [] : [inspect('min-files', 50, 'insufficient-files', few)]),
    ...(filesModified.length === 0 ? [] : [inspect('files-modified', 100, 'missing-file-change', unchanged)]),
  ]
}

function scratchpadInspections({ scratchpad }: BehaviorSettings, calls: readonly Placed<ToolCall>[]): Inspection[] {
  if (!scratchpad) return []
  const { dir, required, forbidden, cleanup } = scratchpad
  const folder = `/${dir.replace(/^(?:\.\/|\/)/, '')}`
  const executed = calls.filter(({ event }) => wasExecuted(event))
  const written = executed.filter(({ event }) => changedFiles(event).some((path) => `/${path}`.includes(folder)))
  const last = written.at(-1)
  const bare = dir.endsWith('/') ? dir.slice(0, -1) : dir
  const isRemoved = executed.some(({ event, index }) => {
    return (
      last !== undefined &&
      index > last.index &&
      isShell(event) &&
      cleanupIn(event) !== undefined &&
      commandOf(event).includes(bare)
    )
  })
  const unused = last ? [] : [`nothing was written below ${dir}`]
  const used = last ? [`something was written below ${dir}`] : []
  const left = last && !isRemoved ? [`what was written below ${dir} was not removed`] : []
  return [
    ...(required ? [inspect('scratchpad-required', 50, 'scratchpad-unused', unused)] : []),
    ...(forbidden ? [inspect('scratchpad-forbidden', 50, 'scratchpad-used', used)] : []),
    ...(cleanup ? [inspect('scratchpad-cleanup', 50, 'scratchpad-left-behind', left)] : []),
  ]
}
