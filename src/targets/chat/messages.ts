import type { Problem } from '../../core/errors.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { ContentPart, FileReference, Message } from '../../core/message.ts'
import type { Case } from '../../core/suite.ts'
import type { ChatMessage } from './chat-model.ts'

export interface ConvertedMessages {
  readonly messages: readonly ChatMessage[]
  /** What has no form in OpenAI's messages, with its place in the record, such as `input[2].content[1]`. */
  readonly problems: readonly Problem[]
}

export type ConvertedPart = { readonly part: JsonObject } | { readonly problem: Omit<Problem, 'field'> }

/** The messages of a case in OpenAI's form, or with parts in that of another server. */
export function toChatMessages(
  { messages, input }: Pick<Case, 'messages' | 'input'>,
  convert: (part: ContentPart) => ConvertedPart = convertPart,
): ConvertedMessages {
  const problems: Problem[] = []
  const converted = messages.map((message, index) => {
    const field = Array.isArray(input) ? `input[${index}]` : 'input'
    return { ...fieldsOf(message), ...contentOf(message, field, { convert, problems }) } as ChatMessage
  })
  return { messages: converted, problems }
}

/** True when a message of the case carries an image. */
export function hasImages({ messages }: Pick<Case, 'messages'>): boolean {
  return messages.some(({ content }) => Array.isArray(content) && content.some(({ type }) => type === 'image_url'))
}

function fieldsOf({ role, name, tool_call_id, refusal, tool_calls }: Message): JsonObject {
  return {
    role,
    ...(name === undefined ? {} : { name }),
    ...(tool_call_id === undefined ? {} : { tool_call_id }),
    ...(refusal === undefined ? {} : { refusal }),
    ...(tool_calls === undefined ? {} : { tool_calls: tool_calls as unknown as Json }),
  }
}

function contentOf(
  message: Message,
  field: string,
  { convert, problems }: { convert: (part: ContentPart) => ConvertedPart; problems: Problem[] },
): JsonObject {
  const { role, content } = message
  // Only an assistant may say nothing; elsewhere OpenAI wants a text.
  if (content === undefined) return { content: role === 'assistant' ? null : '' }
  if (typeof content === 'string') return { content }
  const parts = content.flatMap((part, index) => {
    const converted = convert(part)
    if ('part' in converted) return [converted.part]
    problems.push({ field: `${field}.content[${index}]`, ...converted.problem })
    return []
  })
  return { content: parts }
}

function convertPart(part: ContentPart): ConvertedPart {
  switch (part.type) {
    case 'text':
    case 'image_url':
    case 'input_audio':
      return { part: part as unknown as JsonObject }
    case 'file':
      return convertFile(part.file)
    case 'data':
      return {
        problem: {
          message: 'no OpenAI form exists for a "data" part: its sources live inside of Yao',
          hint: 'put the data into a text or file part, or run this case against a Yao server',
        },
      }
  }
}

function convertFile({ url, filename, file_id: id }: FileReference): ConvertedPart {
  const named = filename === undefined || filename === '' ? {} : { filename }
  if (id !== undefined && id !== '') return { part: { type: 'file', file: { ...named, file_id: id } } }
  if (url.startsWith('data:')) return { part: { type: 'file', file: { filename: 'file', ...named, file_data: url } } }
  return {
    problem: {
      message: 'OpenAI takes no file by URL',
      hint: 'use a local file ("source": "file://…") or the file_id of an uploaded one',
    },
  }
}
