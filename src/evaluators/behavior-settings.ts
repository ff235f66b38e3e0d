import { z } from 'zod'

const names = z.array(z.string().min(1))
const count = z.int().min(0)

/** What a case may ask of the behaviour of its agent; names are those of the public suites. Source: spec A.4, A.8. */
export const behaviorSchema = z.object({
  mustUseTools: names.default([]),
  /** All of at least one list. */
  mustUseAnyOf: z.array(names).default([]),
  /** Allowed and not asked for: nothing is judged by it. */
  mayUseTools: names.default([]),
  mustNotUseTools: names.default([]),
  /** Each list in its order, other calls between. */
  mustUseInOrder: z.array(names).default([]),
  mustNotUseInFirstN: z.strictObject({ tools: names, n: count }).optional(),
  minToolCalls: count.optional(),
  maxToolCalls: count.optional(),
  requiresApproval: z.boolean().default(false),
  approvalMode: z.enum(['text', 'permission', 'either']).default('either'),
  requiresContext: z.boolean().default(false),
  expectedContextFiles: names.default([]),
  shouldDelegate: z.boolean().default(false),
  mustUseDedicatedTools: z.boolean().default(false),
  expectedResponse: z
    .strictObject({ contains: names.default([]), notContains: names.default([]), description: z.string().optional() })
    .optional(),
  /** The agent says something. */
  responseProvided: z.boolean().default(false),
  minMessages: count.optional(),
  maxMessages: count.optional(),
  /** Different files that are changed. */
  minFilesWritten: count.optional(),
  filesModified: names.default([]),
  /** A working area of the agent's own. Source: spec opencode-evals C.8. */
  scratchpad: z
    .strictObject({
      dir: z.string().min(1).default('.tmp/'),
      /** Something is written there. */
      required: z.boolean().default(false),
      /** Nothing is written there. */
      forbidden: z.boolean().default(false),
      /** What is written there is removed again. */
      cleanup: z.boolean().default(false),
    })
    .optional(),
  /** Judged by `agent-model`. */
  expectedAgent: z.string().optional(),
  expectedModel: z.string().optional(),
})

export type BehaviorSettings = z.infer<typeof behaviorSchema>
