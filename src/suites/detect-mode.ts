import { isDynamicPattern } from 'tinyglobby'

/** What is there, seen from the working directory. */
export interface PathLookup {
  kind(path: string): 'file' | 'folder' | undefined
  /** Whether the glob finds a file. */
  matches(glob: string): boolean
}

/** `exclude` takes files away from what the other inputs found. */
type InputMode = 'file' | 'folder' | 'glob' | 'exclude' | 'message' | 'script' | 'generator' | 'error'

export type DetectedInput =
  | { readonly mode: Exclude<InputMode, 'error'> }
  | { readonly mode: 'error'; readonly message: string; readonly hint?: string }

/**
 * Tells what an `-i` is. What exists is what it is; a text that can only be meant as a path is never sent to an agent.
 * Source: spec yao 2.1, "Recommended".
 */
export function detectMode(input: string, lookup: PathLookup): DetectedInput {
  if (input.trim() === '')
    return { mode: 'error', message: 'an input is empty', hint: 'give a suite, a folder, a glob or a message' }
  const found = lookup.kind(input)
  if (found) return { mode: found }
  if (/^scripts\.\S*$/.test(input)) return { mode: 'script' }
  if (/^(?:agents|scripts):[^\s?]+(?:\?.*)?$/s.test(input)) return { mode: 'generator' }
  if (isJsonContainer(input)) return { mode: 'message' }
  const isOneWord = !/\s/.test(input)
  if (isOneWord && /^!./.test(input)) return { mode: 'exclude' }
  const isNamed = isOneWord && /\.(?:jsonl?|ya?ml)$/.test(input)
  const isPath = isNamed || looksLikePath(input)
  if (isOneWord && isDynamicPattern(input) && (isPath || lookup.matches(input))) return { mode: 'glob' }
  if (isNamed) return { mode: 'file' }
  if (!isPath) return { mode: 'message' }
  return {
    mode: 'error',
    message: `${JSON.stringify(input)} looks like a path, but there is no such file or folder`,
    hint: 'a message needs more than one word to be told from a path',
  }
}

/** As a glob, brackets and braces would stand for single letters and for alternatives. */
function isJsonContainer(input: string): boolean {
  if (!/^\s*[[{]/.test(input)) return false
  try {
    JSON.parse(input)
    return true
  } catch {
    return false
  }
}

/** Starts like a path, or is one word with a separator; neither a URL nor JSON. */
function looksLikePath(input: string): boolean {
  if (/^(?:\.{1,2}|~)[/\\]/.test(input)) return true
  return /^[^\s"]*[/\\][^\s"]*$/.test(input) && !/^[a-z][a-z0-9+.-]*:\/\//i.test(input)
}
