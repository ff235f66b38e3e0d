import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts'
import { type OutsideCall, ScriptCallError } from '../../../sandbox/sandbox.ts'
import { unsupported } from '../agent/scope.ts'
import { callAgents } from './agent-calls.ts'
import type { BatchMethod, Caller } from './caller.ts'
import { callModels } from './llm-calls.ts'
import { callServer } from './mcp-calls.ts'
import { callProcess } from './process-calls.ts'

type Handler = (caller: Caller, args: readonly Json[]) => Promise<Json | undefined> | Json | undefined

/** What `CONTEXT_PRELUDE` calls, by name. Arguments are what a hostile script made of them. */
const HANDLERS: Readonly<Record<string, Handler>> = {
  outside(_, [name]) {
    throw unsupported(nameOf(name))
  },
  absent({ scope }, [name]) {
    scope.noteAbsent(nameOf(name))
    return undefined
  },
  authorized: ({ context }) => context.authorized,
  async sleep({ scope }, [ms]) {
    if (typeof ms === 'number' && ms > 0) await scope.application.host.sleep(Math.min(ms, 600_000), scope.signal)
    return undefined
  },
  id: ({ scope }, [letter]) => scope.nextId(letter === 'B' || letter === 'T' ? letter : 'M'),
  memory: ({ memory }, [space, method, args]) => memory.call(nameOf(space), nameOf(method), listOf(args)),
  trace({ scope, assistant }, [level, text]) {
    scope.emit({ type: 'log', level: levelOf(level), text: `trace: ${wordsOf(text ?? null)}`, agent: assistant.id })
    return undefined
  },
  message: (caller, [method, args]) => sendMessage(caller, nameOf(method), listOf(args)),
  agent: (caller, [method, requests]) => callAgents(caller, methodOf(method), objectsOf(requests, 'ctx.agent')),
  llm: (caller, [method, requests]) => callModels(caller, methodOf(method), objectsOf(requests, 'ctx.llm')),
  mcp: (caller, [method, args]) => callServer(caller, nameOf(method), listOf(args)),
  process: (caller, [name, args]) => callProcess(caller, nameOf(name), listOf(args)),
}

/** Answers what a script asks of the outside, for one request to one agent. Source: spec yao 11.6. */
export function contextCalls(caller: Caller): OutsideCall {
  return async (name, args) => {
    const handler = Object.hasOwn(HANDLERS, name) ? HANDLERS[name] : undefined
    if (!handler) throw new ScriptCallError(`unknown call ${JSON.stringify(name.slice(0, 60))}`)
    return handler(caller, args)
  }
}

function methodOf(method: Json | undefined): BatchMethod {
  if (method === 'All' || method === 'Any' || method === 'Race') return method
  throw new ScriptCallError(`unknown method ${JSON.stringify(method)}`)
}

function objectsOf(value: Json | undefined, name: string): readonly JsonObject[] {
  const list = listOf(value)
  if (list.length > 0 && list.every(isJsonObject)) return list
  throw new ScriptCallError(`${name}: expected a list of requests`)
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : []
}

/** Names come from scripts, which may put anything in their place. */
function nameOf(value: Json | undefined): string {
  return typeof value === 'string' ? value.slice(0, 300) : ''
}

function levelOf(level: Json | undefined) {
  return level === 'debug' || level === 'warn' || level === 'error' ? level : 'info'
}

/**
 * `ctx.Send` and its kin write to a client that does not exist here: what they say is kept in the log of the run, and is
 * no part of the answer. Gives the message's id.
 */
function sendMessage({ scope, assistant }: Caller, method: string, args: readonly Json[]): Json {
  const [first, ...rest] = args
  const isNew = method === 'Send' || method === 'SendStream'
  const given = isJsonObject(first) ? first['message_id'] : undefined
  const id = isNew ? (typeof given === 'string' && given !== '' ? given : scope.nextId('M')) : first
  if (typeof id !== 'string' || (isNew && first === undefined)) {
    throw new ScriptCallError(`ctx.${method}: expected ${isNew ? 'a message' : 'the id of a message'}`)
  }
  const said = (isNew ? [wordsOf(first ?? null)] : rest.map(wordsOf)).join(' ')
  scope.emit({ type: 'log', level: 'info', text: `ctx.${method} ${id}: ${said}`.trimEnd(), agent: assistant.id })
  return id
}

function wordsOf(message: Json): string {
  if (typeof message === 'string') return message
  const props = isJsonObject(message) ? message['props'] : undefined
  const content = isJsonObject(props) ? props['content'] : undefined
  return typeof content === 'string' ? content : JSON.stringify(message)
}
