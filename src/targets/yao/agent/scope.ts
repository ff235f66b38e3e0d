import { TargetError } from '../../../core/errors.ts'
import type { Identity } from '../../../core/identity.ts'
import type { Json, JsonObject } from '../../../core/json.ts'
import type { EmittedEvent } from '../../../core/trace.ts'
import type { CallOrigin } from '../../chat/chat-model.ts'
import type { Application } from '../application.ts'
import type { Memory } from '../context/memory.ts'
import { AgentFault } from './fault.ts'

/** What lives as long as one attempt at one run: its agents, however deep they call each other, share it. */
export interface RunScope {
  readonly application: Application
  readonly origin: CallOrigin
  readonly signal: AbortSignal
  readonly memory: Memory
  emit(event: EmittedEvent): void
  /** `M1`, `M2`, …; letters count on their own. */
  nextId(letter: string): string
  /** Says that a model is about to be called; throws an AgentFault when it was called too often. */
  countModelCall(): void
  /** Says that a script asked for something that this agent has not got in Yao either. */
  noteAbsent(name: string): void
  readonly absent: ReadonlySet<string>
}

/** The plain fields of `ctx`. Source: spec yao 7. */
export interface AgentContext {
  readonly chatId: string
  readonly locale: string
  readonly theme: string
  readonly route: string
  readonly referer: string
  readonly accept: string
  readonly client: JsonObject
  readonly metadata: JsonObject
  readonly authorized: JsonObject
}

export function contextOf(identity: Identity, chatId: string): AgentContext {
  const { locale, referer, accept, client, metadata, authorized } = identity
  return { chatId, locale, theme: '', route: '', referer, accept, client, metadata, authorized }
}

/** `data` for `__openContext`. */
export function contextData(
  context: AgentContext,
  assistant: { readonly id: string; readonly hasSandbox: boolean },
): Json {
  const { chatId, ...fields } = context
  return { chat_id: chatId, assistant_id: assistant.id, ...fields, hasSandbox: assistant.hasSandbox }
}

/** A hook that writes or calls without end fills neither a report nor a bill. */
const MAX_LOGS = 2_000
const MAX_LOG_LENGTH = 10_000
const MAX_MODEL_CALLS = 100
/** Agents and scripts that call each other. Each level holds a thread. */
const MAX_LEVELS = 12

interface RunParts {
  readonly application: Application
  readonly origin: CallOrigin
  readonly signal: AbortSignal
  readonly memory: Memory
  readonly emit: (event: EmittedEvent) => void
}

export function openRun({ application, origin, signal, memory, emit }: RunParts): RunScope {
  const ids = new Map<string, number>()
  const absent = new Set<string>()
  let logs = 0
  let calls = 0
  return {
    application,
    origin,
    signal,
    memory,
    absent,
    emit(event) {
      if (event.type !== 'log') return emit(event)
      logs += 1
      if (logs === MAX_LOGS + 1)
        emit({ type: 'log', level: 'warn', text: `more than ${MAX_LOGS} lines; the rest is left out` })
      if (logs > MAX_LOGS) return
      emit({
        ...event,
        text: event.text.length > MAX_LOG_LENGTH ? `${event.text.slice(0, MAX_LOG_LENGTH)}…` : event.text,
      })
    },
    nextId(letter) {
      const next = (ids.get(letter) ?? 0) + 1
      ids.set(letter, next)
      return `${letter}${next}`
    },
    countModelCall() {
      calls += 1
      if (calls > MAX_MODEL_CALLS) {
        throw new AgentFault('model calls', `more than ${MAX_MODEL_CALLS} model calls in one run`, { isFinal: true })
      }
    },
    noteAbsent(name) {
      if (absent.has(name)) return
      absent.add(name)
      this.emit({ type: 'log', level: 'warn', text: `${name} is undefined: package.yao configures no sandbox` })
    },
  }
}

/** The trail with one more level; throws an AgentFault that shows it when agents or scripts call each other in circles. */
export function deeper(trail: readonly string[], name: string): readonly string[] {
  const next = [...trail, name]
  if (next.length <= MAX_LEVELS) return next
  const message = `agents and scripts call each other more than ${MAX_LEVELS} levels deep: ${next.join(' → ')}`
  throw new AgentFault('delegate', message, { isFinal: true })
}

/** The agent may do on a server what cannot be done here: that says nothing about its quality. */
export function unsupported(name: string, why = 'it needs a running Yao server'): TargetError {
  return new TargetError(`${name} is not run here: ${why}`, { code: 'UNSUPPORTED' })
}
