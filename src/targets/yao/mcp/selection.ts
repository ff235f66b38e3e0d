import { isJsonObject, type Json } from '../../../core/json.ts'

/** A server an assistant uses, and what of it. */
export interface ServerChoice {
  readonly server: string
  /** Absent: all of its tools. */
  readonly tools?: readonly string[]
  readonly resources?: readonly string[]
}

export type ParsedServers = { readonly choices: readonly ServerChoice[] } | { readonly problem: string }

/**
 * A list of servers in any form: `"id"`, `{"server_id", "tools", "resources"}`, `{"id": ["tool"]}` or
 * `{"id": {"tools", "resources"}}`. Source: spec yao 11.2.
 */
export function parseServers(list: readonly unknown[], field: string): ParsedServers {
  const choices: ServerChoice[] = []
  for (const [index, item] of list.entries()) {
    const choice = choiceOf(item)
    if (choice === undefined) {
      return { problem: `${field}[${index}]: expected the id of a server, or an object with server_id and tools` }
    }
    choices.push(choice)
  }
  return { choices }
}

function choiceOf(item: unknown): ServerChoice | undefined {
  if (typeof item === 'string') return item === '' ? undefined : { server: item }
  if (!isJsonObject(item)) return undefined
  const id = item['server_id']
  if (id !== undefined) return typeof id === 'string' && id !== '' ? partsOf(id, item) : undefined
  const [entry, ...others] = Object.entries(item)
  if (entry === undefined || others.length > 0) return undefined
  const [server, parts] = entry
  if (Array.isArray(parts)) return partsOf(server, { tools: parts as readonly Json[] })
  return isJsonObject(parts) ? partsOf(server, parts) : undefined
}

function partsOf(server: string, parts: Readonly<Record<string, Json | undefined>>): ServerChoice | undefined {
  const tools = names(parts['tools'])
  const resources = names(parts['resources'])
  if (tools === 'wrong' || resources === 'wrong') return undefined
  return { server, ...(tools ? { tools } : {}), ...(resources ? { resources } : {}) }
}

/** An empty list limits nothing, as in Yao. */
function names(value: Json | undefined): readonly string[] | undefined | 'wrong' {
  if (value === undefined || value === null) return undefined
  if (!Array.isArray(value)) return 'wrong'
  const list = value as readonly Json[]
  if (!list.every((name) => typeof name === 'string')) return 'wrong'
  return list.length === 0 ? undefined : list
}
