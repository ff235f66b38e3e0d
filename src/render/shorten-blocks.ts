/**
 * The first blocks of a Markdown text of ours that fit into `chars`, with a last line that says so, and its footer
 * where there is room; undefined where not even that line fits. Fences and details are kept or dropped as a whole.
 */
export function shortenBlocks(markdown: string, chars: number): string | undefined {
  if (markdown.length <= chars) return markdown
  const all = topBlocks(markdown)
  const last = all.at(-1) ?? ''
  const footer = last.startsWith('<sub>') && last.length + CUT.length + GAP.length <= chars ? [last] : []
  const contents = footer.length === 0 ? all : all.slice(0, -1)
  const kept: string[] = []
  let room = chars - [CUT, ...footer].join(GAP).length
  if (room < 0) return undefined
  for (const block of contents) {
    room -= block.length + GAP.length
    if (room < 0) break
    kept.push(block)
  }
  // A title without what it is the title of says nothing.
  while (kept.at(-1)?.startsWith('#') === true) kept.pop()
  return [...kept, CUT, ...footer].join(GAP)
}

const GAP = '\n\n'
const CUT = 'The rest is left out to fit: the workflow run has it.'

/** Blocks between blank lines; what a fence or a details element holds belongs to its block. */
function topBlocks(markdown: string): string[] {
  const found: string[][] = [[]]
  let place: Place = { fence: '', depth: 0 }
  for (const line of markdown.split('\n')) {
    place = after(place, line)
    if (line === '' && place.fence === '' && place.depth <= 0) found.push([])
    else found.at(-1)?.push(line)
  }
  return found.map((lines) => lines.join('\n')).filter((block) => block !== '')
}

/** What is open: the fence that only its like closes, and elements inside one another. */
interface Place {
  readonly fence: string
  readonly depth: number
}

function after({ fence, depth }: Place, line: string): Place {
  if (fence !== '') return { fence: line === fence ? '' : fence, depth }
  const opened = /^`{3,}/.exec(line)?.[0] ?? ''
  if (line.startsWith('<details')) return { fence: opened, depth: depth + 1 }
  return { fence: opened, depth: line === '</details>' ? depth - 1 : depth }
}
