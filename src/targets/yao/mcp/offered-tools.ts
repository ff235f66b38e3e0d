import { describeProblem, type Problem } from '../../../core/errors.ts'
import type { Json, JsonObject } from '../../../core/json.ts'
import { didYouMean, quote } from '../../../core/kind.ts'
import type { ServerChoice } from './selection.ts'
import type { Server, Tool } from './server-file.ts'
import type { Servers } from './servers.ts'

/** A tool as the model knows it. */
export interface OfferedTool {
  readonly server: Server
  readonly tool: Tool
  /** `server_with_dots_as_underscores__tool`. */
  readonly name: string
}

/** More than these are not offered. Source: spec yao 11.5. */
const MAX_TOOLS = 20
const MAX_SAMPLES = 3

export interface Offer {
  readonly tools: readonly OfferedTool[]
  /** Servers and tools that are chosen and not offered, each with its reason. */
  readonly missing: readonly MissingTools[]
}

interface MissingTools {
  /** A name that nobody knows, a file with mistakes, something only a server can do, or one tool too many. */
  readonly kind: 'unknown' | 'broken' | 'outside' | 'over'
  readonly text: string
  /** Of a broken file. */
  readonly problems?: readonly Problem[]
}

/** The tools of the chosen servers, in order. What cannot be run here is not offered but named. */
export function offerTools(choices: readonly ServerChoice[], servers: Servers): Offer {
  const tools: OfferedTool[] = []
  const missing: MissingTools[] = []
  for (const { server: id, tools: wanted } of choices) {
    const found = servers.find(id)
    if ('problems' in found) {
      const kind = found.problems.some(({ file }) => file !== undefined) ? 'broken' : 'unknown'
      missing.push({ kind, text: found.problems.map(describeProblem).join('; '), problems: found.problems })
      continue
    }
    const { server } = found
    if (server.transport !== 'process') {
      missing.push({ kind: 'outside', text: `${id}: transport ${quote(server.transport)}` })
      continue
    }
    const names = wanted ?? [...server.tools.keys()]
    for (const name of names) {
      const tool = server.tools.get(name)
      if (tool) tools.push({ server, tool, name: `${id.replaceAll('.', '_')}__${name}` })
      else missing.push({ kind: 'unknown', text: `${id} has no tool ${quote(name)}${hintFor(name, server)}` })
    }
  }
  const over = tools.slice(MAX_TOOLS).map(({ server, tool }): MissingTools => {
    return { kind: 'over', text: `${server.id}.${tool.name}: Yao offers ${MAX_TOOLS} tools at most` }
  })
  return { tools: tools.slice(0, MAX_TOOLS), missing: [...missing, ...over] }
}

function hintFor(name: string, { tools }: Server): string {
  const hint = didYouMean(name, [...tools.keys()])
  return hint === undefined ? '' : ` (${hint})`
}

/** OpenAI's form of the tools. */
export function toolDefinitions(tools: readonly OfferedTool[]): Json[] {
  return tools.map(({ name, tool }) => ({
    type: 'function',
    function: {
      name,
      ...(tool.description === '' ? {} : { description: tool.description }),
      parameters: tool.schema ?? { type: 'object', properties: {} },
    },
  }))
}

/**
 * A system message with examples of calls, from the `.jsonl` beside the schemas; undefined where there are none. It
 * stands between the prompts and the conversation. Source: spec yao 11.3.
 */
export function samplesMessage(tools: readonly OfferedTool[]): JsonObject | undefined {
  const parts = tools.flatMap(({ name, tool }) =>
    tool.samples.length === 0
      ? []
      : [`### ${name}\n${tool.samples.slice(0, MAX_SAMPLES).map(describeSample).join('\n')}`],
  )
  return parts.length === 0
    ? undefined
    : { role: 'system', content: `## Examples of tool calls\n\n${parts.join('\n\n')}` }
}

function describeSample({ name, description, input, output }: JsonObject): string {
  const title = [name, description]
    .flatMap((part) => (typeof part === 'string' && part !== '' ? [part] : []))
    .join(': ')
  return [
    `- ${title === '' ? 'Example' : title}`,
    `  input: ${JSON.stringify(input ?? {})}`,
    ...(output === undefined ? [] : [`  output: ${JSON.stringify(output)}`]),
  ].join('\n')
}
