import { realpathSync, statSync } from 'node:fs'
import { extname, resolve, sep } from 'node:path'
import { escapePath, type GlobOptions, glob, globSync } from 'tinyglobby'
import type { Problem } from '../core/errors.ts'
import type { Host } from '../core/host.ts'
import { quote } from '../core/kind.ts'
import { belowApp } from './below-app.ts'
import { type DetectedInput, detectMode, type PathLookup } from './detect-mode.ts'
import { formatOf, foundExtensions, passedOver, suiteExtensions } from './formats.ts'
import { isOurDocument } from './our-document.ts'
import { readSelection } from './yaml/selection.ts'

export interface FoundInputs {
  /** By their absolute paths, in the order of the inputs. */
  readonly files: ReadonlyMap<string, FileOrigin>
  readonly messages: readonly string[]
  /** Script tests, each once. */
  readonly scripts: readonly string[]
  readonly problems: readonly Problem[]
  readonly warnings: readonly string[]
}

/** How a suite file came to be read. */
export interface FileOrigin {
  /** The user named this very file; else it was found by a folder or a glob. */
  readonly isNamed: boolean
  /** The agent of its tests, where nothing nearer to them names one. */
  readonly agent?: string
}

/** Turns what was given with `-i` into files and messages. */
export async function findInputs(inputs: readonly string[], host: Pick<Host, 'cwd' | 'env'>): Promise<FoundInputs> {
  const lookup = lookupIn(host.cwd)
  const files = new Map<string, FileOrigin>()
  const messages: string[] = []
  const scripts = new Set<string>()
  const excludes: string[] = []
  const problems: Problem[] = []
  const warnings: string[] = []
  for (const given of inputs) {
    const input = belowApp(given, host)
    const detected = detectMode(input, lookup)
    if (detected.mode === 'message') messages.push(input)
    else if (detected.mode === 'script') scripts.add(input)
    else if (detected.mode === 'exclude') excludes.push(input.slice(1))
    else {
      const found = await findFiles(input, detected, host.cwd)
      addFiles(files, found, detected.mode === 'file')
      problems.push(...found.problems)
      warnings.push(...(found.warnings ?? []))
    }
  }
  warnings.push(...(await takeAway(files, excludes, host)))
  if (excludes.length > 0 && files.size + scripts.size + messages.length + problems.length === 0) {
    const message = `nothing is left to run: ${excludes.map((exclude) => quote(`!${exclude}`)).join(', ')}`
    problems.push({ message, hint: 'a word that starts with ! takes suites away; a message needs more than one word' })
  }
  return { files, messages, scripts: [...scripts], problems, warnings }
}

/** What one input says of a file adds to what an earlier one said. */
function addFiles(files: Map<string, FileOrigin>, found: FoundFiles, isNamed: boolean): void {
  const agent = found.agent === undefined ? {} : { agent: found.agent }
  for (const file of found.files) {
    const known = files.get(file)
    files.set(file, { ...agent, ...known, isNamed: known?.isNamed === true || isNamed })
  }
}

interface FoundFiles {
  readonly files: readonly string[]
  readonly problems: readonly Problem[]
  readonly agent?: string
  readonly warnings?: readonly string[]
}

async function findFiles(input: string, detected: DetectedInput, cwd: string): Promise<FoundFiles> {
  switch (detected.mode) {
    case 'error':
      return refusal(detected.message, detected.hint)
    case 'generator':
      return refusal(`${quote(input)} asks for generated cases, and cases are only read from files`, insteadOf(input))
    case 'file':
      return findFile(input, cwd)
    case 'folder':
      return await findInFolder(input, cwd)
    case 'glob':
      return await findByGlob(input, cwd)
    case 'message':
    case 'script':
    case 'exclude':
      return { files: [], problems: [] }
  }
}

function findFile(input: string, cwd: string): FoundFiles {
  if (lookupIn(cwd).kind(input) === undefined) return refusal(`file ${quote(input)} not found`, `looked from ${cwd}`)
  if (!formatOf(input)) return refusal(`${quote(input)} is not a suite`, `suites end in ${orList(suiteExtensions)}`)
  const path = resolve(cwd, input)
  return readSelection(path, cwd) ?? { files: [path], problems: [] }
}

async function findInFolder(input: string, cwd: string): Promise<FoundFiles> {
  const folder = escapePath(slashed(input).replace(/\/+$/, '') || '/')
  const ignore = LEFT_OUT.map(({ glob }) => `${folder}/**/${glob}`)
  const globs = foundExtensions.map((extension) => `${folder}/**/*${extension}`)
  const files = (await search(globs, cwd, { ignore })).filter((file) => !isOurDocument(file))
  if (files.length > 0) return { files, problems: [] }
  return refusal(`no suite in the folder ${quote(input)}`, `looked for files that end in ${orList(foundExtensions)}`)
}

async function findByGlob(input: string, cwd: string): Promise<FoundFiles> {
  const ignore = LEFT_OUT.filter(({ name }) => !input.includes(name)).map(({ glob }) => `**/${glob}`)
  const matching = await search([slashed(input)], cwd, { ignore })
  const words = input.toLowerCase().split(/[^a-z0-9]+/)
  const files = matching.filter((file) => {
    const extension = extname(file).toLowerCase()
    const isNamed = suiteExtensions.includes(extension) && words.includes(extension.slice(1))
    return (foundExtensions.includes(extension) || isNamed) && !isOurDocument(file)
  })
  if (files.length > 0) return { files, problems: [] }
  const message =
    matching.length > 0 ? `no file that matches ${quote(input)} is a suite` : `no file matches ${quote(input)}`
  return refusal(message, `suites end in ${orList(suiteExtensions)}`)
}

async function takeAway(
  files: Map<string, unknown>,
  excludes: readonly string[],
  host: Pick<Host, 'cwd'>,
): Promise<string[]> {
  const warnings: string[] = []
  for (const exclude of excludes) {
    const path = slashed(exclude).replace(/\/+$/, '')
    const found = await search([path, `${path}/**`], host.cwd, { dot: true, ignore: ['**/node_modules/**'] })
    const taken = found.filter((file) => files.delete(file))
    if (taken.length === 0) warnings.push(`${quote(`!${exclude}`)} takes no suite away`)
  }
  return warnings
}

/**
 * JSON lines that are no suites: results, which land beside the suite; packages; Yao's samples of tool answers. They
 * are found only by a glob that names them.
 */
const NO_SUITES = [
  { name: 'output-', glob: 'output-*.jsonl' },
  { name: 'node_modules', glob: 'node_modules/**' },
  { name: 'mcps/mapping', glob: 'mcps/mapping/**' },
]

const LEFT_OUT = [
  ...NO_SUITES,
  ...passedOver.map(({ folder, extension }) => ({ name: folder, glob: `${folder}/**/*${extension}` })),
]

function orList(words: readonly string[]): string {
  return [words.slice(0, -1).join(', '), words.at(-1)].filter((part) => part !== '').join(' or ')
}

/** A suite that is made anew for each run cannot be compared with an earlier one, so it is kept in a file. */
function insteadOf(input: string): string {
  const [, kind, name = ''] = /^(agents|scripts):([^?]*)/.exec(input) ?? []
  return kind === 'agents'
    ? `let the agent write them once with -i MESSAGE -n ${name}, check them, and keep them as a JSONL suite`
    : `keep what the function returns as a JSONL suite; script tests are named scripts.ASSISTANT.MODULE, with a dot`
}

function refusal(message: string, hint?: string): FoundFiles {
  return { files: [], problems: [{ message, ...(hint === undefined ? {} : { hint }) }] }
}

/** Absolute paths, always in the same order; a file that links make appear several times, once. */
async function search(globs: string[], cwd: string, options: GlobOptions): Promise<string[]> {
  const found = (await glob(globs, { ...SEARCH, cwd, ...options })).map((file) => resolve(file)).sort()
  const all = new Set(found)
  const seen = new Set<string>()
  return found.filter((file) => {
    const real = realPath(file)
    if (seen.has(real) || (real !== file && all.has(real))) return false
    seen.add(real)
    return true
  })
}

function realPath(file: string): string {
  try {
    return realpathSync(file)
  } catch {
    return file
  }
}

const SEARCH = { absolute: true, expandDirectories: false } as const

function lookupIn(cwd: string): PathLookup {
  return {
    kind(path) {
      try {
        const found = statSync(resolve(cwd, path))
        return found.isDirectory() ? 'folder' : 'file'
      } catch {
        return undefined
      }
    },
    matches(pattern) {
      try {
        return globSync(pattern, { ...SEARCH, cwd }).length > 0
      } catch {
        // Too long or too odd for a glob: then it is a message.
        return false
      }
    },
  }
}

function slashed(path: string): string {
  return path.replaceAll(sep, '/')
}
