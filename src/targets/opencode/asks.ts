import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'
import type { ServerEvent } from './raw.ts'

/** The words a server has for permissions: today's, those before version 1.1, those of the next API. */
export type Dialect = 'asked' | 'updated' | 'v2'

export interface PermissionAsk {
  readonly kind: 'permission'
  readonly id: string
  readonly sessionId: string
  readonly permission: string
  readonly title?: string
  readonly patterns: readonly string[]
  readonly metadata: JsonObject
  readonly messageId?: string
  readonly callId?: string
  readonly dialect: Dialect
}

export interface QuestionAsk {
  readonly kind: 'question'
  readonly id: string
  readonly sessionId: string
  readonly questions: readonly { readonly question: string; readonly options: readonly string[] }[]
  readonly dialect: Exclude<Dialect, 'updated'>
}

export type Ask = PermissionAsk | QuestionAsk

export interface Reply {
  readonly kind: Ask['kind']
  readonly id: string
  readonly sessionId: string
  /** Of a permission: not refused; of a question: answered. */
  readonly accepted: boolean
}

/** The request that an event tells of, in whichever words. Source: spec opencode-server 3, opencode-evals 0.2. */
export function askOf({ type, properties }: ServerEvent): Ask | undefined {
  switch (type) {
    case 'permission.asked':
      return permissionAsk(properties, 'asked')
    case 'permission.updated':
      return permissionAsk(properties, 'updated')
    case 'permission.v2.asked':
      return permissionAsk(properties, 'v2')
    case 'question.asked':
      return questionAsk(properties, 'asked')
    case 'question.v2.asked':
      return questionAsk(properties, 'v2')
    default:
      return undefined
  }
}

export function replyOf({ type, properties }: ServerEvent): Reply | undefined {
  const [kind, verb] = /^(permission|question)\.(?:v2\.)?(replied|rejected)$/.exec(type)?.slice(1) ?? []
  const id = firstText(properties['requestID'], properties['permissionID'])
  const sessionId = properties['sessionID']
  if (id === undefined || typeof sessionId !== 'string') return undefined
  if (kind === 'question') return { kind, id, sessionId, accepted: verb === 'replied' }
  if (kind !== 'permission') return undefined
  const answer = firstText(properties['reply'], properties['response'])
  return { kind, id, sessionId, accepted: answer === 'once' || answer === 'always' }
}

export function permissionAsk(given: unknown, dialect: Dialect): PermissionAsk | undefined {
  if (!isJsonObject(given)) return undefined
  const { id, sessionID, title, metadata } = given
  // `action` and `resources` are v2's; `type` and `pattern` are those of before 1.1.
  const permission = firstText(given['permission'], given['action'], given['type'])
  if (typeof id !== 'string' || typeof sessionID !== 'string' || permission === undefined) return undefined
  const call = isJsonObject(given['tool']) ? given['tool'] : given['source']
  const callId = firstText(isJsonObject(call) ? call['callID'] : undefined, given['callID'])
  const messageId = firstText(isJsonObject(call) ? call['messageID'] : undefined, given['messageID'])
  return {
    kind: 'permission',
    id,
    sessionId: sessionID,
    permission,
    ...(typeof title === 'string' ? { title } : {}),
    patterns: textList(given['patterns'] ?? given['resources'] ?? given['pattern']),
    metadata: isJsonObject(metadata) ? metadata : {},
    ...(messageId === undefined ? {} : { messageId }),
    ...(callId === undefined ? {} : { callId }),
    dialect,
  }
}

export function questionAsk(given: unknown, dialect: QuestionAsk['dialect']): QuestionAsk | undefined {
  if (!isJsonObject(given)) return undefined
  const { id, sessionID, questions } = given
  if (typeof id !== 'string' || typeof sessionID !== 'string') return undefined
  const list = Array.isArray(questions) ? questions.filter((item: Json): item is JsonObject => isJsonObject(item)) : []
  return {
    kind: 'question',
    id,
    sessionId: sessionID,
    questions: list.map(({ question, options }) => ({
      question: typeof question === 'string' ? question : '',
      options: Array.isArray(options)
        ? options.flatMap((option: Json) =>
            isJsonObject(option) && typeof option['label'] === 'string' ? [option['label']] : [],
          )
        : [],
    })),
    dialect,
  }
}

function firstText(...values: readonly (Json | undefined)[]): string | undefined {
  return values.find((value) => typeof value === 'string')
}

function textList(value: Json | undefined): string[] {
  if (typeof value === 'string') return [value]
  return Array.isArray(value) ? value.filter((item: Json) => typeof item === 'string') : []
}
