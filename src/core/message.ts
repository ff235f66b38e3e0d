import type { JsonObject } from './json.ts'

/** Roles a suite may use. Source: OpenAI chat completions, `role`. */
export const ROLES = ['system', 'developer', 'user', 'assistant', 'tool'] as const
export type Role = (typeof ROLES)[number]

/** One message of a conversation, files already loaded as data URLs. */
export interface Message {
  readonly role: Role
  /** Absent when the suite says `null` or an assistant message carries only tool calls. */
  readonly content?: string | readonly ContentPart[]
  readonly name?: string
  readonly tool_call_id?: string
  readonly refusal?: string
  readonly tool_calls?: readonly ToolCallRequest[]
}

export interface ToolCallRequest {
  readonly id?: string
  readonly type: 'function'
  /** `arguments` is JSON text. */
  readonly function: { readonly name: string; readonly arguments: string }
}

/** Yao's normalised parts; a target turns them into what its provider takes. */
export type ContentPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string; readonly detail?: string } }
  | { readonly type: 'input_audio'; readonly input_audio: { readonly data: string; readonly format: string } }
  | { readonly type: 'file'; readonly file: FileReference }
  | { readonly type: 'data'; readonly data: { readonly sources: readonly JsonObject[] | null } }

export interface FileReference {
  /** A data URL or a remote URL; empty when `file_id` stands for the file. */
  readonly url: string
  readonly filename?: string
  readonly file_id?: string
}

/** The words of a message, parts joined; what a person would call its text. */
export function textOf(message: Message): string {
  if (message.content === undefined) return ''
  if (typeof message.content === 'string') return message.content
  return message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(' ')
}

/** One line for people: the last user message, or the number of messages when it has no words. */
export function summarise(messages: readonly Message[]): string {
  const last = messages.findLast((message) => message.role === 'user')
  const text = last ? textOf(last).trim() : ''
  return text === '' ? `[${messages.length} message${messages.length === 1 ? '' : 's'}]` : text
}
