import type { Json, JsonObject } from '../../../core/json.ts'
import type { Caller } from '../context/caller.ts'
import { contextCalls } from '../context/calls.ts'
import { type CreateResult, type Delegate, parseCreateResult } from '../hooks/create-result.ts'
import { parseNextResult } from '../hooks/next-result.ts'
import { runHook } from '../hooks/run-hook.ts'
import { needsModel } from '../prompt-choice.ts'
import { converse, promptChoice } from './converse.ts'
import { AgentFault } from './fault.ts'
import type { AgentRequest, AgentResponse } from './request.ts'
import { completionJson, toolsJson } from './response.ts'
import { type AgentContext, contextData, deeper, type RunScope } from './scope.ts'

/**
 * Lets an agent answer: `Create`, its model with its tools, `Next`. Each hook may hand the request over to another agent,
 * whose answer is then the answer. Throws an AgentFault for what the agent did wrong and a TargetError for what could not
 * be run. Source: spec yao 11.5.
 */
export async function answerRequest(request: AgentRequest, scope: RunScope): Promise<AgentResponse> {
  const { assistant } = request
  const memory = request.memory ?? scope.memory.forRequest()
  const callerWith = (context: AgentContext): Caller => ({
    scope,
    context,
    assistant,
    trail: request.trail,
    memory,
    answer: answerRequest,
    calls: contextCalls,
  })
  const created = await create(request, callerWith(request.context))
  const context = changedContext(request.context, created)
  const caller = callerWith(context)
  const handOver = (delegate: Delegate) => handOverTo(delegate, { ...request, context, memory }, scope)
  if (created?.delegate) return handOver(created.delegate)
  const asked = needsModel(assistant, promptChoice(request, context, created))
    ? await converse({ request, created: created ?? NOTHING, caller })
    : undefined
  const response = {
    assistant: assistant.id,
    chatId: context.chatId,
    ...(asked === undefined ? {} : { answer: asked.answer }),
    tools: asked?.tools ?? [],
  }
  const decided = await next(request, response, caller)
  if (decided.delegate) return handOver(decided.delegate)
  if (decided.data === undefined) return response
  if (request.isVisible) scope.emit({ type: 'output', value: decided.data, agent: assistant.id })
  return { ...response, data: decided.data }
}

const NOTHING: CreateResult = { parameters: {}, metadata: {}, notRun: [], warnings: [] }

async function create(request: AgentRequest, caller: Caller): Promise<CreateResult | undefined> {
  const { assistant, messages, options } = request
  if (assistant.hooks === undefined) return undefined
  const created = await runHook(
    {
      name: 'Create',
      script: assistant.hooks,
      agent: assistant.id,
      args: [contextData(caller.context, assistant), messages as unknown as Json, options],
      call: contextCalls(caller),
      parse: parseCreateResult,
    },
    caller.scope,
  )
  const say = (text: string) => caller.scope.emit({ type: 'log', level: 'warn', text, agent: assistant.id })
  for (const name of created.notRun) say(`Create sets ${name}, which is not run here`)
  for (const warning of created.warnings) say(`Create returns an ${warning}`)
  return created
}

/** `messages` are those the agent was asked with, whatever `Create` made of them, as in Yao. */
async function next(request: AgentRequest, response: AgentResponse, caller: Caller) {
  const { assistant, messages, options } = request
  if (assistant.hooks === undefined) return {}
  const payload: JsonObject = {
    messages: messages as unknown as Json,
    ...(response.answer === undefined ? {} : { completion: completionJson(response.answer) }),
    ...(response.tools.length === 0 ? {} : { tools: toolsJson(response.tools) }),
    // A model that fails ends the run before this.
    error: '',
  }
  return runHook(
    {
      name: 'Next',
      script: assistant.hooks,
      agent: assistant.id,
      args: [contextData(caller.context, assistant), payload, options],
      call: contextCalls(caller),
      parse: parseNextResult,
    },
    caller.scope,
  )
}

/** What `Create` changes holds for the rest of the request, and for the agent it hands over to. */
function changedContext(context: AgentContext, created: CreateResult = NOTHING): AgentContext {
  const { locale, theme, route, metadata } = created
  return {
    ...context,
    ...(locale === undefined ? {} : { locale }),
    ...(theme === undefined ? {} : { theme }),
    ...(route === undefined ? {} : { route }),
    metadata: { ...context.metadata, ...metadata },
  }
}

async function handOverTo(delegate: Delegate, request: AgentRequest, scope: RunScope): Promise<AgentResponse> {
  const found = scope.application.assistant(delegate.agent)
  if ('problem' in found) throw new AgentFault('delegate', `${request.assistant.id} delegates to ${found.problem}`)
  const trail = deeper(request.trail, found.assistant.id)
  const { connector: _, ...rest } = request
  const { context } = request
  const metadata = delegate.options['metadata']
  const added = typeof metadata === 'object' && !Array.isArray(metadata) ? (metadata as JsonObject) : {}
  return answerRequest(
    {
      ...rest,
      assistant: found.assistant,
      messages: delegate.messages,
      options: delegate.options,
      context: { ...context, referer: 'agent', metadata: { ...context.metadata, ...added } },
      trail,
    },
    scope,
  )
}
