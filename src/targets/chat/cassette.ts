import { TargetError } from '../../core/errors.ts'
import type { Host } from '../../core/host.ts'
import { sortedJson } from '../../core/json.ts'
import { quote } from '../../core/kind.ts'
import { MESSAGE_SUITE } from '../../core/suite.ts'
import { type CassetteLine, cassetteKey, type Question, questionOf, readCassette, redactJson } from './cassette-file.ts'
import { aborted, type ChatCall, type ChatMessage, type ChatModel } from './chat-model.ts'

export interface CassetteSettings {
  /** Absolute path. */
  readonly file: string
  /** Path as the user knows it. */
  readonly shown: string
  /** What records this cassette again, without the suite: `-c CONNECTOR`. */
  readonly recordWith: string
}

/**
 * Answers from recorded answers. Several answers to one question are dealt by the number of the run, so that the same
 * runs get the same answers whatever their timing. Throws a UserError for a file that is no cassette.
 */
export function openCassette({ file, shown, recordWith }: CassetteSettings, host: Host): ChatModel {
  const answers = new Map<string, CassetteLine[]>()
  for (const { key, line } of readCassette(file, shown)) {
    const same = answers.get(key)
    if (same) same.push(line)
    else answers.set(key, [line])
  }
  for (const lines of answers.values()) lines.sort((left, right) => left.run - right.run)
  return {
    async complete(call) {
      if (call.signal.aborted) return { kind: 'broken', partial: '', error: aborted() }
      const question = askedQuestion(call, host)
      const lines = answers.get(cassetteKey(question)) ?? []
      const dealt = lines[(call.origin.run - 1) % lines.length]
      if (dealt) return { kind: 'answered', answer: answerOf(dealt) }
      const recorded = [...answers.values()].flatMap((same) => same.slice(0, 1).map(questionOf))
      const { id, file: suite } = call.origin
      const input = suite === MESSAGE_SUITE ? '"…"' : quote(suite)
      const message =
        `${shown} has no answer for case ${quote(id)} with model ${quote(call.model)}: ${missReason(question, recorded)}; ` +
        `record it with: agent-test -i ${input} ${recordWith} --record ${quote(shown)}`
      return { kind: 'broken', partial: '', error: new TargetError(message, { code: 'CASSETTE_MISS' }) }
    },
  }
}

/** The question as a cassette knows it: volatile parts by their names, secrets replaced. */
export function askedQuestion({ model, keyMessages, parameters }: ChatCall, { secrets }: Host): Question {
  const tools = parameters['tools']
  const question = { model, messages: keyMessages, ...(tools === undefined ? {} : { tools }) }
  return redactJson(question, secrets) as unknown as Question
}

function answerOf({ model, answer }: CassetteLine) {
  return {
    text: answer.text,
    toolCalls: (answer.tool_calls ?? []).map(({ id, ...call }) => ({ ...call, ...(id === undefined ? {} : { id }) })),
    model,
    ...(answer.refusal === undefined ? {} : { refusal: answer.refusal }),
    ...(answer.reasoning === undefined ? {} : { reasoning: answer.reasoning }),
    ...(answer.finish_reason === undefined ? {} : { finishReason: answer.finish_reason }),
    ...(answer.usage === undefined ? {} : { usage: answer.usage }),
  }
}

/** What differs from the nearest recording that ends with the same message. */
function missReason(asked: Question, recorded: readonly Question[]): string {
  const last = textOf(asked.messages.slice(-1))
  const differences = recorded
    .filter(({ messages }) => textOf(messages.slice(-1)) === last)
    .map((question) => differencesOf(asked, question))
    .sort((left, right) => left.length - right.length)[0]
  return differences ? `since the recording ${differences.join(' and ')}` : 'this input was never recorded'
}

function differencesOf(asked: Question, recorded: Question): string[] {
  const differs = (part: (question: Question) => readonly ChatMessage[]) =>
    textOf(part(asked)) !== textOf(part(recorded))
  return [
    ...(asked.model === recorded.model ? [] : [`the model changed from ${quote(recorded.model)}`]),
    ...(differs(systemMessages) ? ['the system prompt changed'] : []),
    ...(differs(otherMessages) ? ['the earlier messages changed'] : []),
    ...(sortedJson(asked.tools ?? null) === sortedJson(recorded.tools ?? null) ? [] : ['the tools changed']),
  ]
}

function systemMessages({ messages }: Question): ChatMessage[] {
  return messages.filter(({ role }) => role === 'system' || role === 'developer')
}

function otherMessages({ messages }: Question): ChatMessage[] {
  return messages.filter(({ role }) => role !== 'system' && role !== 'developer')
}

function textOf(messages: readonly ChatMessage[]): string {
  return sortedJson(messages)
}
