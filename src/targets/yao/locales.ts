import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Problem } from '../../core/errors.ts'
import type { Host } from '../../core/host.ts'
import { shownPath } from './locate.ts'
import { readYaml } from './read-files.ts'

/** Texts by locale, such as `en-us`. */
export type Locales = ReadonlyMap<string, unknown>

export function loadLocales(assistantFolder: string, host: Host, problems: Problem[]): Locales {
  const folder = join(assistantFolder, 'locales')
  if (!existsSync(folder)) return new Map()
  const files = readdirSync(folder)
    .filter((name) => /\.ya?ml$/.test(name))
    .sort()
  return new Map(
    files.map((name) => {
      const path = join(folder, name)
      return [name.replace(/\.ya?ml$/, '').toLowerCase(), readYaml({ path, shown: shownPath(path, host) }, problems)]
    }),
  )
}

/** Replaces `{{ key.path }}` by the locale's text; a key without one stays as written. */
export function localise(text: string, locales: Locales, locale: string): string {
  const wanted = locale.toLowerCase()
  const texts = locales.get(wanted) ?? locales.get(wanted.split('-', 1)[0] ?? '')
  return text.replace(/\{\{\s*([^{}\s]+)\s*\}\}/g, (written, key: string) => {
    const found = key.split('.').reduce<unknown>((at, part) => memberOf(at, part), texts)
    return typeof found === 'string' || typeof found === 'number' ? String(found) : written
  })
}

function memberOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined
}
