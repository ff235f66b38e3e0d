import { z } from 'zod'
import { TargetError, type TargetErrorCode } from '../../core/errors.ts'
import { isTooDeep, type Json, MAX_DEPTH } from '../../core/json.ts'
import { issuesToProblems } from '../../core/kind.ts'
import { type EmittedEvent, fromSeed } from '../../core/trace.ts'

/** A run of an earlier results file: what the agent did and, when it could not be run, why. */
export interface RecordedRun {
  readonly suite: string
  readonly id: string
  readonly run: number
  readonly events: readonly EmittedEvent[]
  readonly error?: TargetError
  /** Of a case that a simulated user talked through. */
  readonly conversation?: RecordedConversation
}

interface RecordedConversation {
  readonly ending: string
  /** Why the simulator held its goal for achieved. */
  readonly reasoning?: string
  /** The agent or a judge could not be run in it. */
  readonly lastTurnBroke: boolean
}

export type ParsedResultsLine =
  /** The first line; names the agent that was tested. */
  | { readonly kind: 'start'; readonly agent?: string }
  | { readonly kind: 'run'; readonly recorded: RecordedRun }
  /** A summary, a skipped case, or a line that a later version added. */
  | { readonly kind: 'other' }
  | { readonly kind: 'invalid'; readonly field?: string; readonly problem: string }

/** Newest version of the results format that this reads. */
const NEWEST_VERSION = 1

const anyLine = z.looseObject({ type: z.string(), schemaVersion: z.number().optional() })

const startLine = z.looseObject({ agent_id: z.string().optional() })

const runLine = z.looseObject({
  suite: z.string().default(''),
  id: z.string(),
  run: z.int().min(1).default(1),
  status: z.enum(['passed', 'failed', 'error', 'timeout', 'skipped']),
  output: z.custom<Json>((value) => !isTooDeep(value), `nested deeper than ${MAX_DEPTH} levels`).optional(),
  error: z.string().default('recorded without a message'),
  code: z.string().optional(),
  trace: z.array(z.unknown()).optional(),
  metadata: z.unknown().optional(),
})

const conversationFields = z.looseObject({
  mode: z.literal('dynamic'),
  ending: z.string(),
  turns: z.array(z.looseObject({ error: z.string().optional() })),
  simulator: z.looseObject({ reasoning: z.string().optional() }),
})

/** Reads one line of a JSONL results file. Source of the fields: spec yao 5.1 and the additions of our writer. */
export function parseResultsLine(text: string): ParsedResultsLine {
  let value: unknown
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    return { kind: 'invalid', problem: `not JSON: ${error instanceof Error ? error.message : String(error)}` }
  }
  const line = anyLine.safeParse(value)
  if (!line.success) return { kind: 'invalid', problem: 'no line of a results file: expected an object with "type"' }
  const { type, schemaVersion = NEWEST_VERSION } = line.data
  if (schemaVersion > NEWEST_VERSION) {
    const problem = `schemaVersion ${schemaVersion} is newer than this agent-test reads (${NEWEST_VERSION})`
    return { kind: 'invalid', problem }
  }
  if (type === 'start') return startOf(line.data)
  return type === 'result' || type === 'run' ? runOf(line.data) : { kind: 'other' }
}

function startOf(value: unknown): ParsedResultsLine {
  const { data } = startLine.safeParse(value)
  return data?.agent_id ? { kind: 'start', agent: data.agent_id } : { kind: 'start' }
}

function runOf(value: unknown): ParsedResultsLine {
  const parsed = runLine.safeParse(value)
  if (!parsed.success) {
    const [first] = issuesToProblems(parsed.error)
    return { kind: 'invalid', field: first?.field ?? '', problem: first?.message ?? 'wrong shape' }
  }
  const { suite, id, run, status, output, trace = [] } = parsed.data
  if (status === 'skipped') return { kind: 'other' }
  const events: EmittedEvent[] = []
  for (const [index, item] of trace.entries()) {
    const event = fromSeed(item)
    if (!event.ok) return { kind: 'invalid', field: `trace[${index}]`, problem: event.problem }
    events.push(event.event)
  }
  if (events.length === 0 && output !== undefined) events.push({ type: 'output', value: output })
  const error = status === 'error' || status === 'timeout' ? { error: recordedError(parsed.data) } : {}
  return { kind: 'run', recorded: { suite, id, run, events, ...error, ...conversationOf(parsed.data.metadata) } }
}

/** Of other cases, metadata is whatever they say. */
function conversationOf(metadata: unknown): Pick<RecordedRun, 'conversation'> {
  const { data } = conversationFields.safeParse(metadata)
  if (!data) return {}
  const { ending, turns, simulator } = data
  const { reasoning } = simulator
  const lastTurnBroke = turns.at(-1)?.error !== undefined
  return { conversation: { ending, lastTurnBroke, ...(reasoning === undefined ? {} : { reasoning }) } }
}

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

/** Never retryable: the record says the same every time. */
function recordedError({ status, error, code }: z.infer<typeof runLine>): TargetError {
  const known = code !== undefined && Object.hasOwn(CODES, code) ? (code as TargetErrorCode) : undefined
  return new TargetError(error, { code: known ?? (status === 'timeout' ? 'TIMEOUT' : 'PROVIDER_ERROR') })
}
