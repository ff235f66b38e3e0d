import { randomUUID } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Values } from './workflow.ts'

/** The files a step writes to: fresh ones for every step. */
export interface CommandFiles {
  /** GITHUB_OUTPUT and its kin with their paths. */
  readonly env: Values
  read(): Promise<FileCommands>
}

interface FileCommands {
  readonly outputs: Values
  readonly environment: Values
  readonly state: Values
  readonly path: readonly string[]
  readonly summary: string
  /** Each one fails the step. */
  readonly errors: readonly string[]
  /** Shown as an error, without failing the step. */
  readonly notes: readonly string[]
}

const LARGEST_SUMMARY = 1_048_576

const KINDS = {
  output: 'GITHUB_OUTPUT',
  env: 'GITHUB_ENV',
  state: 'GITHUB_STATE',
  path: 'GITHUB_PATH',
  summary: 'GITHUB_STEP_SUMMARY',
}

export async function createCommandFiles(temp: string): Promise<CommandFiles> {
  const directory = join(temp, '_runner_file_commands')
  await mkdir(directory, { recursive: true })
  const id = randomUUID()
  const fileOf = (kind: string) => join(directory, `${kind}_${id}`)
  await Promise.all(Object.keys(KINDS).map((kind) => writeFile(fileOf(kind), '')))
  return {
    env: Object.fromEntries(Object.entries(KINDS).map(([kind, name]) => [name, fileOf(kind)])),
    async read() {
      const errors: string[] = []
      const pairs = async (kind: string) => {
        try {
          return parsePairs(await readFile(fileOf(kind), 'utf8'))
        } catch (error) {
          errors.push(`Unable to process file command '${kind}' successfully.`, (error as Error).message)
          return {}
        }
      }
      const [outputs, env, state] = [await pairs('output'), await pairs('env'), await pairs('state')]
      const { NODE_OPTIONS: nodeOptions, ...environment } = env
      if (nodeOptions !== undefined)
        errors.push("Can't store NODE_OPTIONS output parameter using '$GITHUB_ENV' command.")
      const path = (await readFile(fileOf('path'), 'utf8')).split('\n').filter((line) => line !== '')
      const summary = await readFile(fileOf('summary'))
      const isTooLarge = summary.length > LARGEST_SUMMARY
      const size = Math.ceil(summary.length / 1024)
      const note = `$GITHUB_STEP_SUMMARY upload aborted, supports content up to a size of 1024k, got ${size}k.`
      return {
        outputs,
        environment,
        state,
        path,
        summary: isTooLarge ? '' : summary.toString(),
        errors,
        notes: isTooLarge ? [note] : [],
      }
    },
  }
}

/** `NAME=value` lines, and `NAME<<END` blocks that last until a line is END. */
export function parsePairs(text: string): Record<string, string> {
  const pairs: Record<string, string> = {}
  const lines = text.replace(/^\uFEFF/, '').split('\n')
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? ''
    if (line === '') continue
    const [, name = '', operator, rest = ''] = /^(.*?)(=|<<)(.*)$/s.exec(line) ?? []
    if (operator === undefined) throw new Error(`Invalid format '${line}'`)
    if (name === '' || (operator === '<<' && rest === ''))
      throw new Error(`Invalid format '${line}'. Name must not be empty`)
    if (operator === '=') {
      pairs[name] = rest
      continue
    }
    const end = lines.indexOf(rest, at + 1)
    if (end < 0) throw new Error(`Invalid value. Matching delimiter not found '${rest}'`)
    pairs[name] = lines.slice(at + 1, end).join('\n')
    at = end
  }
  return pairs
}
