import { z } from 'zod'
import { parseDuration } from '../../lib/duration.ts'

const limit = z
  .union([z.string(), z.number()], { error: 'expected a duration such as "2m", or milliseconds' })
  .refine((value) => (millisecondsOf(value) ?? 0) > 0, 'expected a duration such as "2m", or milliseconds')
const path = z.string('expected a path').min(1, 'expected a path')
const name = z.string('expected a name').min(1, 'expected a name')

export const schema = z.object({
  url: z
    .string('expected a URL')
    .refine(isHttp, 'expected a URL such as http://127.0.0.1:4096')
    .optional()
    .describe('A server that runs already; without it one is started'),
  bin: path.optional().describe('The program opencode; without it PATH and the packages of the project are searched'),
  directory: path.optional().describe('The project that is tested; default: the git root of the suite'),
  agent: name.optional().describe('Agent of cases that name none; default: default_agent of the OpenCode config'),
  model: name.optional().describe('provider/model of cases that name none; default: that of the agent'),
  workspace: path.optional().describe('Folder that each run gets a copy of; default: what git tracks in directory'),
  timeout: limit.optional().describe('Limit of one turn'),
  inactivity: limit.default('3m').describe('Limit of the time in which nothing at all happens in a turn'),
  env: z
    .array(
      z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'expected the name of a variable'),
      'expected names of variables',
    )
    .optional()
    .describe('Variables the server may see; default: the keys of well-known providers'),
  network: z
    .boolean('expected true or false')
    .default(false)
    .describe('Lets the server load its model catalogue and packages; models are asked anyhow'),
  catalogue: path.optional().describe('Model catalogue in the form of models.dev; a small one saves time and memory'),
})
export type Settings = z.infer<typeof schema>

export function millisecondsOf(value: string | number): number | undefined {
  return typeof value === 'number' ? value : parseDuration(value)
}

function isHttp(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
}
