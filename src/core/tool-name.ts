/** A tool as a trace names it. */
export interface NamedTool {
  readonly tool: string
  /** The MCP server it belongs to, where the target knows. */
  readonly server?: string
}

/**
 * Whether this is the tool `name`: the tool's own name, with its server before it as `server__tool` or `server.tool`,
 * or what follows a `__` or `.` in one of these. Never a part of a word. Source: spec yao 4.3, "ours".
 */
export function isToolNamed(called: NamedTool, name: string): boolean {
  return namesOf(called).some((full) => full === name || full.endsWith(`__${name}`) || full.endsWith(`.${name}`))
}

/** The name with its server before it, where it does not hold that already. */
export function fullName({ tool, server = '' }: NamedTool): string {
  if (server === '') return tool
  const owners = [server, server.replaceAll('.', '_')]
  const hasServer = owners.some((owner) => tool.startsWith(`${owner}__`) || tool.startsWith(`${owner}.`))
  return hasServer ? tool : `${server}__${tool}`
}

/** A server's dots are also written as underscores, because models take no dots in names. */
function namesOf({ tool, server = '' }: NamedTool): readonly string[] {
  if (server === '') return [tool]
  const flat = server.replaceAll('.', '_')
  return [tool, ...[server, flat].flatMap((owner) => [`${owner}__${tool}`, `${owner}.${tool}`])]
}
