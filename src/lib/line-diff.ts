interface DiffLine {
  /** `same`: in both texts; `before` and `after`: in one of them. */
  readonly kind: 'same' | 'before' | 'after'
  readonly text: string
}

/** Cells of the table below; beyond it a diff is neither quick nor read by anybody. */
const MOST_CELLS = 250_000

/**
 * The lines of two texts as one list, in which the longest common part is told once; undefined where the texts are
 * too long to be compared line by line.
 */
export function lineDiff(before: string, after: string): DiffLine[] | undefined {
  const [left, right] = [linesOf(before), linesOf(after)]
  const start = sharedStart(left, right)
  const end = sharedEnd(left.slice(start), right.slice(start))
  const was = left.slice(start, left.length - end)
  const is = right.slice(start, right.length - end)
  if ((was.length + 1) * (is.length + 1) > MOST_CELLS) return undefined
  const same = (text: string): DiffLine => ({ kind: 'same', text })
  return [...left.slice(0, start).map(same), ...middle(was, is), ...left.slice(left.length - end).map(same)]
}

function linesOf(text: string): string[] {
  return text.split(/\r\n|[\n\r\u2028\u2029]/)
}

function sharedStart(left: readonly string[], right: readonly string[]): number {
  const most = Math.min(left.length, right.length)
  let count = 0
  while (count < most && left[count] === right[count]) count += 1
  return count
}

function sharedEnd(left: readonly string[], right: readonly string[]): number {
  const most = Math.min(left.length, right.length)
  let count = 0
  while (count < most && left.at(-1 - count) === right.at(-1 - count)) count += 1
  return count
}

/** Longest common subsequence; where lines were replaced, all the old ones stand before the new ones. */
function middle(was: readonly string[], is: readonly string[]): DiffLine[] {
  const width = is.length + 1
  const lengths = commonLengths(was, is)
  const cell = (row: number, column: number) => lengths[row * width + column] ?? 0
  const lines: DiffLine[] = []
  let [row, column] = [0, 0]
  while (row < was.length || column < is.length) {
    const [old, next] = [was[row], is[column]]
    if (old !== undefined && old === next) {
      lines.push({ kind: 'same', text: old })
      row += 1
      column += 1
    } else if (old !== undefined && (next === undefined || cell(row + 1, column) >= cell(row, column + 1))) {
      lines.push({ kind: 'before', text: old })
      row += 1
    } else {
      lines.push({ kind: 'after', text: next ?? '' })
      column += 1
    }
  }
  return lines
}

/** How many lines the rests of both texts share, from every pair of places on; row by row. */
function commonLengths(was: readonly string[], is: readonly string[]): Uint32Array {
  const width = is.length + 1
  const lengths = new Uint32Array((was.length + 1) * width)
  for (let row = was.length - 1; row >= 0; row -= 1) {
    for (let column = is.length - 1; column >= 0; column -= 1) {
      const at = row * width + column
      lengths[at] =
        was[row] === is[column]
          ? (lengths[at + width + 1] ?? 0) + 1
          : Math.max(lengths[at + width] ?? 0, lengths[at + 1] ?? 0)
    }
  }
  return lengths
}
