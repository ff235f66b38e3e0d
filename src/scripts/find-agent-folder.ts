import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'

interface AgentPrefix {
  /** Absolute path of the folder with package.yao. */
  readonly folder: string
  readonly id: string
  /** The parts of the name that follow the agent's. */
  readonly rest: readonly string[]
}

/**
 * The agent that the first parts of a name mean, the longest that has a package.yao: below `assistants`, then below
 * the root. At least one part is left over. Source: spec yao 7, "Resolution".
 */
export function agentPrefix(parts: readonly string[], root: string): AgentPrefix | undefined {
  for (let length = parts.length - 1; length > 0; length -= 1) {
    const own = parts.slice(0, length)
    const found = foldersOf(own, root).find((folder) => existsSync(join(folder, 'package.yao')))
    if (found !== undefined) return { folder: found, id: own.join('.'), rest: parts.slice(length) }
  }
  return undefined
}

function foldersOf(parts: readonly string[], root: string): string[] {
  const isRootItself = parts.length === 1 && parts[0] === basename(root)
  return [join(root, 'assistants', ...parts), join(root, ...parts), ...(isRootItself ? [root] : [])]
}

/** The parts between the dots; undefined when one of them could not be a name of a file. */
export function partsOf(name: string): readonly string[] | undefined {
  const parts = name.split('.')
  return parts.every((part) => /^[^/\\\s\p{Cc}]+$/u.test(part)) ? parts : undefined
}
