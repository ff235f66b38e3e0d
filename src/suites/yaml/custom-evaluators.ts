import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'
import { type KindConfig, quote } from '../../core/kind.ts'
import { shown } from '../../core/reading/fields.ts'
import { type Place, readDurationMs } from '../../core/reading/values.ts'
import { parseDuration } from '../../lib/duration.ts'
import { siblingPath } from '../../lib/sibling-path.ts'

/** Evaluators of the author's own: their files, relative to the working directory, by name. */
export type CustomEvaluators = ReadonlyMap<string, string>

export const NO_CUSTOM: CustomEvaluators = new Map()

/** Where evaluators are named. */
export interface EvaluatorScope {
  /** The file that is read, relative to the working directory: paths in it start at its folder. */
  readonly file: string
  /** Those that are known there already. */
  readonly custom: CustomEvaluators
}

/** The name of an entry that brings a file: its own, or that of the file. */
export function customName({ name, file }: JsonObject): string | undefined {
  if (typeof name === 'string' && name !== '') return name
  const base = typeof file === 'string' ? file.replace(/^.*[/\\]/, '').replace(/\.[^.]*$/, '') : ''
  return base === '' ? undefined : base
}

type CustomItem = JsonObject & { readonly file: Json }

export function isCustom(item: Json): item is CustomItem {
  return isJsonObject(item) && item['file'] !== undefined
}

/** Every entry of `evaluators`, a list or a map from names, that brings a file; the names of ours are taken. */
export function readCustom(
  value: Json,
  { notes, at }: Place,
  { file, taken }: { readonly file: string; readonly taken: readonly string[] },
): CustomEvaluators {
  const found = new Map<string, string>()
  for (const { place, item, name = '' } of entriesOf(value, at)) {
    const { file: written, timeout } = item
    readDurationMs(timeout, { notes, at: `${place}.timeout` })
    if (typeof written !== 'string' || written === '')
      notes.problem(`${place}.file`, `expected a file such as "evaluators/no-secrets.ts", got ${shown(written)}`)
    else if (!NAME.test(name) || taken.includes(name)) notes.problem(place, ...wrongName(name, taken))
    else if (found.has(name)) notes.problem(place, `${quote(name)} is named twice`)
    else found.set(name, siblingPath(file, written))
  }
  return found
}

interface Entry {
  readonly place: string
  readonly item: CustomItem
  readonly name: string | undefined
}

function entriesOf(value: Json, at: string): Entry[] {
  if (Array.isArray(value))
    return value.flatMap((item: Json, index) =>
      isCustom(item) ? [{ place: `${at}[${index}]`, item, name: customName(item) }] : [],
    )
  return Object.entries(isJsonObject(value) ? value : {}).flatMap(([name, item]) =>
    isCustom(item) ? [{ place: `${at}.${name}`, item, name }] : [],
  )
}

const NAME = /^[A-Za-z][\w-]{0,63}$/

function wrongName(name: string, taken: readonly string[]): [message: string, hint: string] {
  if (taken.includes(name)) return [`${quote(name)} is an evaluator of ours`, 'give yours another name']
  return [`${shown(name)} is no name for an evaluator`, 'letters, digits and hyphens, such as "no-secrets"']
}

/** What the runner needs of one; all that is not ours is for its function. */
export function customConfig(name: string, file: string, settings: Readonly<Record<string, Json>>): KindConfig {
  const { timeout, severities, file: _file, ...options } = settings
  const timeoutMs = typeof timeout === 'string' ? parseDuration(timeout) : timeout
  return {
    type: 'custom',
    name,
    file,
    ...(Object.keys(options).length === 0 ? {} : { options }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(severities === undefined ? {} : { severities }),
  }
}
