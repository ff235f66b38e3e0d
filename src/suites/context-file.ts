import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { problemsError } from '../core/errors.ts'
import type { Host } from '../core/host.ts'
import type { ContextFile } from '../core/identity.ts'
import { isJsonObject, type JsonObject } from '../core/json.ts'
import { readFields, shown } from '../core/reading/fields.ts'
import { collectFindings, type Notes } from '../core/reading/findings.ts'
import { belowApp } from './below-app.ts'
import { isTooDeep, MAX_DEPTH, syntaxErrorIn } from './scan-json.ts'

/** Source: spec yao 7, "ctx file schema". */
const CONTEXT = {
  chat_id: 'string',
  authorized: {
    sub: 'string',
    client_id: 'string',
    scope: 'string',
    session_id: 'string',
    user_id: 'string',
    team_id: 'string',
    tenant_id: 'string',
    remember_me: 'boolean',
    constraints: {
      owner_only: 'boolean',
      creator_only: 'boolean',
      editor_only: 'boolean',
      team_only: 'boolean',
      extra: 'object',
    },
  },
  metadata: 'object',
  client: { type: 'string', user_agent: 'string', ip: 'string' },
  locale: 'string',
  referer: 'string',
} as const

/** Reads the `--ctx` file; a relative path is the working directory's. Throws a UserError with every problem. */
export async function readContextFile(given: string, host: Pick<Host, 'cwd' | 'env'>): Promise<ContextFile> {
  const path = belowApp(given, host)
  const findings = collectFindings(path)
  const text = await readText(resolve(host.cwd, path), findings.at())
  const value = text === undefined ? undefined : parseObject(text, (line) => findings.at(line))
  const context = value && readFields(value, CONTEXT, { notes: findings.at(), at: '', unknown: 'problem' })
  if (findings.problems.length > 0 || !context) throw problemsError('INVALID_OPTIONS', findings.problems)
  return context
}

async function readText(path: string, notes: Notes): Promise<string | undefined> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path))
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (code === 'ENOENT') notes.problem('', 'file not found')
    else notes.problem('', code.startsWith('ERR_ENCODING') ? 'not UTF-8 text' : `cannot be read (${code})`)
    return undefined
  }
}

function parseObject(text: string, at: (line?: number) => Notes): JsonObject | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    const { line, column, message } = syntaxErrorIn(text)
    at(line).problem('', `JSON error at column ${column}: ${message}`)
    return undefined
  }
  if (isTooDeep(value)) at().problem('', `nested deeper than ${MAX_DEPTH} levels`)
  else if (isJsonObject(value)) return value
  else at().problem('', `expected a JSON object, got ${shown(value as null)}`)
  return undefined
}
