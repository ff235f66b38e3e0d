import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { agentTest } from '../support/command-line.ts'
import { tempFolders } from '../support/temp-folder.ts'

const event = (timestamp: number, type: string, data: object) => ({ timestamp, type, data })
export const user = (text: string, at = 1_000) => event(at, 'user_message', { text })
export const says = (text: string, at: number) => event(at, 'assistant_message', { text })
export const call = (tool: string, parameters: object, at: number) => event(at, 'tool_call', { tool, parameters })

/** Writes without asking. */
export const bad = [user('Add a note'), call('write', { filePath: 'a.txt' }, 2_000)]
/** Asks first. */
export const good = [
  user('Add a note'),
  says('May I save a.txt?', 2_000),
  user('Yes', 3_000),
  call('write', { filePath: 'a.txt' }, 4_000),
]

/** A config file under which only approval counts. */
export const onlyApproval = { 'c.json': '{"evaluators": ["approval-gate"]}' }

interface Line {
  readonly id: string
  readonly evaluations: readonly {
    evaluator: string
    status: string
    passed: boolean
    score: number | null
    violations: { type: string; severity: string }[]
  }[]
  readonly overall: { score: number | null; passed: boolean }
  readonly [more: string]: unknown
}

/** The lines of an output file; none where nothing was written. */
export function linesIn(...path: readonly string[]): Line[] {
  const text = existsSync(join(...path)) ? readFileSync(join(...path), 'utf8').trimEnd() : ''
  return text === '' ? [] : text.split('\n').map((line) => JSON.parse(line) as Line)
}

/** Scores files that lie in a folder of their own; `lines` are those of the output. */
export function scorer() {
  const folder = tempFolders()
  return async (files: Record<string, string>, ...args: readonly string[]) => {
    const { path } = folder(files)
    const result = await agentTest(['score', ...args, '-o', 'out.jsonl'], { cwd: path })
    return { ...result, path, lines: linesIn(path, 'out.jsonl') }
  }
}
