import type { Json, JsonObject } from '../../../core/json.ts'
import type { Message } from '../../../core/message.ts'
import type { ChatAnswer, ChatMessage, ChatModel } from '../../chat/chat-model.ts'
import { hasImages, toChatMessages } from '../../chat/messages.ts'
import { describeAssistant } from '../assistant.ts'
import type { Connector } from '../connector-file.ts'
import type { Caller } from '../context/caller.ts'
import type { CreateResult } from '../hooks/create-result.ts'
import { type OfferedTool, offerTools, samplesMessage, toolDefinitions } from '../mcp/offered-tools.ts'
import { requestParameters, takesImages, takesTools } from '../parameters.ts'
import { choiceProblems, choosePrompts, type PromptChoice } from '../prompt-choice.ts'
import { contextVariables, renderKeys, renderPrompts, systemVariables } from '../variables.ts'
import { AgentFault } from './fault.ts'
import { askModel, mergedOptions, openConnector } from './model.ts'
import type { AgentRequest, ToolRecord } from './request.ts'
import { type AgentContext, unsupported } from './scope.ts'
import { type NumberedCall, numberedCalls, runCalls, toldMessages } from './tool-round.ts'

/** Tries of a model to call its tools without a mistake. Source: spec yao 11.5. */
const MAX_TRIES = 3

export interface Conversation {
  readonly answer: ChatAnswer
  /** With hooks the calls of the last round, without them all. */
  readonly tools: readonly ToolRecord[]
}

interface Parts {
  readonly request: AgentRequest
  readonly created: CreateResult
  readonly caller: Caller
}

/** Asks the agent's model, and runs the tools it calls: once when hooks follow, else until it has done. */
export async function converse({ request, created, caller }: Parts): Promise<Conversation> {
  const { assistant } = request
  const { scope } = caller
  const { connector, chat } = await openConnector(scope, connectorId(request, created, caller))
  const offered = offeredTools({ request, created, caller })
  const asker = createAsker({ request, created, caller }, { connector, chat, offered })
  const own = new Set(offered.map(({ name }) => name))
  const declared = new Set(declaredTools(assistant.package.options))
  /** Calls of tools that are declared in the options and belong to no server are the caller's to run. */
  const toRun = (answer: ChatAnswer) =>
    numberedCalls(answer).filter(({ function: { name } }) => own.has(name) || !declared.has(name))
  const run = async (calls: readonly NumberedCall[]) => {
    const records = await runCalls(calls, offered, caller)
    for (const record of records) asker.report(record)
    return records
  }

  let answer = await asker.ask()
  let calls = toRun(answer)
  let records = await run(calls)
  for (let tries = 1; records.some(({ error }) => error !== undefined); tries += 1) {
    if (tries === MAX_TRIES) throw new AgentFault('tools', `tools failed ${MAX_TRIES} times: ${errorsOf(records)}`)
    asker.tell(toldMessages(answer, calls, records))
    answer = await asker.ask()
    calls = toRun(answer)
    // It says in words what went wrong: that is its answer, for the assertions to judge.
    if (calls.length === 0) return { answer, tools: records }
    records = await run(calls)
  }
  if (calls.length === 0 || assistant.hooks !== undefined || !assistant.toolLoop) return { answer, tools: records }
  const all = [...records]
  for (let turn = 1; turn <= assistant.maxTurns; turn += 1) {
    asker.tell(toldMessages(answer, calls, records))
    answer = await asker.ask()
    calls = toRun(answer)
    if (calls.length === 0) return { answer, tools: all }
    records = await run(calls)
    all.push(...records)
  }
  throw new AgentFault('tools', `the model still calls tools after ${assistant.maxTurns} turns (mcp.options.max_turn)`)
}

interface Opened {
  readonly connector: Connector
  readonly chat: ChatModel
  readonly offered: readonly OfferedTool[]
}

/** The conversation with the model as it grows, and what of it the run records. */
function createAsker({ request, created, caller }: Parts, { connector, chat, offered }: Opened) {
  const { assistant, isVisible } = request
  const { scope } = caller
  const { id: agent } = assistant
  const fixed = openingMessages({ request, created, caller })
  const samples = samplesMessage(offered)
  const conversation = convert(created.messages ?? request.messages, connector)
  if (offered.length > 0 && !takesTools(connector.capabilities)) {
    throw unsupported(`connector ${connector.id} with tools`, 'its capabilities say that its model calls none')
  }
  const told: ChatMessage[] = [...(samples ? [samples as ChatMessage] : []), ...conversation]
  const options = mergedOptions((assistant.package.options ?? {}) as JsonObject, created.parameters)
  const parameters = requestParameters(withTools(options, offered), connector)
  const say = (text: string, model: string) =>
    isVisible
      ? scope.emit({ type: 'assistant_message', text, model, agent })
      : scope.emit({ type: 'log', level: 'info', text: `said: ${text}`, agent })
  return {
    tell: (messages: readonly ChatMessage[]) => void told.push(...messages),
    async ask(): Promise<ChatAnswer> {
      const question = {
        model: connector.model,
        messages: [...fixed.messages, ...told],
        // Only cassettes want it.
        get keyMessages() {
          return [...fixed.keys(), ...told]
        },
        parameters,
      }
      const answer = await askModel(scope, chat, question, (partial) => say(partial, connector.model))
      const { text, toolCalls, model, usage } = answer
      if (text !== '' || toolCalls.length === 0) say(text, model)
      reportForeign(answer)
      if (usage) scope.emit({ type: 'usage', ...usage, model, agent })
      return answer
    },
    report({ server, tool, arguments: given, result, error }: ToolRecord) {
      const came = { ...(result === undefined ? {} : { result }), ...(error === undefined ? {} : { error }) }
      const call = { tool, parameters: parsed(given), ...(server === '' ? {} : { server }), ...came, agent }
      if (isVisible) scope.emit({ type: 'tool_call', ...call })
      else scope.emit({ type: 'log', level: 'info', text: `called ${tool}: ${JSON.stringify(came)}`, agent })
    },
  }

  /** Calls of tools that nobody here runs are what the agent did, all the same. */
  function reportForeign({ toolCalls, model }: ChatAnswer): void {
    const declared = declaredTools(assistant.package.options)
    for (const { function: called } of toolCalls) {
      if (!isVisible || !declared.includes(called.name) || offered.some(({ name }) => name === called.name)) continue
      scope.emit({ type: 'tool_call', tool: called.name, parameters: parsed(called.arguments), model, agent })
    }
  }
}

export function promptChoice(
  { options }: Pick<AgentRequest, 'options'>,
  { metadata }: Pick<AgentContext, 'metadata'>,
  created?: CreateResult,
): PromptChoice {
  return {
    options,
    metadata,
    ...(created?.preset === undefined ? {} : { preset: created.preset }),
    ...(created?.disableGlobalPrompts === undefined ? {} : { disableGlobalPrompts: created.disableGlobalPrompts }),
  }
}

/** The prompts that the request chooses. */
function openingMessages({ request, created, caller }: Parts) {
  const { assistant } = request
  const { scope, context } = caller
  const choice = promptChoice(request, context, created)
  const [problem] = choiceProblems(assistant, choice, scope.application.host)
  if (problem) {
    const said = problem.hint === undefined ? problem.message : `${problem.message} (${problem.hint})`
    throw problem.file === undefined ? new AgentFault('prompt preset', said) : unsupported('a prompt', said)
  }
  const prompts = choosePrompts(assistant, choice)
  const { host, timeZone } = scope.application
  const variables = {
    system: systemVariables(host.now(), timeZone),
    env: host.env,
    ...contextVariables({ assistant: describeAssistant(assistant, context.locale), context }),
  }
  return { messages: renderPrompts(prompts, variables), keys: () => renderKeys(prompts, variables) }
}

function connectorId(
  { assistant, options, connector }: AgentRequest,
  created: CreateResult,
  { scope }: Caller,
): string {
  if (connector !== undefined) {
    if (created.connector !== undefined && created.connector !== connector) {
      const text = `Create asks for connector ${created.connector}; -c ${connector} outranks it`
      scope.emit({ type: 'log', level: 'info', text, agent: assistant.id })
    }
    return connector
  }
  const given = options['connector']
  const named = created.connector ?? (typeof given === 'string' && given !== '' ? given : undefined)
  if (named !== undefined) return named
  if ('problem' in assistant.connector) throw unsupported(`agent ${assistant.id}`, assistant.connector.problem.message)
  return assistant.connector.id
}

/** Servers that `Create` names must be there; those of package.yao that are not are said before the first run. */
function offeredTools({ request: { assistant }, created, caller: { scope } }: Parts): readonly OfferedTool[] {
  const { tools, missing } = offerTools(created.servers ?? assistant.servers, scope.application.servers)
  for (const { kind, text } of missing) {
    if (created.servers !== undefined && kind === 'outside') throw unsupported(`MCP server ${text}`)
    if (created.servers !== undefined && kind !== 'over') {
      throw new AgentFault('hook Create', `Create of ${assistant.id}: mcp_servers: ${text}`)
    }
    scope.emit({ type: 'log', level: 'warn', text: `not offered: ${text}`, agent: assistant.id })
  }
  return tools
}

/** Throws when the model cannot be told all of it: nothing of a conversation is left out in silence. */
function convert(messages: readonly Message[], connector: Connector): readonly ChatMessage[] {
  const { messages: converted, problems } = toChatMessages({ messages, input: [] })
  const [problem] = problems
  if (problem) throw unsupported(`a message of the conversation (${problem.field ?? 'input'})`, problem.message)
  if (hasImages({ messages }) && !takesImages(connector.capabilities)) {
    throw unsupported(`connector ${connector.id} with images`, 'its capabilities say that its model takes none')
  }
  return converted
}

function withTools(options: JsonObject, offered: readonly OfferedTool[]): JsonObject {
  if (offered.length === 0) return options
  const own = options['tools']
  return { ...options, tools: [...(Array.isArray(own) ? (own as readonly Json[]) : []), ...toolDefinitions(offered)] }
}

/** Names of the tools in `options.tools`. */
function declaredTools(options: unknown): string[] {
  const tools = (options as { tools?: unknown } | null | undefined)?.tools
  if (!Array.isArray(tools)) return []
  return (tools as readonly { function?: { name?: unknown } }[]).flatMap((tool) =>
    typeof tool.function?.name === 'string' ? [tool.function.name] : [],
  )
}

function parsed(text: string): Json {
  if (text.trim() === '') return {}
  try {
    return JSON.parse(text) as Json
  } catch {
    return text
  }
}

function errorsOf(records: readonly ToolRecord[]): string {
  return records.flatMap(({ tool, error }) => (error === undefined ? [] : [`${tool}: ${error}`])).join('; ')
}
