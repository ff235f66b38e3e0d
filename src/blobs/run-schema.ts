import { z } from 'zod'
import type { TargetErrorCode } from '../core/errors.ts'
import { isTooDeep, type Json, MAX_DEPTH } from '../core/json.ts'

// What a blob may hold of one run. Bounds are far above what this program writes: they keep a hostile document from
// being more than its size.

/** Instants that a Date can hold. */
const LATEST_TIME_MS = 8.64e15

export const MOST_ITEMS = 10_000

export const name = z.string().max(100_000)
export const words = z.string()
export const count = z.int().min(0)
export const amount = z.number().min(0)
export const percent = z.number().min(0).max(100)

export function list<S extends z.ZodType>(item: S) {
  return z.array(item).max(MOST_ITEMS)
}

export const json = z.custom<Json>((value) => value !== undefined && !isTooDeep(value), {
  error: ({ input }) => (input === undefined ? 'expected a JSON value' : `nested deeper than ${MAX_DEPTH} levels`),
})
export const jsonObject = z.record(z.string(), json)

const CODES: Readonly<Record<TargetErrorCode, true>> = {
  TIMEOUT: true,
  ABORTED: true,
  RATE_LIMITED: true,
  PROVIDER_ERROR: true,
  CONNECTION: true,
  AUTHENTICATION: true,
  BAD_REQUEST: true,
  BAD_RESPONSE: true,
  PROCESS_FAILED: true,
  CASSETTE_MISS: true,
  NOT_RECORDED: true,
  UNSUPPORTED: true,
  SCRIPT_ERROR: true,
  EVALUATOR_FAILED: true,
  NOT_JUDGED: true,
}

const check = z.object({
  name,
  passed: z.boolean(),
  weight: amount,
  message: words,
  expected: json.exactOptional(),
  actual: json.exactOptional(),
  details: jsonObject.exactOptional(),
})

const usage = z.object({ inputTokens: amount, outputTokens: amount, costUsd: amount.exactOptional() })

const step = z.object({ tool: name, parameters: name, shown: words.exactOptional() })

const logLine = z.object({ level: z.enum(['debug', 'info', 'warn', 'error']), text: words })

const violation = z.object({
  type: name,
  severity: z.enum(['error', 'warning', 'info']),
  message: words,
  timestamp: z.number().exactOptional(),
  evidence: json.exactOptional(),
  final: z.boolean().exactOptional(),
})

const evaluation = z.discriminatedUnion('status', [
  z.object({
    status: z.literal('scored'),
    evaluator: name,
    passed: z.boolean(),
    score: percent,
    checks: list(check),
    violations: list(violation),
    informational: z.boolean().exactOptional(),
    facts: jsonObject.exactOptional(),
  }),
  z.object({
    status: z.literal('not_applicable'),
    evaluator: name,
    reason: words,
    facts: jsonObject.exactOptional(),
  }),
  z.object({ status: z.literal('errored'), evaluator: name, message: words }),
])

const toolCall = z.object({
  tool: name,
  server: name.exactOptional(),
  parameters: json,
  result: json.exactOptional(),
  error: words.exactOptional(),
})

const turn = z.object({
  turn: z.int().min(1),
  input: words,
  output: json,
  content: words,
  toolCalls: list(toolCall),
  data: json.exactOptional(),
  reached: list(name),
  durationMs: amount,
  error: words.exactOptional(),
})

const conversation = z.object({
  turns: list(turn),
  checkpoints: list(
    z.object({
      id: name,
      description: words.exactOptional(),
      required: z.boolean(),
      reachedInTurn: z.int().min(1).exactOptional(),
      message: words,
      verdict: jsonObject.exactOptional(),
    }),
  ),
  ending: z.enum(['checkpoints_reached', 'goal_achieved', 'turns_used_up', 'agent_failed', 'broken_off']),
  simulator: z.object({ agent: name, reasoning: words.exactOptional(), usage: usage.exactOptional() }),
})

const runBase = {
  run: z.int().min(1),
  attempts: z.int().min(1),
  startedAt: z.number().min(-LATEST_TIME_MS).max(LATEST_TIME_MS),
  durationMs: amount,
  usage: usage.exactOptional(),
  answeredModel: words.exactOptional(),
  turns: count.exactOptional(),
  steps: list(step).exactOptional(),
  conversation: conversation.exactOptional(),
  logs: list(logLine).exactOptional(),
  evaluations: list(evaluation).exactOptional(),
  score: percent.nullable().exactOptional(),
  output: json.exactOptional(),
}

/** A run without the key of its case, which is the case's. */
export const storedRun = z.discriminatedUnion('status', [
  z.object({ ...runBase, status: z.literal('passed'), checks: list(check) }),
  z.object({ ...runBase, status: z.literal('failed'), checks: list(check) }),
  z.object({
    ...runBase,
    status: z.literal('errored'),
    code: z.enum(Object.keys(CODES) as [TargetErrorCode, ...TargetErrorCode[]]),
    message: words,
  }),
])
