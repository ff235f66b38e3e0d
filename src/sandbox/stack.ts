import { OUR_FILE } from './protocol.ts'

/**
 * `at function (path:line)` per frame of the script; our own frames, those of the engine and the columns, which are
 * not those of the source, are left out.
 */
export function ownFrames(stack: string): string {
  return stack
    .split('\n')
    .flatMap((line) => {
      const frame = frameOf(line.trim())
      return frame === undefined ? [] : [frame]
    })
    .join('\n')
}

/** QuickJS writes `at name (file:line:column)`, `at name (native)`, and for syntax `at file:line:column`. */
function frameOf(line: string): string | undefined {
  if (!line.startsWith('at ') || line.endsWith('(native)')) return undefined
  const opened = line.endsWith(')') ? line.lastIndexOf(' (') : -1
  const place = opened < 0 ? line.slice(3) : line.slice(opened + 2, -1)
  if (place.startsWith(OUR_FILE)) return undefined
  const name = opened < 0 ? undefined : line.slice(3, opened)
  const shown = withoutColumn(place)
  return name === undefined || name.startsWith('<') ? `at ${shown}` : `at ${name} (${shown})`
}

function withoutColumn(place: string): string {
  const last = place.lastIndexOf(':')
  const before = place.lastIndexOf(':', last - 1)
  return before > 0 && isNumber(place.slice(before + 1, last)) ? place.slice(0, last) : place
}

function isNumber(text: string): boolean {
  return text !== '' && Number.isInteger(Number(text))
}
