import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts'
import { PARTS_FOLDER, partFiles } from './layout.ts'
import { parseObject, readSmallFile } from './read-file.ts'

/** The parts of a session's messages that lie in files of their own. */
export interface StoredParts {
  /** The part with what its files say; `missing` is told what there should be and is not. */
  complete(part: Json, missing: (what: string) => void): Json
  /** Parts whose file names this message, for messages that do not list them. */
  ofMessage(messageId: string): readonly Json[]
}

export function openParts(folder: string): StoredParts {
  const path = join(folder, PARTS_FOLDER)
  let byMessage: ReadonlyMap<string, readonly string[]> | undefined
  const read = (name: string, missing: (what: string) => void): string | undefined => {
    const file = readSmallFile(join(path, name))
    if (file.kind === 'unreadable') missing(`${PARTS_FOLDER}/${name} ${file.why}`)
    return file.kind === 'text' ? file.text : undefined
  }
  const readJson = (name: string, missing: (what: string) => void): JsonObject | undefined => {
    const text = read(name, missing)
    const parsed = text === undefined ? undefined : parseObject(text)
    if (parsed && 'fault' in parsed) missing(`${PARTS_FOLDER}/${name} ${parsed.fault}`)
    return parsed && 'value' in parsed ? parsed.value : undefined
  }
  return {
    complete(given, missing) {
      const part = partOf(given)
      const { id } = part
      if (typeof id !== 'string' || isWhole(part)) return given
      const files = partFiles(id)
      if (!files) {
        missing(`the part ${JSON.stringify(id.slice(0, 80))} has no name that a file could have`)
        return given
      }
      const json = readJson(files.json, missing)
      const found: JsonObject = { ...part, ...json, id }
      if (json && !isText(found)) return found
      const text = typeof found['text'] === 'string' ? undefined : read(files.text, missing)
      if (text !== undefined) return { type: 'text', ...found, text }
      if (!json) missing(`the part ${id} is missing`)
      return found
    },
    ofMessage(messageId) {
      byMessage ??= partsByMessage(path)
      return byMessage.get(messageId) ?? []
    },
  }
}

/** It says what parts of its type say. */
function isWhole(part: JsonObject): boolean {
  const { type } = part
  const member = typeof type === 'string' ? TELLING.get(type) : undefined
  return type === 'step-start' || type === 'step-finish' || (member !== undefined && part[member] !== undefined)
}

/** By type, the member without which a part says nothing. */
const TELLING: ReadonlyMap<string, string> = new Map([
  ['text', 'text'],
  ['reasoning', 'text'],
  ['tool', 'state'],
  ['patch', 'files'],
])

function partOf(given: Json): JsonObject {
  if (typeof given === 'string') return { id: given }
  return isJsonObject(given) ? given : {}
}

/** Its text may lie beside what else is known of it. */
function isText({ type }: JsonObject): boolean {
  return type === undefined || type === 'text' || type === 'reasoning'
}

/** Ids only: what the parts say is read again with their message. Ids ascend in time. */
function partsByMessage(path: string): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const name of namesIn(path)) {
    if (!name.endsWith('.json')) continue
    const file = readSmallFile(join(path, name))
    const parsed = file.kind === 'text' ? parseObject(file.text) : undefined
    if (!parsed || !('value' in parsed)) continue
    const { messageID, messageId = messageID } = parsed.value
    if (typeof messageId !== 'string') continue
    const ids = found.get(messageId) ?? []
    if (ids.length === 0) found.set(messageId, ids)
    ids.push(name.slice(0, -'.json'.length))
  }
  return found
}

function namesIn(path: string): string[] {
  try {
    return readdirSync(path).sort()
  } catch {
    return []
  }
}
