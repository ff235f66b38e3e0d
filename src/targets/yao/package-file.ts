import { z } from 'zod'
import { ROLES } from '../../core/message.ts'

const prompt = z.looseObject({
  role: z.enum(ROLES, `expected one of ${ROLES.join(', ')}`),
  content: z.string('expected a text'),
  name: z.string('expected a text').optional(),
})
const settings = z.looseObject({}, 'expected an object').nullish()
const text = z.string('expected a text').optional()

/** What of package.yao decides how an assistant answers. Source: spec yao 11.2. */
export const packageSchema = z.looseObject({
  name: z.string('expected the name of the assistant').min(1, 'expected the name of the assistant'),
  type: text,
  description: text,
  connector: text,
  options: settings,
  disable_global_prompts: z.boolean('expected true or false').optional(),
  prompts: z.array(prompt).optional(),
  prompt_presets: z.record(z.string(), z.array(prompt)).optional(),
  mcp: z
    .looseObject({ servers: z.array(z.unknown(), 'expected a list of servers').optional() }, 'expected an object')
    .nullish(),
  hooks: settings,
  uses: settings,
  search: z.unknown().optional(),
  kb: settings,
  db: settings,
  sandbox: z.unknown().optional(),
  workflow: settings,
})

export type PackageFile = z.infer<typeof packageSchema>

/** Ids of the MCP servers, in any of the forms a server may be written. */
export function serverIds({ mcp }: PackageFile): string[] {
  return (mcp?.servers ?? []).flatMap((server) => {
    if (typeof server === 'string') return [server]
    if (typeof server !== 'object' || server === null) return []
    const id = 'server_id' in server ? server.server_id : Object.keys(server)[0]
    return typeof id === 'string' ? [id] : []
  })
}
