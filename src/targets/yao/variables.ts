import type { JsonObject } from '../../core/json.ts'
import type { ChatMessage } from '../chat/chat-model.ts'
import type { AgentContext } from './agent/scope.ts'
import type { Prompt } from './prompts.ts'

/** What `$SYS`, `$ENV` and `$CTX` stand for in one run. */
export interface Variables {
  readonly system: ReadonlyMap<string, string>
  readonly env: Readonly<Record<string, string | undefined>>
  readonly context: ReadonlyMap<string, string>
  /** Names in `context` whose value is another one in every run. */
  readonly volatile: ReadonlySet<string>
}

const VARIABLE = /\$(?:SYS\.([A-Z_]+)|ENV\.([A-Za-z_][A-Za-z0-9_]*)|CTX\.([A-Za-z_][A-Za-z0-9_]*))/g

/**
 * Prompts as messages. Unknown `$CTX` and unset `$ENV` variables become empty, unknown `$SYS` ones stay as they are.
 * Values are not searched for variables again. Source: spec yao 11.3.
 */
export function renderPrompts(prompts: readonly Prompt[], { system, env, context }: Variables): ChatMessage[] {
  return replaceIn(prompts, ({ match, sys, variable, key }) => {
    if (sys !== undefined) return system.get(sys) ?? match
    return variable === undefined ? (context.get(key) ?? '') : (env[variable] ?? '')
  })
}

/**
 * The same with what changes from run to run by its name, so that a recording is found again. Environment values
 * differ between machines and may be secrets: they stand by name too.
 */
export function renderKeys(prompts: readonly Prompt[], { context, volatile }: Variables): ChatMessage[] {
  return replaceIn(prompts, ({ match, sys, variable, key }) => {
    return sys !== undefined || variable !== undefined || volatile.has(key) ? match : (context.get(key) ?? '')
  })
}

type OptionalName = string | undefined

interface FoundVariable {
  readonly match: string
  /** The name after `$SYS.`, `$ENV.` or `$CTX.`. */
  readonly sys: OptionalName
  readonly variable: OptionalName
  readonly key: string
}

function replaceIn(prompts: readonly Prompt[], replace: (found: FoundVariable) => string): ChatMessage[] {
  return prompts.map(({ role, content, name }) => ({
    role,
    content: content.replace(VARIABLE, (match: string, sys: OptionalName, variable: OptionalName, key: OptionalName) =>
      replace({ match, sys, variable, key: key ?? '' }),
    ),
    ...(name === undefined ? {} : { name }),
  }))
}

/** Names of the environment variables that prompts use, with the prompt that uses them. */
export function envNames(prompts: readonly Prompt[]): { readonly name: string; readonly prompt: Prompt }[] {
  return prompts.flatMap((prompt) =>
    [...prompt.content.matchAll(VARIABLE)].flatMap(([, , name]) => (name === undefined ? [] : [{ name, prompt }])),
  )
}

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

/** `$SYS` at one moment, local time. */
export function systemVariables(now: number, timeZone: string): Map<string, string> {
  const moment = new Date(now)
  const two = (value: number) => String(value).padStart(2, '0')
  const year = String(moment.getFullYear())
  const [month, day] = [two(moment.getMonth() + 1), two(moment.getDate())]
  const [hour, minute, second] = [two(moment.getHours()), two(moment.getMinutes()), two(moment.getSeconds())]
  const date = `${year}-${month}-${day}`
  const time = `${hour}:${minute}:${second}`
  return new Map([
    ['TIME', time],
    ['DATE', date],
    ['DATETIME', `${date} ${time}`],
    ['TIMEZONE', timeZone],
    ['WEEKDAY', WEEKDAYS[moment.getDay()] ?? ''],
    ['YEAR', year],
    ['MONTH', month],
    ['DAY', day],
    ['HOUR', hour],
    ['MINUTE', minute],
    ['SECOND', second],
    ['UNIX', String(Math.floor(now / 1_000))],
  ])
}

interface ContextSources {
  readonly assistant: {
    readonly id: string
    readonly name: string
    readonly description: string
    readonly type: string
  }
  readonly context: Pick<
    AgentContext,
    'chatId' | 'locale' | 'theme' | 'route' | 'referer' | 'client' | 'metadata' | 'authorized'
  >
}

/** `$CTX`: the assistant, who asks, and every scalar of the metadata, which wins. */
export function contextVariables({
  assistant,
  context: asked,
}: ContextSources): Pick<Variables, 'context' | 'volatile'> {
  const scalars = Object.entries(asked.metadata).flatMap(([key, value]): [string, string][] =>
    value === null || value === '' || typeof value === 'object' ? [] : [[key, String(value)]],
  )
  const textIn = (members: JsonObject, key: string): string => {
    const value = members[key]
    return typeof value === 'string' ? value : ''
  }
  const context = new Map([
    ['ASSISTANT_ID', assistant.id],
    ['ASSISTANT_NAME', assistant.name],
    ['ASSISTANT_DESCRIPTION', assistant.description],
    ['ASSISTANT_TYPE', assistant.type],
    ['CHAT_ID', asked.chatId],
    ['LOCALE', asked.locale],
    ['THEME', asked.theme],
    ['ROUTE', asked.route],
    ['REFERER', asked.referer],
    ['CLIENT_TYPE', textIn(asked.client, 'type')],
    ['USER_ID', textIn(asked.authorized, 'user_id')],
    ['TEAM_ID', textIn(asked.authorized, 'team_id')],
    ['TENANT_ID', textIn(asked.authorized, 'tenant_id')],
    ...scalars,
  ])
  return { context, volatile: new Set(scalars.some(([key]) => key === 'CHAT_ID') ? [] : ['CHAT_ID']) }
}

/** Fresh per case and run, and the same on every machine. Source: spec yao 2.4. */
export function chatIdOf(caseId: string, run: number, given: string | undefined): string {
  if (given === undefined) return `test-${caseId}-${run}`
  return run === 1 ? given : `${given}-run${run}`
}
