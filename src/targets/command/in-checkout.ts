import { stat } from 'node:fs/promises'
import { isAbsolute, resolve } from 'node:path'
import { quote } from '../../core/kind.ts'
import type { Checkout } from '../target.ts'

/** They look for what they run in the working directory. */
const FOLLOW_FOLDER = new Set([
  'bun',
  'bundle',
  'cargo',
  'composer',
  'dotnet',
  'go',
  'gradle',
  'hatch',
  'just',
  'make',
  'mix',
  'mvn',
  'npm',
  'pdm',
  'pipenv',
  'pnpm',
  'poetry',
  'rake',
  'task',
  'uv',
  'yarn',
])

/**
 * The words of a command for the same folder of another checkout. A program that has nothing to do with the checkout
 * would be the tested agent once more: then a change for the worse would look like one of the world.
 */
export async function wordsInCheckout(
  words: readonly [string, ...string[]],
  cwd: string,
  { host, pathOf }: Checkout,
): Promise<{ readonly words: readonly string[] } | { readonly reason: string }> {
  const own: string[] = []
  for (const name of words.flatMap(namesIn)) if (await isOwn(name, { cwd, pathOf })) own.push(name)
  if (own.length === 0 && !FOLLOW_FOLDER.has(words[0])) {
    const reason =
      'nothing of the command lies in the repository, so that it would start the same agent: name that of the base with control-target'
    return { reason }
  }
  for (const name of own) {
    const there = isAbsolute(name) ? pathOf(name) : resolve(host.cwd, name)
    if (there === undefined || !(await exists(there))) {
      return { reason: `${quote(name)} does not exist there: make it with control-setup` }
    }
  }
  return { words: words.map((word) => (isAbsolute(word) ? (pathOf(word) ?? word) : word)) }
}

/** What in a word may be the name of a file or, behind `-m`, of a Python module; the program itself only with a slash. */
function namesIn(word: string, index: number, words: readonly string[]): string[] {
  if (index === 0) return word.includes('/') ? [word] : []
  if (words[index - 1] === '-m') return modulePaths(word)
  return word.split(/[\s'"=;&|()<>,]+/).filter((part) => part !== '' && !part.startsWith('-'))
}

function modulePaths(module: string): string[] {
  const path = module.replaceAll('.', '/')
  return [path, `${path}.py`, `src/${path}`, `src/${path}.py`]
}

/** It is there, and belongs to the checkout. */
async function isOwn(
  name: string,
  { cwd, pathOf }: { readonly cwd: string } & Pick<Checkout, 'pathOf'>,
): Promise<boolean> {
  const path = resolve(cwd, name)
  return pathOf(path) !== undefined && (await exists(path))
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined
}
