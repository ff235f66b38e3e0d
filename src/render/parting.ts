import { firstParting, type Parting, type Step } from '../core/step.ts'
import { plainText } from '../lib/escape.ts'

/** Calls named that both runs made before they part. */
const MOST_SHARED = 3

/** How a text shows the names of tools and parameters: as code, or as they are. */
type Quote = (text: string) => string

/**
 * Where the tool calls of a run here leave those of the base branch, in a sentence without a full stop; undefined where
 * they do not, or nothing is known of one side. Names go through `quote`.
 */
export function describeParting(
  before: readonly Step[] | undefined,
  here: readonly Step[] | undefined,
  { base, quote }: { readonly base: string; readonly quote: Quote },
): string | undefined {
  if (before === undefined || here === undefined) return undefined
  const parting = firstParting(before, here)
  if (!parting) return undefined
  const shared = here.slice(0, parting.at - 1).map(({ tool }) => quote(tool))
  return `${saying(parting, base, quote)}${afterShared(shared)}`
}

function saying({ at, kind, before, here }: Parting, base: string, quote: Quote): string {
  const was = before ? quote(before.tool) : ''
  const is = here ? called(here, quote) : ''
  switch (kind) {
    case 'tool':
      return `at step ${at}: ${base} called ${was}, here ${is}`
    case 'parameters':
      return `at step ${at}: ${base} called ${was} with other parameters than here${here?.shown === undefined ? '' : `: ${quote(oneLine(here.shown))}`}`
    case 'extra':
      return `at step ${at}: ${base} made no further call, here ${is}`
    case 'missing':
      return `at step ${at}: ${base} called ${was}, here there was no further call`
  }
}

function called({ tool, shown }: Step, quote: Quote): string {
  return shown === undefined || shown === '' ? quote(tool) : `${quote(tool)} with ${quote(oneLine(shown))}`
}

function oneLine(text: string): string {
  return plainText(text, { maxLength: 200 })
}

function afterShared(shared: readonly string[]): string {
  if (shared.length === 0) return ''
  const named = shared.slice(-MOST_SHARED).join(', ')
  return shared.length > MOST_SHARED
    ? `; before it, both made the same ${shared.length} calls, last ${named}`
    : `; before it, both called ${named}`
}
