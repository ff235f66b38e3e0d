import type { Problem } from '../../core/errors.ts'
import type { Host } from '../../core/host.ts'
import { resolveIdentity } from '../../core/identity.ts'
import type { JsonObject } from '../../core/json.ts'
import { quote } from '../../core/kind.ts'
import type { Case, CaseOptions } from '../../core/suite.ts'
import type { EmittedEvent } from '../../core/trace.ts'
import { ask, type ChatCall } from '../chat/chat-model.ts'
import { hasImages, toChatMessages } from '../chat/messages.ts'
import type { RunRequest, Target, TargetContext } from '../target.ts'
import type { Assistant } from './assistant.ts'
import type { Connector } from './connector-file.ts'
import { localise } from './locales.ts'
import type { Models } from './models.ts'
import { requestParameters, takesImages } from './parameters.ts'
import { choosePrompts, promptChecker } from './prompt-choice.ts'
import { chatIdOf, contextVariables, renderKeys, renderPrompts, systemVariables } from './variables.ts'

/** Where a connector was named decides how its problems are told. */
type ChosenConnector =
  | { readonly id: string; readonly place: Pick<Problem, 'field' | 'file' | 'line'> }
  | { readonly problem: Problem }

interface World {
  readonly host: Host
  readonly timeZone: string
}

/** The assistant as a target: prompts, then the case's messages, to the chosen connector. */
export function assistantTarget(assistant: Assistant, models: Models, context: TargetContext): Target {
  const { host, connector: override, context: file } = context
  // Asking for the zone is slow, and it does not change.
  const world = { host, timeZone: host.env['TZ'] || Intl.DateTimeFormat().resolvedOptions().timeZone }
  const checkPrompts = promptChecker(assistant, host)
  const choose = (options: CaseOptions): ChosenConnector => {
    if (override !== undefined) return { id: override, place: { field: '--connector' } }
    if (options.connector !== undefined) return { id: options.connector, place: { field: 'options.connector' } }
    const own = assistant.connector
    return 'id' in own ? { id: own.id, place: { ...own.place, field: 'connector' } } : own
  }
  const recording = recordingOf(assistant, models, override)
  return {
    label: `yao:${assistant.id}${override === undefined ? '' : `#${override}`}${recording ? ' (recorded)' : ''}`,
    reads: recording ? [recording.file] : [],
    check(item) {
      const { metadata } = resolveIdentity({ flags: {}, context: file, case: item })
      return [
        ...toChatMessages(item).problems,
        ...connectorProblems(item, choose(item.options), models),
        ...checkPrompts({ options: item.options, metadata }),
      ]
    },
    async *execute(request) {
      const chosen = choose(request.options)
      if ('problem' in chosen) throw new Error(chosen.problem.message)
      const { connector, chat } = await models.open(chosen.id)
      for await (const event of ask(chat, callOf(request, connector, assistant, world))) {
        yield { ...event, agent: assistant.id } satisfies EmittedEvent
      }
    },
    dispose: () => models.dispose(),
  }
}

/** A recording answers like itself, not like the provider: it is another target to a baseline. */
function recordingOf({ connector }: Assistant, models: Models, override: string | undefined) {
  const used = override ?? ('id' in connector ? connector.id : undefined)
  const source = used === undefined ? undefined : models.connector(used)?.source
  return source?.kind === 'cassette' ? source : undefined
}

function connectorProblems(item: Case, chosen: ChosenConnector, models: Models): readonly Problem[] {
  if ('problem' in chosen) return [chosen.problem]
  const problems = models.problems(chosen.id, chosen.place)
  if (problems.length > 0) return problems
  if (!hasImages(item) || takesImages(models.connector(chosen.id)?.capabilities)) return []
  return [
    {
      field: 'input',
      message: `connector ${quote(chosen.id)} says that its model takes no images`,
      hint: 'set capabilities.vision in the connector, or choose another one with options.connector',
    },
  ]
}

function callOf(request: RunRequest, connector: Connector, assistant: Assistant, world: World): ChatCall {
  const { case: item, run, identity, options, signal } = request
  const { messages } = toChatMessages(item)
  const prompts = choosePrompts(assistant, { options, metadata: identity.metadata })
  const variables = {
    system: systemVariables(world.host.now(), world.timeZone),
    env: world.host.env,
    ...contextVariables({
      assistant: describe(assistant, identity.locale),
      identity,
      chatId: chatIdOf(item.id, run, identity.chatId),
    }),
  }
  return {
    model: connector.model,
    messages: [...renderPrompts(prompts, variables), ...messages],
    // Only cassettes want it.
    get keyMessages() {
      return [...renderKeys(prompts, variables), ...messages]
    },
    parameters: requestParameters((assistant.package.options ?? {}) as JsonObject, connector),
    origin: { id: item.id, ...item.location, run },
    signal,
  }
}

function describe({ id, package: settings, locales }: Assistant, locale: string) {
  const { name, description = '', type = 'assistant' } = settings
  return {
    id,
    type,
    name: localise(name, locales, locale),
    description: localise(description, locales, locale),
  }
}
