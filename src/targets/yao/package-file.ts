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
    .looseObject(
      {
        servers: z.array(z.unknown(), 'expected a list of servers').optional(),
        options: z
          .looseObject(
            {
              tool_loop: z.boolean('expected true or false').optional(),
              max_turn: z.int('expected a whole number').min(1, 'expected at least 1').optional(),
            },
            'expected an object',
          )
          .nullish(),
      },
      'expected an object',
    )
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
