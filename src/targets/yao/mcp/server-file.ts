import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { Problem } from '../../../core/errors.ts'
import type { Host } from '../../../core/host.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts'
import { quote } from '../../../core/kind.ts'
import { shownPath } from '../locate.ts'
import { type JsoncFile, readJsonc, readText } from '../read-files.ts'

/** An MCP server as its file defines it. Source: spec yao 11.5, "process transport". */
export interface Server {
  readonly id: string
  /** Only `process` is run here. */
  readonly transport: string
  readonly tools: ReadonlyMap<string, Tool>
  readonly resources: ReadonlyMap<string, Resource>
  readonly hasPrompts: boolean
}

export interface Tool {
  readonly name: string
  /** What it calls, such as `scripts.tools.Search`. */
  readonly process: string
  readonly description: string
  /** Of its arguments; absent: its schema file is missing or broken, so that no model can be told of it. */
  readonly schema?: JsonObject
  /** What becomes of the arguments; empty: they are handed over whole. */
  readonly args: readonly string[]
  readonly samples: readonly JsonObject[]
}

interface Resource {
  readonly name: string
  readonly process: string
  readonly uri: string
  readonly args: readonly string[]
  readonly description: string
  readonly mimeType: string
}

const processes = z.record(z.string(), z.string('expected the name of a process'), 'expected an object').optional()
const serverSchema = z.looseObject({
  transport: z.string('expected the transport of the server').min(1, 'expected the transport of the server'),
  tools: processes,
  resources: processes,
  prompts: z.record(z.string(), z.unknown()).optional(),
})
const args = z.array(z.string('expected a text'), 'expected a list of texts').optional()
const inputSchema = z.looseObject({ description: z.string('expected a text').optional(), 'x-process-args': args })
const resourceSchema = z.looseObject({
  uri: z.string('expected a text').optional(),
  description: z.string('expected a text').optional(),
  mimeType: z.string('expected a text').optional(),
  'x-process-args': args,
})

interface ServerScope {
  readonly id: string
  /** Absolute path of the file. */
  readonly path: string
  /** Absolute path of the folder `mapping/<server>`. */
  readonly mapping: string
  readonly host: Host
}

type ServerFile = JsoncFile<z.infer<typeof serverSchema>>

export type FoundServer = { readonly server: Server } | { readonly problems: readonly Problem[] }

/** Reads a server with the schemas, resources and samples of its mapping folder. */
export function readServer(scope: ServerScope): FoundServer {
  const problems: Problem[] = []
  const file = readJsonc({ path: scope.path, shown: shownPath(scope.path, scope.host) }, serverSchema, problems)
  if (!file) return { problems }
  const { transport, tools = {}, resources = {}, prompts = {} } = file.value
  const isProcess = transport === 'process'
  const entries = isProcess ? Object.entries(tools) : []
  const server: Server = {
    id: scope.id,
    transport,
    tools: new Map(entries.map(([name, process]) => [name, readTool(name, process, file, { ...scope, problems })])),
    resources: new Map(
      (isProcess ? Object.entries(resources) : []).map(([name, process]) => [
        name,
        readResource(name, process, { ...scope, problems }),
      ]),
    ),
    hasPrompts: Object.keys(prompts).length > 0,
  }
  return problems.length > 0 ? { problems } : { server }
}

interface MappingScope extends ServerScope {
  readonly problems: Problem[]
}

function readTool(name: string, process: string, { placeOf }: ServerFile, scope: MappingScope): Tool {
  const { mapping, host, problems } = scope
  const path = join(mapping, 'schemes', `${name}.in.yao`)
  const shown = shownPath(path, host)
  const base = { name, process, samples: readSamples(join(mapping, 'schemes', `${name}.jsonl`), scope) }
  if (!existsSync(path)) {
    const message = `tool ${quote(name)} has no input schema, so no model can be told how to call it`
    problems.push({ ...placeOf(['tools', name]), field: `tools.${name}`, message, hint: `write ${shown}` })
    return { ...base, description: '', args: [] }
  }
  const file = readJsonc({ path, shown }, inputSchema, problems)
  if (!file) return { ...base, description: '', args: [] }
  const { 'x-process-args': mapped = [], ...schema } = file.value
  return { ...base, description: schema.description ?? '', args: mapped, schema: withoutOwnKeys(schema) }
}

function readResource(name: string, process: string, { id, mapping, host, problems }: MappingScope): Resource {
  const path = join(mapping, 'resources', `${name}.res.yao`)
  const file = existsSync(path)
    ? readJsonc({ path, shown: shownPath(path, host) }, resourceSchema, problems)
    : undefined
  return {
    name,
    process,
    uri: file?.value.uri ?? `${id}://${name}`,
    args: file?.value['x-process-args'] ?? [],
    description: file?.value.description ?? '',
    mimeType: file?.value.mimeType ?? 'application/json',
  }
}

/** What is meant for Yao alone is not sent to a model. */
function withoutOwnKeys(schema: object): JsonObject {
  const members = Object.entries(schema as JsonObject)
  return Object.fromEntries(members.filter(([key]) => !key.startsWith('x-')))
}

/** One JSON object a line, each an example of a call. A file that is not there is no fault. */
function readSamples(path: string, { host, problems }: MappingScope): JsonObject[] {
  if (!existsSync(path)) return []
  const shown = shownPath(path, host)
  const lines = (readText({ path, shown }, problems) ?? '').split('\n')
  return lines.flatMap((line, index): JsonObject[] => {
    if (line.trim() === '') return []
    const value = parsed(line)
    if (isJsonObject(value)) return [value]
    problems.push({ file: shown, line: index + 1, message: 'expected a JSON object, an example of a call' })
    return []
  })
}

function parsed(line: string): Json | undefined {
  try {
    return JSON.parse(line) as Json
  } catch {
    return undefined
  }
}
