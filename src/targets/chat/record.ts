import {
  accessSync,
  appendFileSync,
  constants,
  existsSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, relative } from 'node:path'
import { problemsError, UserError } from '../../core/errors.ts'
import type { Host } from '../../core/host.ts'
import type { Json } from '../../core/json.ts'
import { askedQuestion } from './cassette.ts'
import { type CassetteLine, cassetteKey, readCassette, redactJson } from './cassette-file.ts'
import type { CallOrigin, ChatAnswer, ChatCall, ChatModel } from './chat-model.ts'

/** Writes what a provider answers to a cassette. */
export interface Recorder {
  /**
   * The same model, recorded. Disposing of it puts the file in order; until then answers stand in the order they came,
   * and none is lost when we are killed.
   */
  wrap(model: ChatModel): ChatModel
}

interface Recorded {
  readonly raw: string
  readonly key: string
  readonly origin: CallOrigin
}

/**
 * Opens `--record`. Answers of an existing cassette stay, except to questions that are asked again. Throws a UserError
 * when the file cannot be written or is something else. All writing is synchronous, so that several targets may record
 * into one file.
 */
export function openRecorder(file: string, host: Host): Recorder {
  const shown = relative(host.cwd, file).replaceAll('\\', '/') || file
  assertWritable(file, shown)
  const before = new Set(existsSync(file) ? readCassette(file, shown).map(({ raw }) => raw) : [])
  const recorded: Recorded[] = []
  const record = (call: ChatCall, answer: ChatAnswer) => {
    const question = askedQuestion(call, host)
    const line = { schemaVersion: 1, ...question, run: call.origin.run, answer: toAnswer(answer) }
    const raw = JSON.stringify(redactJson(line as unknown as Json, host.secrets))
    if (recorded.length === 0) endLastLine(file, shown)
    guard(shown, () => appendFileSync(file, `${raw}\n`))
    recorded.push({ raw, key: cassetteKey(question), origin: call.origin })
  }
  return {
    wrap: (model) => ({
      async complete(call) {
        const outcome = await model.complete(call)
        if (outcome.kind === 'answered') record(call, outcome.answer)
        return outcome
      },
      async dispose() {
        const unordered = recorded.splice(0)
        if (unordered.length > 0) guard(shown, () => putInOrder(file, shown, unordered, before))
        await model.dispose?.()
      },
    }),
  }
}

function assertWritable(file: string, shown: string): void {
  const folder = statSync(dirname(file), { throwIfNoEntry: false })
  const existing = statSync(file, { throwIfNoEntry: false })
  const refuse = (message: string) => problemsError('INVALID_OPTIONS', [{ field: '--record', message }])
  if (!folder?.isDirectory()) throw refuse(`the folder of ${shown} does not exist`)
  if (existing && !existing.isFile()) throw refuse(`${shown} is not a file`)
  // Put in order beside the old one, so that the folder must be writable, too.
  if (!isWritable(dirname(file))) throw refuse(`the folder of ${shown} is not writable`)
  if (existing && !isWritable(file)) throw refuse(`${shown} is not writable`)
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}

function guard(shown: string, write: () => void): void {
  try {
    write()
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : String(cause)
    throw new UserError(`--record: cannot write ${shown}: ${detail}`, { code: 'OUTPUT_NOT_WRITABLE', cause })
  }
}

/** An edited cassette may lack the newline at its end. */
function endLastLine(file: string, shown: string): void {
  if (!existsSync(file)) return
  const bytes = readFileSync(file)
  if (bytes.length > 0 && bytes.at(-1) !== 0x0a) guard(shown, () => appendFileSync(file, '\n'))
}

function toAnswer({ text, toolCalls, refusal, reasoning, finishReason, usage }: ChatAnswer): CassetteLine['answer'] {
  return {
    text,
    ...(toolCalls.length === 0 ? {} : { tool_calls: [...toolCalls] }),
    ...(refusal === undefined ? {} : { refusal }),
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(finishReason === undefined ? {} : { finish_reason: finishReason }),
    ...(usage === undefined ? {} : { usage }),
  }
}

/** Sorted by case and run, new answers in the place of the old ones: two recordings differ where answers do. */
function putInOrder(file: string, shown: string, recorded: readonly Recorded[], before: ReadonlySet<string>): void {
  const groups = new Map<string, string[]>()
  for (const { key, raw } of recorded.toSorted(byCaseAndRun)) groups.set(key, [...(groups.get(key) ?? []), raw])
  const own = new Set(recorded.map(({ raw }) => raw))
  const lines: string[] = []
  const place = (key: string) => {
    lines.push(...(groups.get(key) ?? []))
    groups.delete(key)
  }
  const isAskedAgain = new Set(groups.keys())
  for (const { raw, key } of existsSync(file) ? readCassette(file, shown) : []) {
    if (!isAskedAgain.has(key) || !(before.has(raw) || own.has(raw))) lines.push(raw)
    else if (before.has(raw)) place(key)
  }
  for (const key of groups.keys()) place(key)
  const draft = `${file}.tmp`
  writeFileSync(draft, `${lines.join('\n')}\n`)
  renameSync(draft, file)
}

function byCaseAndRun({ origin: left }: Recorded, { origin: right }: Recorded): number {
  return (
    compareText(left.file, right.file) ||
    left.line - right.line ||
    compareText(left.id, right.id) ||
    left.run - right.run
  )
}

function compareText(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0
}
