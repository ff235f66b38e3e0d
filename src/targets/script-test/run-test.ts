import type { EmittedEvent } from '../../core/trace.ts'
import { describeStop, SCRIPT_SPACE } from '../../sandbox/limits.ts'
import type { ScriptError } from '../../sandbox/sandbox.ts'
import type { FoundTests } from '../../scripts/find-tests.ts'
import { aborted } from '../chat/chat-model.ts'
import type { RunRequest } from '../target.ts'
import { answerRequest } from '../yao/agent/answer.ts'
import { AgentFault } from '../yao/agent/fault.ts'
import { contextData, contextOf, openRun } from '../yao/agent/scope.ts'
import type { Application } from '../yao/application.ts'
import type { Caller } from '../yao/context/caller.ts'
import { contextCalls } from '../yao/context/calls.ts'
import { createMemory } from '../yao/context/memory.ts'
import { CONTEXT_PRELUDE } from '../yao/context/prelude.ts'
import { chatIdOf } from '../yao/variables.ts'
import { INVOKE_TEST, TEST_PRELUDE } from './prelude.ts'
import { EndOfTest, placeOf, testCalls } from './test-calls.ts'

/** Its time is limited by the run. */
const LIMITS = { timeMs: 24 * 3_600_000, ...SCRIPT_SPACE }

interface Tested {
  readonly found: FoundTests
  readonly application: Application
}

/**
 * One attempt at one test. What it asserts becomes checks, and so does what it throws: the test is the code that is
 * judged. Throws a TargetError for what could not be run here.
 */
export async function runTest(
  { found, application }: Tested,
  request: RunRequest,
  emit: (event: EmittedEvent) => void,
): Promise<void> {
  const { case: item, run, identity, signal } = request
  const name = item.id
  const scope = openRun({
    application,
    origin: { id: item.id, ...item.location, run },
    signal,
    memory: createMemory(application.host.now),
    emit,
  })
  const { id } = found.agent
  const known = application.assistant(id)
  const assistant = { id, hasSandbox: 'assistant' in known && known.assistant.hasSandbox }
  const caller: Caller = {
    scope,
    context: contextOf(identity, chatId(request)),
    assistant,
    trail: [id],
    memory: scope.memory.forRequest(),
    answer: answerRequest,
    calls: contextCalls,
  }
  const outcome = await application.sandbox.run({
    script: found.script.path,
    function: name,
    args: [name, contextData(caller.context, assistant)],
    invoke: INVOKE_TEST,
    preludes: [CONTEXT_PRELUDE, TEST_PRELUDE],
    load: application.scripts.load,
    call: testCalls(emit, contextCalls(caller)),
    log: ({ level, text }) => scope.emit({ type: 'log', level, text, agent: id }),
    limits: LIMITS,
    signal,
  })
  switch (outcome.kind) {
    case 'returned':
      return
    case 'missing':
      return emit({ type: 'check', name: 'function', passed: false, message: `${found.script.path} has no ${name}` })
    case 'threw':
      return emit(thrown(outcome.error))
    case 'stopped':
      if (outcome.by === 'signal') throw aborted()
      return emit({ type: 'check', name: 'limits', passed: false, message: describeStop(outcome.by, LIMITS) })
    case 'ended':
      return ended(outcome.error, emit)
  }
}

function thrown({ name, message, stack }: ScriptError): EmittedEvent {
  const text = `${name}: ${message}${stack === '' ? '' : ` (${placeOf(stack)})`}`
  return { type: 'check', name, passed: false, message: text, ...(stack === '' ? {} : { details: { stack } }) }
}

function ended(error: unknown, emit: (event: EmittedEvent) => void): void {
  if (error instanceof EndOfTest) return
  if (!(error instanceof AgentFault)) throw error
  emit({ type: 'check', name: error.check, passed: false, message: error.message })
}

/** Source: spec yao 7; each run is a chat of its own. */
function chatId({ case: item, run, identity }: RunRequest): string {
  if (identity.chatId !== undefined) return chatIdOf(item.id, run, identity.chatId)
  return `script-test-${item.id}${run > 1 ? `-run${run}` : ''}`
}
