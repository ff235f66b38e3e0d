import { dirname, resolve } from 'node:path'
import { z } from 'zod'
import type { Problem } from '../../core/errors.ts'
import type { Host } from '../../core/host.ts'
import type { JsonObject } from '../../core/json.ts'
import { issuesToProblems, quote } from '../../core/kind.ts'
import { type Checked, checkBaseURL, checkHeaderValue } from '../chat/endpoint.ts'
import { resolveSetting } from '../chat/env-setting.ts'
import { AUTH_MODES, type ProviderSettings } from '../chat/openai.ts'
import { shownPath } from './locate.ts'
import type { ConnectorDefaults } from './parameters.ts'
import { type JsoncFile, readJsonc } from './read-files.ts'

/** A connector that can answer. */
export interface Connector extends ConnectorDefaults {
  readonly id: string
  readonly model: string
  readonly source:
    | { readonly kind: 'provider'; readonly settings: ProviderSettings }
    | { readonly kind: 'cassette'; readonly file: string; readonly shown: string }
}

export type FoundConnector = { readonly connector: Connector } | { readonly problems: readonly Problem[] }

const limits = z.object({
  min: z.number().optional(),
  max: z.number().optional(),
  allowed_values: z.array(z.unknown()).optional(),
})
const connectorSchema = z.looseObject({
  type: z.string('expected the type of the connector'),
  auth_mode: z.enum(AUTH_MODES, `expected one of ${AUTH_MODES.join(', ')}`).optional(),
  supported_params: z.record(z.string(), limits.nullable()).optional(),
  options: z.looseObject({}, 'expected an object').optional(),
})

const text = z.string('expected a text').optional()
const openaiOptions = z.looseObject({
  host: text,
  proxy: text,
  key: text,
  model: z.string('expected the name of the model').min(1, 'expected the name of the model'),
  capabilities: z.looseObject({}, 'expected an object').optional(),
  thinking: z.unknown().optional(),
  temperature: z.number('expected a number').optional(),
  max_tokens: z.number('expected a number').optional(),
  extra_body: z.looseObject({}, 'expected an object').optional(),
})
const cassetteOptions = z.looseObject({
  file: z.string('expected the path of the cassette').min(1, 'expected the path of the cassette'),
  model: z.string('expected the name of the recorded model').min(1, 'expected the name of the recorded model'),
})

type ConnectorFile = JsoncFile<z.infer<typeof connectorSchema>>

const DEFAULT_HOST = 'https://api.openai.com'

interface ReadScope {
  /** Absolute path of the connector's file. */
  readonly path: string
  readonly host: Host
}

/** Source: spec yao 11.4. */
export function readConnector(id: string, scope: ReadScope): FoundConnector {
  const problems: Problem[] = []
  const file = readJsonc({ path: scope.path, shown: shownPath(scope.path, scope.host) }, connectorSchema, problems)
  const connector = file && connectorOf(id, file, { ...scope, problems })
  return connector && problems.length === 0 ? { connector } : { problems }
}

interface ParseScope extends ReadScope {
  readonly problems: Problem[]
}

function connectorOf(id: string, file: ConnectorFile, scope: ParseScope): Connector | undefined {
  switch (file.value.type) {
    case 'openai':
      return openaiConnector(id, file, scope)
    case 'cassette':
      return cassetteConnector(id, file, scope)
    default:
      scope.problems.push({
        ...file.placeOf(['type']),
        field: 'type',
        message: `connector ${quote(id)} has type ${quote(file.value.type)}, and only "openai" and "cassette" can be run`,
        hint: 'choose another one with -c',
      })
      return undefined
  }
}

function cassetteConnector(
  id: string,
  file: ConnectorFile,
  { path, host, problems }: ParseScope,
): Connector | undefined {
  const options = parseOptions(file, cassetteOptions, problems)
  if (!options) return undefined
  const tape = resolve(dirname(path), options.file)
  const source = { kind: 'cassette', file: tape, shown: shownPath(tape, host) } as const
  return { id, model: options.model, source, parameters: {} }
}

function openaiConnector(id: string, file: ConnectorFile, scope: ParseScope): Connector | undefined {
  const options = parseOptions(file, openaiOptions, scope.problems)
  if (!options) return undefined
  // `proxy` is the old name of `host`.
  const hostName = options.host === undefined && options.proxy !== undefined ? 'proxy' : 'host'
  const written = options[hostName] ?? DEFAULT_HOST
  const resolve = settingsReader(file, scope)
  const hostURL = resolve(hostName, written, (value) => checkBaseURL(baseURLOf(value)))
  const model = resolve('model', options.model)
  const key = options.key === undefined ? undefined : resolve('key', options.key, checkHeaderValue)
  scope.host.secrets.add(key)
  const { auth_mode: authMode, supported_params: supported } = file.value
  const { thinking, temperature, max_tokens, extra_body, capabilities } = options
  const settings: ProviderSettings = {
    baseURL: hostURL,
    ...(key === undefined ? {} : { key }),
    ...(authMode === undefined ? {} : { authMode }),
    keySetting: keySettingOf(file, options.key),
  }
  return {
    id,
    model,
    source: { kind: 'provider', settings },
    parameters: { ...extra_body, ...given({ thinking, temperature, max_tokens }) } as JsonObject,
    supported,
    capabilities: capabilities as JsonObject | undefined,
  }
}

/** Resolves a setting and checks it; what is wrong becomes a problem at its line, and the value empty. */
function settingsReader({ placeOf }: ConnectorFile, { host, problems }: ParseScope) {
  return (
    name: string,
    written: string,
    check: (value: string) => Checked<string> = (value) => ({ value }),
  ): string => {
    const place = { ...placeOf(['options', name]), field: `options.${name}` }
    const resolved = resolveSetting(written, place, host)
    if (resolved.kind === 'problem') {
      problems.push(resolved.problem)
      return ''
    }
    const checked = check(resolved.value)
    if ('value' in checked) return checked.value
    problems.push({ ...place, ...checked.problem })
    return ''
  }
}

/** Yao adds `/v1` to a host without a slash at its end; hosts that already end in a version are meant as they are. */
function baseURLOf(host: string): string {
  if (host.endsWith('/')) return host.slice(0, -1)
  return /\/v\d[^/]*$/.test(host) ? host : `${host}/v1`
}

function parseOptions<S extends z.ZodType>(
  file: ConnectorFile,
  schema: S,
  problems: Problem[],
): z.infer<S> | undefined {
  const parsed = schema.safeParse(file.value.options ?? {})
  if (parsed.success) return parsed.data
  const details = issuesToProblems(parsed.error, 'options')
  problems.push(
    ...parsed.error.issues.map((issue, index) => ({
      ...file.placeOf(['options', ...(issue.path as string[])]),
      field: details[index]?.field ?? 'options',
      message: details[index]?.message ?? 'wrong shape',
    })),
  )
  return undefined
}

function keySettingOf({ placeOf }: ConnectorFile, written: string | undefined): string {
  const { file, line } = placeOf(['options', 'key'])
  if (written === undefined) return `options.key of ${file}: none is set`
  return `options.key of ${file}:${line}${written.startsWith('$ENV.') ? ` (${written})` : ''}`
}

function given(members: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
}
