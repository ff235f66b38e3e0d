import { realpathSync, statSync } from 'node:fs'
import { extname, resolve, sep } from 'node:path'
import { escapePath, type GlobOptions, glob, globSync } from 'tinyglobby'
import type { Problem } from '../core/errors.ts'
import type { Host } from '../core/host.ts'
import { quote } from '../core/kind.ts'
import { type DetectedInput, detectMode, type PathLookup } from './detect-mode.ts'
import { formatOf, foundExtensions, suiteExtensions } from './formats.ts'
import { isOurDocument } from './our-document.ts'

export interface FoundInputs {
  /** Absolute paths of suite files, each once, in the order of the inputs. */
  readonly files: readonly string[]
  readonly messages: readonly string[]
  readonly problems: readonly Problem[]
}

/** Turns what was given with `-i` into files and messages. */
export async function findInputs(inputs: readonly string[], host: Pick<Host, 'cwd' | 'log'>): Promise<FoundInputs> {
  const lookup = lookupIn(host.cwd)
  const files = new Set<string>()
  const messages: string[] = []
  const excludes: string[] = []
  const problems: Problem[] = []
  for (const input of inputs) {
    const detected = detectMode(input, lookup)
    if (detected.mode === 'message') messages.push(input)
    else if (detected.mode === 'exclude') excludes.push(input.slice(1))
    else {
      const found = await findFiles(input, detected, host.cwd)
      for (const file of found.files) files.add(file)
      problems.push(...found.problems)
    }
  }
  await takeAway(files, excludes, host)
  if (excludes.length > 0 && files.size + messages.length + problems.length === 0) {
    const message = `nothing is left to run: ${excludes.map((exclude) => quote(`!${exclude}`)).join(', ')}`
    problems.push({ message, hint: 'a word that starts with ! takes suites away; a message needs more than one word' })
  }
  return { files: [...files], messages, problems }
}

interface FoundFiles {
  readonly files: readonly string[]
  readonly problems: readonly Problem[]
}

async function findFiles(input: string, detected: DetectedInput, cwd: string): Promise<FoundFiles> {
  switch (detected.mode) {
    case 'error':
      return refusal(detected.message, detected.hint)
    case 'script':
      return refusal(`${quote(input)}: script tests are not available yet in this version`, WHAT_WORKS)
    case 'generator':
      return refusal(`${quote(input)}: generated cases are not available in this version`, WHAT_WORKS)
    case 'file':
      return findFile(input, cwd)
    case 'folder':
      return await findInFolder(input, cwd)
    case 'glob':
      return await findByGlob(input, cwd)
    case 'message':
    case 'exclude':
      return { files: [], problems: [] }
  }
}

function findFile(input: string, cwd: string): FoundFiles {
  if (lookupIn(cwd).kind(input) === undefined) return refusal(`file ${quote(input)} not found`, `looked from ${cwd}`)
  if (!formatOf(input))
    return refusal(`${quote(input)} is not a suite`, `suites end in ${suiteExtensions.join(' or ')}`)
  return { files: [resolve(cwd, input)], problems: [] }
}

async function findInFolder(input: string, cwd: string): Promise<FoundFiles> {
  const folder = escapePath(slashed(input).replace(/\/+$/, '') || '/')
  const ignore = NO_SUITES.map(({ glob }) => `${folder}/**/${glob}`)
  const globs = foundExtensions.map((extension) => `${folder}/**/*${extension}`)
  const files = (await search(globs, cwd, { ignore })).filter((file) => !isOurDocument(file))
  if (files.length > 0) return { files, problems: [] }
  return refusal(
    `no suite in the folder ${quote(input)}`,
    `looked for files that end in ${foundExtensions.join(' or ')}`,
  )
}

async function findByGlob(input: string, cwd: string): Promise<FoundFiles> {
  const ignore = NO_SUITES.filter(({ name }) => !input.includes(name)).map(({ glob }) => `**/${glob}`)
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
  return refusal(message, `suites end in ${suiteExtensions.join(' or ')}`)
}

async function takeAway(
  files: Set<string>,
  excludes: readonly string[],
  host: Pick<Host, 'cwd' | 'log'>,
): Promise<void> {
  for (const exclude of excludes) {
    const path = slashed(exclude).replace(/\/+$/, '')
    const found = await search([path, `${path}/**`], host.cwd, { dot: true, ignore: ['**/node_modules/**'] })
    const taken = found.filter((file) => files.delete(file))
    if (taken.length === 0) host.log.warn(`${quote(`!${exclude}`)} takes no suite away`)
  }
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
const WHAT_WORKS = 'give a JSONL suite, a folder, a glob or a message'

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
