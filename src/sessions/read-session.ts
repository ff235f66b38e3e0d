import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { byteLines } from '../lib/byte-lines.ts'
import { buildTimeline, type SessionSource, type SessionTimeline, type SourceMessage } from './build-timeline.ts'
import type { StoredSession } from './find-sessions.ts'
import { EVENTS_FILE, LONGEST_BYTES, MESSAGES_FILE } from './layout.ts'
import { readEvents } from './read-events.ts'
import { openLines, parseObject } from './read-file.ts'
import { openParts } from './read-parts.ts'

/** Reads a kept session with those of its subagents, its messages straight from disk. */
export async function readSession(root: StoredSession, warn: (message: string) => void): Promise<SessionTimeline> {
  const events = await readEvents(root.events ?? join(root.folder, EVENTS_FILE))
  return await buildTimeline(sourceOf(root), { events, warn })
}

function sourceOf({ id, folder, shown, info, notes, children }: StoredSession): SessionSource {
  const { directory } = info
  const path = join(folder, MESSAGES_FILE)
  return {
    id,
    ...(typeof directory === 'string' ? { directory } : {}),
    notes,
    children: children.map(sourceOf),
    parts: openParts(folder),
    bytes: async () => (await stat(path).catch(() => undefined))?.size ?? 0,
    messages: () => messagesIn(path, { id, shown: `${shown}/${MESSAGES_FILE}` }),
  }
}

interface Named {
  readonly id: string
  readonly shown: string
}

async function* messagesIn(path: string, { id, shown }: Named): AsyncGenerator<SourceMessage> {
  const file = await openLines(path)
  if (file === undefined) {
    yield { kind: 'missing', what: `the messages of the session ${id} are missing` }
    return
  }
  if ('why' in file) {
    yield { kind: 'missing', what: `${shown} ${file.why}` }
    return
  }
  try {
    for await (const { number, text, isTooLong } of byteLines(file, { longest: LONGEST_BYTES })) {
      if (text.trim() === '' && !isTooLong) continue
      const where = `${shown}:${number}`
      const parsed = isTooLong ? { fault: `has more than ${LONGEST_BYTES / 1024 ** 2} MiB` } : parseObject(text)
      if ('value' in parsed) yield { kind: 'message', where, value: parsed.value }
      else yield { kind: 'malformed', where, fault: `it ${parsed.fault}` }
    }
  } finally {
    await file.close()
  }
}
