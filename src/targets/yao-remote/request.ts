import { randomUUID } from 'node:crypto'
import type { Identity } from '../../core/identity.ts'
import type { JsonObject } from '../../core/json.ts'
import type { ContentPart } from '../../core/message.ts'
import type { Case, CaseOptions } from '../../core/suite.ts'
import { type ConvertedMessages, type ConvertedPart, toChatMessages } from '../chat/messages.ts'
import type { RunRequest } from '../target.ts'
import { chatIdOf } from '../yao/variables.ts'

/** What is sent for one run. Source: spec yao 12. */
export interface RemoteRequest {
  readonly headers: Readonly<Record<string, string>>
  readonly body: JsonObject
}

/** Proxies refuse headers that are much longer than this; the body carries what is. */
const LONGEST_HEADER = 4_096

/** `assistant` is named by a header where the path does not name it. */
export function remoteRequest(request: RunRequest, chatId: string, assistant: string | undefined): RemoteRequest {
  const { case: item, identity, options } = request
  const metadata = metadataOf(identity, options)
  const encoded = Buffer.from(JSON.stringify(metadata)).toString('base64')
  const isShort = encoded.length <= LONGEST_HEADER
  const isEmpty = Object.keys(metadata).length === 0
  const { connector, mode } = options
  return {
    headers: {
      'accept-language': identity.locale,
      'x-yao-accept': 'standard',
      'x-yao-chat': chatId,
      ...(isShort && !isEmpty ? { 'x-yao-metadata': encoded } : {}),
      ...(mode === undefined ? {} : { 'x-yao-mode': mode }),
      ...(assistant === undefined ? {} : { 'x-yao-assistant': assistant }),
    },
    body: {
      ...(connector === undefined ? {} : { model: connector }),
      messages: toYaoMessages(item).messages,
      ...(isShort ? {} : { metadata }),
      // The record is the whole conversation: nothing of earlier runs may join it.
      skip: { ...options.skip, history: true },
      stream: true,
    },
  }
}

/** Fresh for every attempt, for the server keeps what it was told under it; one for all turns of a conversation. */
export function chatIds(): (request: RunRequest) => string {
  const ofConversations = new WeakMap<object, string>()
  return ({ case: item, run, identity, turn }) => {
    if (identity.chatId !== undefined) return chatIdOf(item.id, run, identity.chatId)
    const known = turn && ofConversations.get(turn.conversation)
    const id = known ?? `agent-test-${randomUUID()}`
    if (turn) ofConversations.set(turn.conversation, id)
    return id
  }
}

/** Yao reads these two options from the context's metadata. Source: spec yao 3 and 11.3. */
function metadataOf({ metadata }: Identity, { disable_global_prompts: isDisabled, search }: CaseOptions): JsonObject {
  return {
    ...metadata,
    ...(isDisabled === undefined ? {} : { __disable_global_prompts: isDisabled }),
    ...(search === undefined ? {} : { __disable_search: !search }),
  }
}

/** The case's messages as Yao takes them: attachments in its own form, `data` parts as they are. */
export function toYaoMessages(item: Pick<Case, 'messages' | 'input'>): ConvertedMessages {
  return toChatMessages(item, convertPart)
}

function convertPart(part: ContentPart): ConvertedPart {
  const hasOnlyId = part.type === 'file' && part.file.url === ''
  if (!hasOnlyId) return { part: part as unknown as JsonObject }
  return {
    problem: {
      message: 'a Yao server drops the file_id of an uploaded file',
      hint: 'use a local file ("source": "file://…") or a URL',
    },
  }
}
