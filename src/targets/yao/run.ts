import type { Problem } from '../../core/errors.ts'
import { resolveIdentity } from '../../core/identity.ts'
import { quote } from '../../core/kind.ts'
import type { Case, CaseOptions } from '../../core/suite.ts'
import type { EmittedEvent } from '../../core/trace.ts'
import { hasImages, toChatMessages } from '../chat/messages.ts'
import type { RunRequest, Target, TargetContext } from '../target.ts'
import { answerRequest } from './agent/answer.ts'
import { AgentFault } from './agent/fault.ts'
import { hookOptions } from './agent/request.ts'
import { contextOf, openRun } from './agent/scope.ts'
import { streamEvents } from './agent/stream-events.ts'
import type { Application } from './application.ts'
import type { Assistant } from './assistant.ts'
import { createMemory, type Memory } from './context/memory.ts'
import { filesRead } from './coverage.ts'
import { offerTools } from './mcp/offered-tools.ts'
import type { Models } from './models.ts'
import { takesImages, takesTools } from './parameters.ts'
import { choiceProblems, needsModel } from './prompt-choice.ts'
import { hookOnlyOptions } from './unused-options.ts'
import { chatIdOf } from './variables.ts'

/** Where a connector was named decides how its problems are told. */
type ChosenConnector =
  | { readonly id: string; readonly place: Pick<Problem, 'field' | 'file' | 'line'> }
  | { readonly problem: Problem }

/** The assistant as a target: its hooks, its prompts and tools, and the chosen connector. */
export function assistantTarget(assistant: Assistant, application: Application, context: TargetContext): Target {
  const { connector: override, context: file } = context
  const { models, host, sandbox } = application
  const choose = (options: CaseOptions): ChosenConnector => {
    if (override !== undefined) return { id: override, place: { field: '--connector' } }
    if (options.connector !== undefined) return { id: options.connector, place: { field: 'options.connector' } }
    const own = assistant.connector
    return 'id' in own ? { id: own.id, place: { ...own.place, field: 'connector' } } : own
  }
  const recording = recordingOf(assistant, models, override)
  const memories = new WeakMap<object, Memory>()
  /** A conversation over several turns keeps its memory; every other run, and every attempt at it, has its own. */
  const memoryOf = ({ turn }: RunRequest): Memory => {
    const kept = turn && memories.get(turn.conversation)
    const memory = kept ?? createMemory(host.now)
    if (turn) memories.set(turn.conversation, memory)
    return memory
  }
  return {
    label: `yao:${assistant.id}${override === undefined ? '' : `#${override}`}${recording ? ' (recorded)' : ''}`,
    reads: [...(recording ? [recording.file] : []), ...filesRead(assistant)],
    ...(recording ? { isRecorded: true } : {}),
    application: assistant.root,
    agentFolder: assistant.folder,
    check(item) {
      const { metadata } = resolveIdentity({ flags: {}, context: file, case: item })
      const choice = { options: item.options, metadata }
      return [
        ...toChatMessages(item).problems,
        ...(needsModel(assistant, choice)
          ? connectorProblems(item, choose(item.options), { assistant, application })
          : []),
        ...choiceProblems(assistant, choice, host),
      ]
    },
    unusedOptions: ({ options }) => hookOnlyOptions(options, { hasHooks: assistant.hooks !== undefined }),
    requestedModel(_item, options) {
      const chosen = choose(options)
      return 'id' in chosen ? models.connector(chosen.id)?.model : undefined
    },
    execute: (request) =>
      streamEvents((emit) =>
        runAssistant({ assistant, application, override }, request, { emit, memory: memoryOf(request) }),
      ),
    async dispose() {
      await models.dispose()
      await sandbox.dispose()
    },
  }
}

interface Tested {
  readonly assistant: Assistant
  readonly application: Application
  readonly override: string | undefined
}

interface Attempt {
  readonly emit: (event: EmittedEvent) => void
  readonly memory: Memory
}

/** One attempt. What the agent did wrong becomes a check that failed; what could not be run is thrown. */
async function runAssistant(
  { assistant, application, override }: Tested,
  request: RunRequest,
  { emit, memory }: Attempt,
) {
  const { case: item, run, identity, options, signal } = request
  const origin = { id: item.id, ...item.location, run }
  const scope = openRun({ application, origin, signal, memory, emit })
  try {
    await answerRequest(
      {
        assistant,
        messages: item.messages,
        options: hookOptions(options),
        context: contextOf(identity, chatIdOf(item.id, run, identity.chatId)),
        trail: [assistant.id],
        isVisible: true,
        ...(override === undefined ? {} : { connector: override }),
      },
      scope,
    )
  } catch (error) {
    if (!(error instanceof AgentFault)) throw error
    emit({ type: 'check', name: error.check, passed: false, message: error.message })
  }
}

/** A recording answers like itself, not like the provider: it is another target to a baseline. */
function recordingOf({ connector }: Assistant, models: Models, override: string | undefined) {
  const used = override ?? ('id' in connector ? connector.id : undefined)
  const source = used === undefined ? undefined : models.connector(used)?.source
  return source?.kind === 'cassette' ? source : undefined
}

function connectorProblems(
  item: Case,
  chosen: ChosenConnector,
  { assistant, application }: Pick<Tested, 'assistant' | 'application'>,
): readonly Problem[] {
  if ('problem' in chosen) return [chosen.problem]
  const { models, servers } = application
  const problems = models.problems(chosen.id, chosen.place)
  if (problems.length > 0) return problems
  const capabilities = models.connector(chosen.id)?.capabilities
  const cannot = (field: string, what: string, capability: string): Problem => ({
    field,
    message: `connector ${quote(chosen.id)} says that its model ${what}`,
    hint: `set capabilities.${capability} in the connector, or choose another one with options.connector`,
  })
  return [
    ...(hasImages(item) && !takesImages(capabilities) ? [cannot('input', 'takes no images', 'vision')] : []),
    ...(offerTools(assistant.servers, servers).tools.length > 0 && !takesTools(capabilities)
      ? [cannot('mcp.servers', 'calls no tools', 'tool_calls')]
      : []),
  ]
}
