import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts'
import { ScriptCallError } from '../../../sandbox/sandbox.ts'
import { unsupported } from '../agent/scope.ts'
import { processArguments, schemaProblem } from '../mcp/arguments.ts'
import type { Server, Tool } from '../mcp/server-file.ts'
import { runBatch } from './batch.ts'
import type { Caller } from './caller.ts'
import { isProcessRun } from './outside.ts'
import { callFunction } from './process-calls.ts'

/** `ctx.mcp`: one method with its arguments as the script gave them. Source: spec yao 11.5. */
export async function callServer(caller: Caller, method: string, args: readonly Json[]): Promise<Json> {
  if (method === 'All' || method === 'Any' || method === 'Race') {
    return runBatch(
      method,
      objectsOf(args[0], method).map((request) => () => callAcross(caller, request)),
    )
  }
  const server = serverOf(caller, args[0])
  switch (method) {
    case 'ListTools':
      return {
        tools: [...server.tools.values()].map(({ name, description, schema = {} }) => ({
          name,
          description,
          inputSchema: schema,
        })),
      }
    case 'CallTool':
      return callTool(caller, server, { name: args[1], arguments: args[2] })
    case 'CallTools':
    case 'CallToolsParallel': {
      const results: Json[] = []
      for (const { name, arguments: given } of objectsOf(args[1], method)) {
        results.push(await callTool(caller, server, { name, arguments: given }))
      }
      return results
    }
    case 'ListResources':
      return {
        resources: [...server.resources.values()].map(({ uri, name, description, mimeType }) => ({
          uri,
          name,
          description,
          mimeType,
        })),
      }
    case 'ReadResource':
      return readResource(caller, server, textOf(args[1]))
    case 'ListSamples':
      return { samples: samplesOf(server, args) }
    case 'GetSample':
      return samplesOf(server, args)[typeof args[3] === 'number' ? args[3] : 0] ?? null
    default:
      throw unsupported(`ctx.mcp.${method.slice(0, 60)}`)
  }
}

/** A server that can be asked here; ends the run by name for one with another transport. */
function serverOf({ scope }: Caller, id: Json | undefined): Server {
  const found = scope.application.servers.find(textOf(id))
  if ('problems' in found) {
    const said = found.problems.map(({ message, hint }) => (hint === undefined ? message : `${message} (${hint})`))
    throw new ScriptCallError(said.join('; '))
  }
  const { server } = found
  if (server.transport !== 'process') {
    throw unsupported(`MCP server ${server.id}`, `its transport is ${JSON.stringify(server.transport)}, not "process"`)
  }
  return server
}

async function callAcross(
  caller: Caller,
  { mcp = null, tool = null, arguments: given }: JsonObject,
): Promise<JsonObject> {
  try {
    const result = await callTool(caller, serverOf(caller, mcp), { name: tool, arguments: given })
    return { mcp, tool, result }
  } catch (error) {
    if (error instanceof ScriptCallError) return { mcp, tool, error: error.message }
    throw error
  }
}

interface ToolCall {
  readonly name: Json | undefined
  readonly arguments: Json | undefined
}

async function callTool(caller: Caller, server: Server, call: ToolCall): Promise<Json> {
  const name = textOf(call.name)
  const tool = server.tools.get(name)
  const given = call.arguments ?? {}
  if (!tool) throw new ScriptCallError(`MCP server ${server.id} has no tool ${JSON.stringify(name.slice(0, 100))}`)
  if (!isJsonObject(given)) throw new ScriptCallError(`${server.id}.${name}: the arguments must be an object`)
  return runTool(caller, tool, given)
}

/**
 * Calls the function behind a tool; throws a ScriptCallError that a model or a script can learn from. Arguments are
 * checked first, as far as `schemaProblem` looks.
 */
export async function runTool(caller: Caller, tool: Tool, given: JsonObject): Promise<Json> {
  const problem = schemaProblem(given, tool.schema)
  if (problem !== undefined) throw new ScriptCallError(`invalid arguments: ${problem}`)
  return runBehind(caller, tool.process, processArguments(tool.args, given))
}

/** Only what ends in a script is run. */
function runBehind(caller: Caller, process: string, args: readonly Json[]): Promise<Json> {
  if (!isProcessRun(process) || !/^(?:scripts|agents)\./.test(process)) throw unsupported(`Process("${process}")`)
  return callFunction(caller, process, args, { withContext: true })
}

async function readResource(caller: Caller, server: Server, uri: string): Promise<Json> {
  const found = [...server.resources.values()].find((resource) => uri === resource.uri || uri === resource.name)
  if (!found) throw new ScriptCallError(`MCP server ${server.id} has no resource ${JSON.stringify(uri.slice(0, 200))}`)
  const value = await runBehind(caller, found.process, processArguments(found.args, { uri }))
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return { contents: [{ uri: found.uri, mimeType: found.mimeType, text }] }
}

function samplesOf(server: Server, [, kind, name]: readonly Json[]): readonly Json[] {
  return kind === 'tool' ? (server.tools.get(textOf(name))?.samples ?? []) : []
}

function objectsOf(value: Json | undefined, method: string): readonly JsonObject[] {
  const list: readonly Json[] = Array.isArray(value) ? (value as readonly Json[]) : []
  if (list.length > 0 && list.every(isJsonObject)) return list
  throw new ScriptCallError(`ctx.mcp.${method}: expected a list of calls`)
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}
