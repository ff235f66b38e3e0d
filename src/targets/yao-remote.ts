import { z } from 'zod'
import { type Problem, problemsError } from '../core/errors.ts'
import type { Host } from '../core/host.ts'
import { quote } from '../core/kind.ts'
import type { EmittedEvent } from '../core/trace.ts'
import { eventsOf } from './chat/chat-model.ts'
import { checkBaseURL, checkHeaderValue } from './chat/endpoint.ts'
import { resolveSetting } from './chat/env-setting.ts'
import { defineTarget, type TargetContext } from './target.ts'
import { locateAssistant } from './yao/locate.ts'
import { caseProblems, connectorProblems, unusedOptions, WHO_ASKS } from './yao-remote/check-case.ts'
import { chatIds, remoteRequest } from './yao-remote/request.ts'
import { openServer } from './yao-remote/server.ts'

/** Holds an access token or an API key of the server; never a setting, because suites and workflows are public. */
const TOKEN = 'YAO_TOKEN'
/** Where Yao's API lies unless its openapi.yao says otherwise, and the path of one assistant's completions. */
const DEFAULT_BASE = '/v1'
const DEFAULT_PATH = '/experts/{agent}/chat/completions'

const schema = z.object({
  url: z.string('expected a URL').describe(`Base URL of the API of a Yao server; ${DEFAULT_BASE} where it has no path`),
  agent: z.string('expected the id of an assistant').optional().describe('Id of the assistant; default: that of -n'),
  path: z
    .string('expected a path')
    .optional()
    .describe(`Path below the URL; {agent} is the id. Older servers want /chat/completions`),
})
type Settings = z.infer<typeof schema>

/** An assistant of a running Yao server, asked over its chat completions. */
export const yaoRemote = defineTarget({
  type: 'yao-remote',
  schema,
  takesName: ({ agent }) => agent === undefined,
  // `yao-remote://host` splits at its first colon, too.
  fromValue: (value) => ({ url: value.startsWith('//') ? `http:${value}` : value }),
  async create(settings, context) {
    const { host, connector, context: file } = context
    const problems: Problem[] = []
    const base = baseOf(settings, problems)
    const agent = agentOf(settings, context, problems)
    const path = pathOf(settings, problems)
    const token = tokenOf(host, problems)
    for (const [field, value] of [
      ['--ctx: chat_id', file?.chat_id],
      ['--ctx: locale', file?.locale],
    ] as const) {
      const checked = value === undefined ? undefined : checkHeaderValue(value)
      if (checked && 'problem' in checked) problems.push({ field, ...checked.problem })
    }
    if (connector !== undefined) problems.push(...connectorProblems(connector, '--connector'))
    if (problems.length > 0) throw problemsError('INVALID_TARGET', problems)
    warnOfPlainText(base, host)
    warnOfIdentity(context)
    const server = openServer(
      { url: `${base}${path.replaceAll('{agent}', encodeURIComponent(agent))}`, token, tokenSetting: TOKEN },
      host,
    )
    const chatIdOf = chatIds()
    const named = path.includes('{agent}') ? undefined : agent
    return {
      label: `yao-remote:${agent}@${base.replace(/^https?:\/\//, '')}${connector === undefined ? '' : `#${connector}`}`,
      check: caseProblems,
      unusedOptions,
      async *execute(request) {
        const { signal, options } = request
        const call = { model: options.connector ?? agent, signal }
        const outcome = await server.send(remoteRequest(request, chatIdOf(request), named), call)
        for (const event of eventsOf(outcome, call)) yield { ...event, agent } satisfies EmittedEvent
      },
      dispose: async () => server.close(),
    }
  },
  inCheckout: 'the target is an address, the same on every commit: name the one of the base with control-target',
})

function baseOf({ url }: Settings, problems: Problem[]): string {
  const checked = checkBaseURL(url)
  if ('problem' in checked) {
    problems.push({ field: 'target.url', ...checked.problem })
    return url
  }
  return new URL(checked.value).pathname === '/' ? `${checked.value}${DEFAULT_BASE}` : checked.value
}

/** The setting, then `-n`, then the assistant whose folder the suite lies in. */
function agentOf({ agent }: Settings, { name, agentFolder, host }: TargetContext, problems: Problem[]): string {
  const field = agent === undefined ? '--name' : 'target.agent'
  const id =
    agent ?? name ?? (agentFolder === undefined ? undefined : locateAssistant({ folder: agentFolder }, host).id)
  if (id === undefined) {
    problems.push({
      field: 'target.agent',
      message: 'the id of the assistant is not known: there is no package.yao above the suite',
      hint: 'name it with -n, such as -n workers.system.keyword',
    })
    return ''
  }
  const checked = checkHeaderValue(id)
  if ('problem' in checked) problems.push({ field, ...checked.problem })
  else if (!/^[^./\\\s]+(?:\.[^./\\\s]+)*$/.test(id)) {
    problems.push({
      field,
      message: `expected the id of an assistant, such as workers.system.keyword, got ${quote(id)}`,
    })
  }
  return id
}

function pathOf({ path = DEFAULT_PATH }: Settings, problems: Problem[]): string {
  const isPath = /^\/[^\s?#\\]*$/.test(path) && !path.split('/').some((part) => part === '..' || part === '.')
  if (isPath) return path
  problems.push({
    field: 'target.path',
    message: `expected a path that starts with / and has no ? and #, got ${quote(path)}`,
    hint: `the default is ${DEFAULT_PATH}`,
  })
  return DEFAULT_PATH
}

function tokenOf(host: Host, problems: Problem[]): string {
  const resolved = resolveSetting(`$ENV.${TOKEN}`, { field: 'target' }, host)
  if (resolved.kind === 'problem') {
    problems.push(resolved.problem)
    return ''
  }
  host.secrets.add(resolved.value)
  const checked = checkHeaderValue(resolved.value)
  if ('problem' in checked) problems.push({ field: TOKEN, ...checked.problem })
  return resolved.value
}

function warnOfPlainText(base: string, { log }: Host): void {
  const { protocol, hostname, host } = new URL(base)
  const isLocal = /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname)
  if (protocol === 'http:' && !isLocal)
    log.warn(`target.url: the token goes to ${host} unencrypted; https keeps it secret`)
}

/** Source: spec yao 12: who asks is said by the token. */
function warnOfIdentity({ user, team, context: file, host }: TargetContext): void {
  const unused = [
    ...(user === undefined ? [] : ['--user']),
    ...(team === undefined ? [] : ['--team']),
    ...(['authorized', 'client', 'referer'] as const).flatMap((key) =>
      file?.[key] === undefined ? [] : [`--ctx: ${key}`],
    ),
  ]
  if (unused.length > 0) host.log.warn(`${unused.join(', ')}: not used; ${WHO_ASKS} ${TOKEN}`)
}
