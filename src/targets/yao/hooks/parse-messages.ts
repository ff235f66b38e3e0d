import { z } from 'zod'
import { isTooDeep, type Json, type JsonObject } from '../../../core/json.ts'
import { didYouMean, quote } from '../../../core/kind.ts'
import { type Message, ROLES } from '../../../core/message.ts'

const text = z.string('expected a text')
const part = z.discriminatedUnion(
  'type',
  [
    z.object({ type: z.literal('text'), text }),
    z.object({
      type: z.literal('image_url'),
      image_url: z.object({ url: text, detail: text.optional() }, 'expected {"url"}'),
    }),
    z.object({ type: z.literal('input_audio'), input_audio: z.object({ data: text, format: text }) }),
    z.object({
      type: z.literal('file'),
      file: z.object({ url: text.default(''), filename: text.optional(), file_id: text.optional() }, 'expected a file'),
    }),
    z.object({
      type: z.literal('data'),
      data: z.object({ sources: z.array(z.record(z.string(), z.unknown())).nullable().default(null) }),
    }),
  ],
  'expected a part of type text, image_url, input_audio, file or data',
)

const call = z.object({
  id: text.optional(),
  type: z.literal('function').default('function'),
  function: z.object({
    name: text,
    // An object becomes JSON text. Source: spec yao 3.1.
    arguments: z
      .unknown()
      .optional()
      .transform((value) => (typeof value === 'string' ? value : JSON.stringify(value ?? {}))),
  }),
})

const message = z.object({
  role: z
    .string('expected a role')
    .default('user')
    .refine((role) => (ROLES as readonly string[]).includes(role), {
      error: ({ input }) => unknownRole(String(input)),
    }),
  content: z
    .union([z.string(), z.array(part), part.transform((one) => [one])], 'expected a text or a list of parts')
    .nullish(),
  name: text.nullish(),
  tool_call_id: text.nullish(),
  refusal: text.nullish(),
  tool_calls: z.array(call, 'expected a list of tool calls').nullish(),
})

function unknownRole(role: string): string {
  const hint = didYouMean(role, ROLES)
  return `unknown role ${quote(role.slice(0, 60))}${hint === undefined ? '' : ` (${hint})`}`
}

export type ParsedMessages = { readonly messages: readonly Message[] } | { readonly problem: string }

/**
 * Messages as a hook or a script hands them over: a list in Yao's normalised form. `field` names the list in what is
 * said of a mistake. Source: spec yao 3.1 and 3.2.
 */
export function parseMessages(value: unknown, field: string): ParsedMessages {
  if (!Array.isArray(value)) return { problem: `${field}: expected a list of messages` }
  if (isTooDeep(value)) return { problem: `${field}: nested too deep` }
  const messages: Message[] = []
  for (const [index, item] of (value as unknown[]).entries()) {
    const parsed = message.safeParse(item)
    if (!parsed.success) return { problem: `${field}[${index}]${describeIssue(parsed.error)}` }
    messages.push(cleaned(parsed.data as unknown as JsonObject))
  }
  return { messages }
}

/** `.role: expected …`, ready to follow the place of the value that was parsed. */
export function describeIssue({ issues }: z.ZodError): string {
  const issue = issues[0]
  const path = (issue?.path ?? []).map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('')
  const said = issue?.message ?? 'wrong shape'
  return `${path}: ${said.charAt(0).toLowerCase()}${said.slice(1)}`
}

/** Without what is null or empty: in Yao these mean "not set". An empty text is said all the same. */
function cleaned(given: JsonObject): Message {
  const entries = Object.entries(given).filter(([key, value]: [string, Json | undefined]) => {
    if (value === null || value === undefined) return false
    return key === 'content' || !(value === '' || (Array.isArray(value) && value.length === 0))
  })
  const message: JsonObject = Object.fromEntries(entries)
  return message as unknown as Message
}
