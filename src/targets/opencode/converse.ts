import { TargetError } from '../../core/errors.ts'
import type { Host } from '../../core/host.ts'
import type { SessionPlan } from '../../core/session.ts'
import type { SessionRecorder } from '../../core/session-keeper.ts'
import type { EmittedEvent } from '../../core/trace.ts'
import { openAnswering } from './answering.ts'
import type { PermissionAsk } from './asks.ts'
import type { Choice } from './choice.ts'
import type { Client } from './client.ts'
import { openInbox } from './inbox.ts'
import { readPart, readSession } from './raw.ts'
import { createRecording, type Recording } from './recording.ts'
import type { Server } from './server.ts'
import { type Limits, type Talk, takeTurn } from './turn.ts'

export interface Conversation {
  readonly title: string
  readonly plan: SessionPlan
  readonly choice: Choice
  readonly limits: Limits
  readonly client: Client
  readonly server: Server
  /** The session's own folder, absolute and without links. */
  readonly directory: string
  readonly recorder?: SessionRecorder
  readonly learned?: ReadonlySet<string>
  /** Whether a text asks for approval. */
  asksApproval(text: string): boolean
  readonly signal: AbortSignal
  readonly host: Host
}

/** Holds the whole conversation in one session, and leaves nothing of it on the server, however it ends. */
export async function* converse(conversation: Conversation): AsyncGenerator<EmittedEvent> {
  const { client, server, directory, signal, host, title, recorder } = conversation
  const recording = createRecording()
  const inbox = openInbox({ feed: server.feed, directory, signal }, host)
  let sessionId: string | undefined
  try {
    const session = await client.createSession(title)
    sessionId = readSession(session)?.id
    if (sessionId === undefined) throw new TargetError('the server gave no session', { code: 'BAD_RESPONSE' })
    recording.session(session)
    yield* takeTurns(talkOf(conversation, { sessionId, recording, inbox }), conversation)
    await readFamily(client, recording)
    yield* recording.take('everything')
  } catch (error) {
    // Stopped first: whatever goes on would go on spending.
    await stopWork(client)
    await readFamily(client, recording).catch(() => undefined)
    yield* recording.take('everything')
    throw error
  } finally {
    inbox.close()
    if (sessionId !== undefined) await leave(client, { recording, recorder })
  }
}

function talkOf(
  { client, server, directory, plan, limits, learned, recorder, signal, host }: Conversation,
  { sessionId, recording, inbox }: Pick<Talk, 'sessionId' | 'recording' | 'inbox'>,
): Talk {
  const tools = new Map<string, string>()
  const answering = openAnswering({
    client,
    root: directory,
    policy: plan.approval,
    ...(learned === undefined ? {} : { learned }),
    toolOf: (ask: PermissionAsk) => tools.get(`${ask.messageId}/${ask.callId}`),
  })
  return {
    client,
    server,
    sessionId,
    recording,
    inbox,
    answering,
    limits,
    signal,
    host,
    keep({ payload, at }) {
      const part = readPart((payload as { readonly properties?: { readonly part?: unknown } }).properties?.part)
      if (part?.tool !== undefined) tools.set(`${part.messageID}/${part.callID}`, part.tool)
      return recorder?.event(payload, at)
    },
    catchUp: () => readFamily(client, recording),
  }
}

async function* takeTurns(
  talk: Talk,
  { plan, choice, asksApproval, signal, host }: Conversation,
): AsyncGenerator<EmittedEvent> {
  let known: ReadonlySet<string> = new Set()
  let lastText = ''
  for (const [index, { text, delayMs = 0, onlyWhenAsked = false }] of plan.turns.entries()) {
    if (index > 0 && onlyWhenAsked && !asksApproval(lastText)) continue
    if (index > 0 && delayMs > 0) await host.sleep(delayMs, signal)
    const prompt = { sessionId: talk.sessionId, text, ...choice }
    const turn = takeTurn(prompt, known, talk)
    for (let next = await turn.next(); ; next = await turn.next()) {
      if (next.done === true) {
        known = next.value
        break
      }
      yield next.value
    }
    await readFamily(talk.client, talk.recording)
    for (const event of talk.recording.take('everything')) yield event
    lastText = talk.recording.lastText(talk.sessionId)
  }
}

/** Messages as the server lists them: events may have been missed, and some come only after the end. */
async function readFamily(client: Client, recording: Recording): Promise<void> {
  for (const { id } of recording.sessions()) {
    for (const message of await client.messages(id)) recording.message(message)
  }
}

/** Every session of the folder is ours. The call comes back when commands and subagents have ended too. */
async function stopWork(client: Client): Promise<void> {
  const busy = await client.status().catch(() => ({}))
  await Promise.all(Object.keys(busy).map(async (id) => client.abort(id).catch(() => undefined)))
}

async function leave(
  client: Client,
  { recording, recorder }: { recording: Recording; recorder: SessionRecorder | undefined },
): Promise<void> {
  await stopWork(client)
  const sessions = recording.sessions()
  for (const { id } of recorder ? sessions : []) {
    const [info, messages] = await Promise.all([client.session(id), client.messages(id)]).catch(() => [undefined, []])
    if (info !== undefined) await recorder?.session(info, messages ?? [])
  }
  // Subagents' first: the parent takes them with it, and would leave nothing to be removed.
  for (const { id } of [...sessions].reverse()) await client.remove(id).catch(() => undefined)
  await client.leave().catch(() => undefined)
}
