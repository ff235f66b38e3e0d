import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** A freshly built dist: what the tests run instead of the committed one. */
export interface Bundles {
  readonly directory: string
  /** Entry of the action. */
  readonly action: string
  /** Entry of the command line. */
  readonly cli: string
}

export const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '../..')

/** Whatever decides the bytes of the bundles. */
const SOURCES = ['src', 'scripts', 'package.json', 'package-lock.json', 'tsconfig.json']

const CACHE = join(ROOT, 'node_modules', '.cache', 'agent-test-bundles')

const KEPT_MS = 6 * 3_600_000

/** Builds in a folder of its own; the same sources are built once and found again by their hash. */
export async function buildBundles(): Promise<Bundles> {
  const directory = join(CACHE, await hashOf(SOURCES.map((name) => join(ROOT, name))), 'dist')
  if (!(await exists(directory))) await build(directory)
  return { directory, action: join(directory, 'index.js'), cli: join(directory, 'cli', 'index.js') }
}

async function build(directory: string): Promise<void> {
  await mkdir(CACHE, { recursive: true })
  const fresh = await mkdtemp(join(CACHE, 'building-'))
  try {
    const script = join(ROOT, 'scripts', 'build.mjs')
    await promisify(execFile)(process.execPath, [script, '--out', join(fresh, 'dist')], { cwd: ROOT })
    await forgetOldBuilds()
    await rename(fresh, dirname(directory))
  } catch (error) {
    if (!(await exists(directory))) throw error
  } finally {
    await rm(fresh, { recursive: true, force: true })
  }
}

/** Another test run may still be using a recent one. */
async function forgetOldBuilds(): Promise<void> {
  for (const name of await readdir(CACHE)) {
    const path = join(CACHE, name)
    const { mtimeMs } = await stat(path)
    if (Date.now() - mtimeMs > KEPT_MS) await rm(path, { recursive: true, force: true })
  }
}

/** Files that are in only one of the two folders, or differ: empty when the committed dist is what the sources give. */
export async function differencesFromDist(directory: string, dist = join(ROOT, 'dist')): Promise<string[]> {
  const [built, committed] = await Promise.all([contentsOf(directory), contentsOf(dist)])
  const names = new Set([...built.keys(), ...committed.keys()])
  return [...names].filter((name) => built.get(name) !== committed.get(name)).sort()
}

/** Relative path to hash of every file. */
async function contentsOf(directory: string): Promise<Map<string, string>> {
  if (!(await exists(directory))) return new Map()
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const pairs = files.map(async (file): Promise<[string, string]> => {
    return [file.slice(directory.length + 1), hash(await readFile(file))]
  })
  return new Map(await Promise.all(pairs))
}

async function hashOf(paths: readonly string[]): Promise<string> {
  const parts = await Promise.all(
    paths.map(async (path) => {
      const isDirectory = (await stat(path)).isDirectory()
      return isDirectory ? [...(await contentsOf(path))].map((pair) => pair.join(' ')) : [hash(await readFile(path))]
    }),
  )
  return hash(parts.flat().sort().join('\n')).slice(0, 20)
}

function hash(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
