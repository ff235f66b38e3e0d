import { statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/** The nearest folder with a `package.yao`, `start` itself included. Source: seed 000, "Agent Resolution". */
export function findAgentFolder(start: string): string | undefined {
  return findUp(resolve(start), ['package.yao'])
}

/** The nearest folder that is a Yao application, `start` itself included. Source: spec yao 2.3. */
export function findAppRoot(start: string): string | undefined {
  return findUp(resolve(start), ['app.yao', 'app.json', 'app.jsonc'])
}

function findUp(folder: string, names: readonly string[]): string | undefined {
  if (names.some((name) => isFile(join(folder, name)))) return folder
  const parent = dirname(folder)
  return parent === folder ? undefined : findUp(parent, names)
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile()
  } catch {
    return false
  }
}
