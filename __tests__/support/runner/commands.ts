/** A workflow command found in a line of output. */
export interface Command {
  readonly name: string
  readonly properties: Readonly<Record<string, string>>
  readonly data: string
}

const UNESCAPE_DATA: Readonly<Record<string, string>> = { '%0D': '\r', '%0A': '\n', '%25': '%' }
const UNESCAPE_PROPERTY = { ...UNESCAPE_DATA, '%3A': ':', '%2C': ',' }
const UNESCAPE_OLD = { ...UNESCAPE_DATA, '%3B': ';', '%5D': ']' }

/** `::name key=value,…::data` after blanks, or the older `##[name key=value;…]data` anywhere; unknown names are plain text. */
export function parseCommand(line: string, known: ReadonlySet<string>): Command | undefined {
  return [parseNew(line), parseOld(line)].find((command) => command && known.has(command.name))
}

/** What .NET takes for blanks, which differs from JavaScript in two characters. */
const BLANKS = /^(?:(?!\uFEFF)[\s\u0085])+/

function parseNew(line: string): Command | undefined {
  const text = line.replace(BLANKS, '')
  const end = text.startsWith('::') ? text.indexOf('::', 2) : -1
  return end < 0 ? undefined : toCommand(text.slice(2, end), text.slice(end + 2), ',', UNESCAPE_PROPERTY)
}

function parseOld(line: string): Command | undefined {
  const start = line.indexOf('##[')
  const end = start < 0 ? -1 : line.indexOf(']', start)
  return end < 0 ? undefined : toCommand(line.slice(start + 3, end), line.slice(end + 1), ';', UNESCAPE_OLD)
}

function toCommand(head: string, data: string, separator: string, escapes: Readonly<Record<string, string>>): Command {
  const blank = head.indexOf(' ')
  const name = (blank < 0 ? head : head.slice(0, blank)).toLowerCase()
  const pairs =
    blank < 0
      ? []
      : head
          .slice(blank + 1)
          .trim()
          .split(separator)
  const properties = pairs.flatMap((pair): [string, string][] => {
    const [, key, value] = /^([^=]+)=(.+)$/s.exec(pair) ?? []
    return key === undefined || value === undefined ? [] : [[key.trim().toLowerCase(), decode(value, escapes)]]
  })
  return {
    name,
    properties: Object.fromEntries(properties),
    data: decode(data, separator === ';' ? UNESCAPE_OLD : UNESCAPE_DATA),
  }
}

function decode(text: string, escapes: Readonly<Record<string, string>>): string {
  return text.replace(/%[0-9A-F]{2}/g, (code) => escapes[code] ?? code)
}
