import { isJsonObject, type Json } from '../../core/json.ts'

/**
 * The value with every path below `root` made relative. Workspaces are copies under names made up for one run: what an
 * agent did must look the same in the next run, and a rule about paths must not see where the copy lies.
 */
export function withoutRoot(value: Json, root: string | undefined): Json {
  return root === undefined || root === '' || root === '/' ? value : cut(value, cutterOf(root))
}

export function textWithoutRoot(text: string, root: string | undefined): string {
  return root === undefined || root === '' || root === '/' ? text : cutterOf(root)(text)
}

function cutterOf(root: string): (text: string) => string {
  // Anything but the end of the name would be another folder beside it.
  const bare = new RegExp(`${root.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\w.-])`, 'g')
  return (text) => (text.includes(root) ? text.replaceAll(`${root}/`, '').replace(bare, '.') : text)
}

function cut(value: Json, cutter: (text: string) => string): Json {
  if (typeof value === 'string') return cutter(value)
  if (Array.isArray(value)) return value.map((item: Json) => cut(item, cutter))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [cutter(key), cut(item, cutter)]))
}
