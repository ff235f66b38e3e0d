import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Problem } from '../../core/errors.ts'
import type { Host } from '../../core/host.ts'
import { isJsonObject } from '../../core/json.ts'
import { didYouMean, quote } from '../../core/kind.ts'
import { resolveSetting } from '../chat/env-setting.ts'
import { type Locales, loadLocales, localise } from './locales.ts'
import { type Located, shownPath } from './locate.ts'
import { parseServers, type ServerChoice } from './mcp/selection.ts'
import { type PackageFile, packageSchema } from './package-file.ts'
import { ASSISTANT_PARAMETERS } from './parameters.ts'
import { loadPresets, loadPrompts, type Prompt } from './prompts.ts'
import { type JsoncFile, readJsonc, readYaml } from './read-files.ts'

/** An assistant as its files define it. */
export interface Assistant extends Located {
  readonly package: PackageFile
  readonly locales: Locales
  readonly globalPrompts: readonly Prompt[]
  readonly prompts: readonly Prompt[]
  readonly presets: ReadonlyMap<string, readonly Prompt[]>
  /** The connector it asks for, or what is wrong with that. */
  readonly connector: { readonly id: string; readonly place: Place } | { readonly problem: Problem }
  /** File and line of its package.yao. */
  readonly place: Place
  /** Path of the script with its hooks, as messages name it; absent where there is none. */
  readonly hooks?: string
  /** MCP servers of package.yao. */
  readonly servers: readonly ServerChoice[]
  /** Without hooks the model gets what its tools gave, at most so many times. Source: spec yao 11.5. */
  readonly toolLoop: boolean
  readonly maxTurns: number
  readonly hasSandbox: boolean
}

interface Place {
  readonly file: string
  readonly line: number
}

const DEFAULT_MAX_TURNS = 5

/** Reads everything of an assistant but its code; problems are collected. */
export function loadAssistant(located: Located, host: Host, problems: Problem[]): Assistant | undefined {
  const path = join(located.folder, 'package.yao')
  const file = readJsonc({ path, shown: shownPath(path, host) }, packageSchema, problems)
  const { folder, root } = located
  const scope = { folder, root, host, problems }
  const written = loadPrompts(join(folder, 'prompts.yml'), scope)
  const presets = loadPresets(scope)
  const globalPrompts = loadPrompts(join(root, 'agent', 'prompts.yml'), { ...scope, folder: join(root, 'agent') })
  const locales = loadLocales(folder, host, problems)
  if (!file) return undefined
  const { value, placeOf } = file
  const inline = (list: PackageFile['prompts'], at: readonly (string | number)[]): Prompt[] =>
    (list ?? []).map(({ role, content, name }, index) => ({
      role,
      content,
      ...(name === undefined ? {} : { name }),
      ...placeOf([...at, index]),
    }))
  const inlinePresets = Object.entries(value.prompt_presets ?? {}).map(([key, list]): [string, Prompt[]] => [
    key,
    inline(list, ['prompt_presets', key]),
  ])
  warnOfUnknownOptions(file, host)
  const hooks = ['index.ts', 'index.js'].map((name) => join(folder, 'src', name)).find((path) => existsSync(path))
  const servers = parseServers(value.mcp?.servers ?? [], 'mcp.servers')
  if ('problem' in servers) problems.push({ ...placeOf(['mcp', 'servers']), message: servers.problem })
  const { tool_loop: toolLoop, max_turn: maxTurns } = value.mcp?.options ?? {}
  return {
    ...located,
    package: value,
    locales,
    globalPrompts,
    prompts: written.length > 0 ? written : inline(value.prompts, ['prompts']),
    presets: new Map([...inlinePresets, ...presets]),
    connector: connectorOf(file, located, host),
    place: placeOf([]),
    ...(hooks === undefined ? {} : { hooks: shownPath(hooks, host) }),
    servers: 'choices' in servers ? servers.choices : [],
    toolLoop: toolLoop !== false,
    maxTurns: maxTurns ?? DEFAULT_MAX_TURNS,
    hasSandbox: isJsonObject(value.sandbox) || existsSync(join(folder, 'sandbox.yao')),
  }
}

/** How prompts name an assistant in a locale. */
export function describeAssistant({ id, package: settings, locales }: Assistant, locale: string) {
  const { name, description = '', type = 'assistant' } = settings
  return {
    id,
    type,
    name: localise(name, locales, locale),
    description: localise(description, locales, locale),
  }
}

/** Source: spec yao 11.2; the application's default stands in for a missing one. */
function connectorOf(
  { value, placeOf }: JsoncFile<PackageFile>,
  { root }: Located,
  host: Host,
): Assistant['connector'] {
  const place = { ...placeOf(['connector']), field: 'connector' }
  const hint = 'name one with -c'
  const written = value.connector ?? ''
  if (written.startsWith('use::')) {
    return { problem: { ...place, message: `${quote(written)} is resolved by the settings of a Yao server`, hint } }
  }
  if (written === '') {
    const id = applicationDefault(root, host)
    return id === undefined
      ? { problem: { ...place, message: 'the assistant names no connector', hint } }
      : { id, place: placeOf(['connector']) }
  }
  const resolved = resolveSetting(written, place, host)
  return resolved.kind === 'value'
    ? { id: resolved.value, place: placeOf(['connector']) }
    : { problem: resolved.problem }
}

function applicationDefault(root: string, host: Host): string | undefined {
  const path = join(root, 'agent', 'agent.yml')
  if (!existsSync(path)) return undefined
  // A broken file is no default; that there is none is said where it is missed.
  const settings = readYaml({ path, shown: shownPath(path, host) }, [])
  const system = isJsonObject(settings) ? settings['system'] : undefined
  const id = isJsonObject(system) ? system['default'] : undefined
  return typeof id === 'string' && id !== '' ? id : undefined
}

function warnOfUnknownOptions({ value, placeOf }: JsoncFile<PackageFile>, host: Host): void {
  const known: readonly string[] = ASSISTANT_PARAMETERS
  for (const name of Object.keys(value.options ?? {}).filter((key) => !known.includes(key))) {
    const { file, line } = placeOf(['options', name])
    const hint = didYouMean(name, known)
    host.log.warn(`${file}:${line}: options.${name} is not sent to the model${hint === undefined ? '' : ` (${hint})`}`)
  }
}
