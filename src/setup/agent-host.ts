import { readFile, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import type { Config } from '../config/config.ts'
import type { Problem } from '../core/errors.ts'
import type { Host } from '../core/host.ts'
import { quote } from '../core/kind.ts'
import { secretsOfEnvironment } from '../lib/redact.ts'

/**
 * The host as agents see it: with the variables of `-e` and the application of `-a`. Only they do: a file of a pull
 * request must not tell agent-test itself where GitHub is.
 */
export async function agentHost({ app, env: file }: Config, host: Host, problems: Problem[]): Promise<Host> {
  if (app === undefined && file === undefined) return host
  const variables = file === undefined ? {} : await readVariables(file, host, problems)
  for (const value of secretsOfEnvironment(variables)) host.secrets.add(value)
  const root = app === undefined ? {} : await rootOf(app, host, problems)
  return { ...host, env: { ...host.env, ...variables, ...root } }
}

const APP_FIELD = '--app'
/** What makes a folder an application; the last one does for a part of one. */
const APP_PARTS = ['app.yao', 'app.json', 'app.jsonc', 'assistants']

async function rootOf(app: string, { cwd }: Host, problems: Problem[]): Promise<{ YAO_ROOT?: string }> {
  const root = resolve(cwd, app)
  const found = await stat(root).catch(() => undefined)
  if (!found?.isDirectory()) problems.push({ field: APP_FIELD, message: `there is no folder ${quote(app)}` })
  else if ((await Promise.all(APP_PARTS.map((name) => exists(join(root, name))))).includes(true)) {
    return { YAO_ROOT: root }
  } else {
    const hint = 'an application has an app.yao, or at least a folder assistants'
    problems.push({ field: APP_FIELD, message: `${quote(app)} is no Yao application`, hint })
  }
  return {}
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined
}

const MIB = 1024 * 1024

/** Values as dotenv writes them: quotes, `export`, comments; nothing is expanded. */
async function readVariables(file: string, { cwd }: Host, problems: Problem[]): Promise<Record<string, string>> {
  const refuse = (problem: Omit<Problem, 'file'>) => void problems.push({ file, ...problem })
  const text = await readText(resolve(cwd, file), refuse)
  if (text === undefined) return {}
  const parsed = Object.entries(parseEnv(text)).flatMap(([name, value]) =>
    value === undefined ? [] : [{ name, value }],
  )
  if (parsed.length === 0) refuse({ message: 'there is no variable in this file', hint: 'one is NAME=value' })
  for (const { name } of parsed) {
    // A line without an equals sign becomes part of the next name.
    const [shown = ''] = name.split('\n')
    const place = lineOf(shown, text)
    if (!/^[A-Za-z_][\w.-]*$/.test(name)) {
      refuse({
        ...place,
        message: `${quote(shown)} is no variable`,
        hint: 'one is NAME=value; a comment starts with #',
      })
    } else if (isOurs(name)) {
      refuse({ ...place, field: name, message: 'is a setting of agent-test, which a file cannot change' })
    }
  }
  return Object.fromEntries(parsed.map(({ name, value }) => [name, value]))
}

/** They confine what suites and prompts may send to a model. */
function isOurs(name: string): boolean {
  return name === 'CI' || name === 'GITHUB_WORKSPACE' || name.startsWith('AGENT_TEST_')
}

function lineOf(start: string, text: string): { line?: number } {
  const at = text.split('\n').findIndex((line) =>
    line
      .trim()
      .replace(/^export\s+/, '')
      .startsWith(start),
  )
  return at === -1 ? {} : { line: at + 1 }
}

async function readText(
  path: string,
  refuse: (problem: Omit<Problem, 'file'>) => undefined,
): Promise<string | undefined> {
  try {
    const found = await stat(path)
    if (!found.isFile()) return refuse({ message: 'not a regular file' })
    if (found.size > MIB) return refuse({ message: 'larger than 1 MiB' })
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path)).replaceAll('\r\n', '\n')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (code === 'ENOENT') return refuse({ message: 'file not found' })
    return refuse({ message: code.startsWith('ERR_ENCODING') ? 'not UTF-8 text' : `cannot be read (${code})` })
  }
}
