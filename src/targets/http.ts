import { relative, resolve } from 'node:path'
import { z } from 'zod'
import { collectProblems, type Problem, problemsError } from '../core/errors.ts'
import type { Host } from '../core/host.ts'
import { openCassette } from './chat/cassette.ts'
import { ask, type ChatModel } from './chat/chat-model.ts'
import { checkBaseURL, checkHeaderValue, isHeaderName } from './chat/endpoint.ts'
import { resolveSetting } from './chat/env-setting.ts'
import { toChatMessages } from './chat/messages.ts'
import { openProvider, type ProviderSettings } from './chat/openai.ts'
import { openRecorder } from './chat/record.ts'
import { defineTarget, type Target, type TargetContext } from './target.ts'

/** What servers with a single model get; they do not look at it. */
const ANY_MODEL = 'default'

const schema = z.object({
  url: z.string('expected a URL').optional().describe('Base URL of an OpenAI-compatible API, up to and with /v1'),
  cassette: z.string('expected a path').optional().describe('Recorded answers in place of a provider'),
  model: z.string('expected the name of a model').min(1, 'expected the name of a model').optional(),
  key: z.string('expected a key or "$ENV.NAME"').optional().describe('API key, best as $ENV.NAME'),
  headers: z
    .record(z.string(), z.string('expected a text'))
    .optional()
    .describe('Further headers; a value may be $ENV.NAME'),
})
type Settings = z.infer<typeof schema>

/** Any OpenAI-compatible chat endpoint, or recorded answers of one. */
export const http = defineTarget({
  type: 'http',
  schema,
  asksModel: true,
  // `--target http://host/v1` splits at its first colon.
  fromValue: (value) => ({ url: value.startsWith('//') ? `http:${value}` : value }),
  async create(settings, context) {
    const { host, record } = context
    const { cassette } = settings
    const problems: Problem[] = sourceProblems(settings, context)
    const provider = cassette === undefined ? readProvider(settings, host, problems) : undefined
    const tape = cassette === undefined ? undefined : await collectProblems(problems, () => openTape(cassette, host))
    const recorder =
      record === undefined ? undefined : await collectProblems(problems, () => openRecorder(record, host))
    if (problems.length > 0) throw problemsError('INVALID_TARGET', problems)
    const model = context.connector ?? settings.model ?? ANY_MODEL
    const reads = cassette === undefined ? [] : [resolve(host.cwd, cassette)]
    if (tape) return { ...targetOf(tape, `http:${cassette}#${model}`, model), reads, isRecorded: true }
    if (!provider) throw new Error('a target without a source was not refused')
    const label = `http:${provider.baseURL.replace(/^https?:\/\//, '')}#${model}`
    const chat = await openProvider(provider, host)
    return targetOf(recorder ? recorder.wrap(chat) : chat, label, model)
  },
  inCheckout: 'the target is an address, the same on every commit: name the one of the base with control-target',
})

function targetOf(chat: ChatModel, label: string, model: string): Target {
  return {
    label,
    check: (item) => toChatMessages(item).problems,
    unusedOptions({ options: { mode, search, disable_global_prompts: bare, metadata } }) {
      const asked = {
        mode,
        search: search === true || undefined,
        disable_global_prompts: bare === true || undefined,
        metadata,
      }
      const fields = Object.entries(asked).flatMap(([name, value]) => (value === undefined ? [] : [`options.${name}`]))
      return fields.map((field) => ({ field, fate: 'a chat endpoint knows nothing of it' }))
    },
    requestedModel: (_item, options) => options.connector ?? model,
    execute({ case: item, run, options, signal }) {
      const { messages } = toChatMessages(item)
      const origin = { id: item.id, ...item.location, run }
      const asked = options.connector ?? model
      return ask(chat, { model: asked, messages, keyMessages: messages, parameters: {}, origin, signal })
    },
    dispose: async () => chat.dispose?.(),
  }
}

function sourceProblems({ url, cassette, key, headers }: Settings, { record }: TargetContext): Problem[] {
  const problems: Problem[] = []
  if ((url === undefined) === (cassette === undefined)) {
    problems.push({
      field: 'target',
      message: 'expected either "url" or "cassette"',
      hint: 'for example http:https://api.openai.com/v1',
    })
  }
  if (cassette !== undefined && (key !== undefined || headers !== undefined)) {
    problems.push({ field: 'target.cassette', message: '"key" and "headers" mean nothing to a cassette' })
  }
  if (cassette !== undefined && record !== undefined) {
    problems.push({ field: '--record', message: 'a cassette cannot be recorded from a cassette', hint: 'name a "url"' })
  }
  return problems
}

function readProvider({ url = '', key, headers = {} }: Settings, host: Host, problems: Problem[]): ProviderSettings {
  const base = checkBaseURL(url)
  if ('problem' in base && url !== '') problems.push({ field: 'target.url', ...base.problem })
  if ('value' in base && new URL(base.value).pathname === '/') {
    host.log.warn(`target.url: ${base.value} has no path; most servers want /v1 at its end`)
  }
  const resolvedKey = key === undefined ? undefined : secretSetting(key, 'target.key', host, problems)
  if (key !== undefined && resolvedKey === key) {
    host.log.warn('target.key: the key stands in the settings as it is; "$ENV.NAME" keeps it out of files and logs')
  }
  const sent = Object.entries(headers).map(([name, value]) => {
    const field = `target.headers.${name}`
    if (!isHeaderName(name)) problems.push({ field, message: 'not a header name' })
    return [name, secretSetting(value, field, host, problems)]
  })
  return {
    baseURL: 'value' in base ? base.value : url,
    ...(resolvedKey === undefined ? {} : { key: resolvedKey }),
    headers: Object.fromEntries(sent) as Record<string, string>,
    keySetting: key === undefined ? '"key" of the http target: none is set' : `"key" of the http target${nameOf(key)}`,
  }
}

/** Values from the environment are taken for secrets; so is a key. */
function secretSetting(written: string, field: string, host: Host, problems: Problem[]): string {
  const resolved = resolveSetting(written, { field }, host)
  if (resolved.kind === 'problem') {
    problems.push(resolved.problem)
    return ''
  }
  if (resolved.variable !== undefined || field === 'target.key') host.secrets.add(resolved.value)
  const checked = checkHeaderValue(resolved.value)
  if ('problem' in checked) problems.push({ field, ...checked.problem })
  return resolved.value
}

function nameOf(written: string): string {
  return written.startsWith('$ENV.') ? ` (${written})` : ''
}

function openTape(cassette: string, host: Host): ChatModel {
  const file = resolve(host.cwd, cassette)
  const shown = relative(host.cwd, file).replaceAll('\\', '/') || '.'
  return openCassette({ file, shown, recordWith: '--target http:URL' }, host)
}
