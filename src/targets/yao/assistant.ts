import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Problem } from '../../core/errors.ts'
import type { Host } from '../../core/host.ts'
import { isJsonObject, type JsonObject } from '../../core/json.ts'
import { didYouMean, quote } from '../../core/kind.ts'
import { resolveSetting } from '../chat/env-setting.ts'
import { type Locales, loadLocales } from './locales.ts'
import { type Located, shownPath } from './locate.ts'
import { type PackageFile, packageSchema, serverIds } from './package-file.ts'
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
}

interface Place {
  readonly file: string
  readonly line: number
}

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
  return {
    ...located,
    package: value,
    locales,
    globalPrompts,
    prompts: written.length > 0 ? written : inline(value.prompts, ['prompts']),
    presets: new Map([...inlinePresets, ...presets]),
    connector: connectorOf(file, located, host),
    place: placeOf([]),
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

/** Everything the assistant would use on a Yao server and that is not run here. Source: spec yao 11.6. */
export function missingParts({ package: settings, folder }: Assistant): string[] {
  const { uses, search, kb, db, workflow, sandbox } = settings
  const hooks = ['src/index.ts', 'src/index.js'].find((path) => existsSync(join(folder, path)))
  const servers = serverIds(settings)
  const used = Object.entries((uses ?? {}) as JsonObject).flatMap(([key, value]) => (value === 'disabled' ? [] : [key]))
  return [
    ...(hooks !== undefined || settings.hooks ? [`hooks (${hooks ?? 'package.yao'})`] : []),
    ...(servers.length > 0 ? [`MCP servers (${servers.join(', ')})`] : []),
    ...(used.length > 0 ? [`uses (${used.join(', ')})`] : []),
    ...(isJsonObject(search) ? ['search'] : []),
    ...(kb ? ['kb'] : []),
    ...(db ? ['db'] : []),
    ...(workflow ? ['workflow'] : []),
    ...(isJsonObject(sandbox) || existsSync(join(folder, 'sandbox.yao')) ? ['sandbox'] : []),
  ]
}

export function hasTools({ package: settings }: Assistant): boolean {
  return serverIds(settings).length > 0
}
