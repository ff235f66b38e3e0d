import { z } from 'zod'
import { isJsonObject, type Json, type JsonObject, jsonType } from '../../../core/json.ts'
import { didYouMean } from '../../../core/kind.ts'
import type { Message } from '../../../core/message.ts'
import type { ServerChoice } from '../mcp/selection.ts'
import { parseServers } from '../mcp/selection.ts'
import { describeIssue, parseMessages } from './parse-messages.ts'

/** Another agent answers in place of this one. */
export interface Delegate {
  readonly agent: string
  readonly messages: readonly Message[]
  readonly options: JsonObject
}

/** What `Create` decided; what is absent stays as it was. */
export interface CreateResult {
  readonly messages?: readonly Message[]
  /** Parameters of the request: temperature, max_tokens, max_completion_tokens. */
  readonly parameters: JsonObject
  readonly servers?: readonly ServerChoice[]
  readonly preset?: string
  readonly disableGlobalPrompts?: boolean
  readonly connector?: string
  readonly locale?: string
  readonly theme?: string
  readonly route?: string
  readonly metadata: JsonObject
  readonly delegate?: Delegate
  /** Fields that only a Yao server carries out. */
  readonly notRun: readonly string[]
  /** Fields that nobody knows, with a did-you-mean. */
  readonly warnings: readonly string[]
}

export type Parsed<T> = { readonly value: T } | { readonly problem: string }

const text = z.string('expected a text').nullish()
const number = z.number('expected a number').nullish()
const count = z.int('expected a whole number').min(1, 'expected at least 1').nullish()
const flag = z.boolean('expected true or false').nullish()
const object = z.record(z.string(), z.unknown(), 'expected an object').nullish()

const schema = z.object({
  messages: z.unknown().optional(),
  temperature: number,
  max_tokens: count,
  max_completion_tokens: count,
  audio: object,
  mcp_servers: z.array(z.unknown(), 'expected a list of servers').nullish(),
  prompt_preset: text,
  disable_global_prompts: flag,
  connector: text,
  locale: text,
  theme: text,
  route: text,
  metadata: object,
  uses: object,
  force_uses: flag,
  search: z.union([z.boolean(), z.record(z.string(), z.unknown())], 'expected true, false or an object').nullish(),
  delegate: z.unknown().optional(),
})

const FIELDS = Object.keys(schema.shape)
/** Carried out by a Yao server alone; said by name, never silently left out. Source: spec yao 11.6. */
const NOT_RUN = ['audio', 'uses', 'force_uses', 'search'] as const

const NOTHING: CreateResult = { parameters: {}, metadata: {}, notRun: [], warnings: [] }

/** What `Create` returned; null, undefined and `{}` change nothing. Source: spec yao 11.5. */
export function parseCreateResult(returned: Json): Parsed<CreateResult> {
  if (returned === null) return { value: NOTHING }
  if (!isJsonObject(returned)) return { problem: `expected an object or null, got ${jsonType(returned)}` }
  const parsed = schema.safeParse(returned)
  if (!parsed.success) return { problem: describeIssue(parsed.error).replace(/^\./, '') }
  const { messages, mcp_servers: servers, delegate, ...plain } = parsed.data
  const conversation = replacedMessages(messages)
  if (conversation && 'problem' in conversation) return conversation
  const chosen = isEmpty(servers) ? undefined : parseServers(servers ?? [], 'mcp_servers')
  if (chosen && 'problem' in chosen) return chosen
  const delegated = parseDelegate(delegate)
  if ('problem' in delegated) return delegated
  const { temperature, max_tokens, max_completion_tokens } = plain
  const settings = present({
    preset: plain.prompt_preset,
    connector: plain.connector,
    locale: plain.locale,
    theme: plain.theme,
    route: plain.route,
  })
  return {
    value: {
      ...settings,
      ...(conversation ? { messages: conversation.messages } : {}),
      ...(chosen ? { servers: chosen.choices } : {}),
      ...(typeof plain.disable_global_prompts === 'boolean'
        ? { disableGlobalPrompts: plain.disable_global_prompts }
        : {}),
      ...(delegated.value ? { delegate: delegated.value } : {}),
      parameters: present({ temperature, max_tokens, max_completion_tokens }) as JsonObject,
      metadata: (plain.metadata ?? {}) as JsonObject,
      notRun: NOT_RUN.filter((name) => isWanted(plain[name])),
      warnings: unknownFields(returned),
    },
  }
}

/** `delegate` of either hook. */
export function parseDelegate(value: unknown): Parsed<Delegate | undefined> {
  if (value === undefined || value === null) return { value: undefined }
  if (!isJsonObject(value)) return { problem: 'delegate: expected {"agent_id", "messages"}' }
  const { agent_id: agent, messages, options = null } = value
  if (typeof agent !== 'string' || agent === '') return { problem: 'delegate.agent_id: expected the id of an agent' }
  if (options !== null && !isJsonObject(options)) return { problem: 'delegate.options: expected an object' }
  const parsed = parseMessages(messages, 'delegate.messages')
  if ('problem' in parsed) return parsed
  return { value: { agent, messages: parsed.messages, options: options ?? {} } }
}

function unknownFields(returned: JsonObject): string[] {
  return Object.keys(returned)
    .filter((name) => !FIELDS.includes(name))
    .map((name) => {
      const hint = didYouMean(name, FIELDS)
      return `unknown field ${JSON.stringify(name.slice(0, 60))}${hint === undefined ? '' : ` (${hint})`}`
    })
}

function replacedMessages(messages: unknown) {
  return isEmpty(messages) ? undefined : parseMessages(messages, 'messages')
}

/** An empty list replaces nothing, as in Yao. */
function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0)
}

/** `search: false` asks for nothing. */
function isWanted(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false
}

/** Without what is null, undefined or an empty text: in Yao all three mean "not set". */
function present<T extends object>(members: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined && value !== null && value !== ''),
  ) as { [K in keyof T]?: NonNullable<T[K]> }
}
