import type { Trace } from '../core/trace.ts'
import { callsOf, isReading, type Placed, pathOf, type ToolCall, wasCompleted } from './tools.ts'

/** A file that was read, or searched, and with success. */
export interface FileRead extends Placed<ToolCall> {
  readonly path: string
}

export function filesRead(trace: Trace): FileRead[] {
  return callsOf(trace).flatMap((call) => {
    const path = isReading(call.event) && wasCompleted(call.event) ? pathOf(call.event) : undefined
    return path === undefined ? [] : [{ ...call, path }]
  })
}

/** Files that hold an agent's rules. Source: spec opencode-evals C.2. */
export function isContextFile(path: string): boolean {
  const name = path.toLowerCase()
  if (name.endsWith('/contributing.md') || name.endsWith('/readme.md')) return true
  return ['contributing.md', 'readme.md'].includes(name) || isInContextFolder(`/${name}`)
}

/** `behavior` is stricter: but for the agent's own folders it wants a folder before. Source: spec opencode-evals C.8. */
export function isContextFileStrictly(path: string): boolean {
  const name = path.toLowerCase()
  if (name.endsWith('/contributing.md') || name.endsWith('/readme.md')) return true
  return isInOwnFolder(`/${name}`) || isInContextFolder(name)
}

const OWN_FOLDERS = ['/.opencode/agent/', '/.opencode/context/']
const FOLDERS = ['/docs/', '/standards/', '/workflows/']

function isInContextFolder(path: string): boolean {
  return isInOwnFolder(path) || (path.endsWith('.md') && FOLDERS.some((folder) => path.includes(folder)))
}

function isInOwnFolder(path: string): boolean {
  return path.endsWith('.md') && OWN_FOLDERS.some((folder) => path.includes(folder))
}

/** Whether a path is the named file, or ends with it: `standards/code.md` is, `barcode.md` is no `code.md`. */
export function isFile(path: string, name: string): boolean {
  return `/${path}`.endsWith(`/${name}`)
}

/** As suites write it: the path contains the pattern, a folder perhaps. Source: spec opencode-evals A.4. */
export function matchesExpected(path: string, pattern: string): boolean {
  const plain = pattern.replaceAll('\\', '/').replace(/^\.\//, '')
  return plain.includes('/') || !plain.includes('.')
    ? path.includes(plain)
    : isFile(path, plain) || path.endsWith(plain)
}
