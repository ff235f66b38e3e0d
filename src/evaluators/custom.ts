import { z } from 'zod'
import type { Evaluation, Violation } from '../core/evaluation.ts'
import { isJsonObject, type Json, type JsonObject, jsonType } from '../core/json.ts'
import { issuesToProblems } from '../core/kind.ts'
import type { CallPlugin } from '../core/means.ts'
import { toSeed } from '../core/trace.ts'
import { type EvaluatorKind, SEVERITIES, scoreOf } from './evaluator.ts'
import { sessionInfoOf } from './session-info.ts'

/** Of the evaluator's own running, where its settings say nothing. */
const LIMIT_MS = 10_000
/** Nobody reads more of them, and a hostile file may make any number. */
const MOST_ITEMS = 1_000

const settings = z.object({
  /** What its evaluation is called. */
  name: z.string().min(1),
  /** Relative to the working directory, with `/`, or absolute. */
  file: z.string().min(1),
  /** Its own, as plain data. */
  options: z.custom<JsonObject>(isJsonObject, { error: 'expected an object' }).optional(),
  timeoutMs: z.number().positive().optional(),
  severities: z.record(z.string(), z.enum(SEVERITIES)).optional(),
})

type Settings = z.infer<typeof settings>

/** A file of the author's own judges: its `evaluate(timeline, sessionInfo, options)`. */
export const custom: EvaluatorKind = customWith(undefined)

/** The same with something that can call the file. */
export function customWith(plugin: CallPlugin | undefined): EvaluatorKind {
  return {
    type: 'custom',
    schema: settings,
    violations: {},
    async evaluate(trace, { type: _type, ...written }) {
      const config = settings.parse(written)
      if (!plugin) return errored(config, 'its file cannot be called here')
      try {
        const { file, options = {}, timeoutMs: limitMs = LIMIT_MS } = config
        const args = [toSeed(trace) as unknown as Json, sessionInfoOf(trace), options]
        const outcome = await plugin({ file, function: 'evaluate', args, limitMs })
        return outcome.kind === 'failed' ? errored(config, outcome.message) : evaluationOf(config, outcome.value)
      } catch (error) {
        return errored(config, error instanceof Error ? error.message : String(error))
      }
    },
  }
}

function errored({ name }: Settings, message: string): Evaluation {
  return { status: 'errored', evaluator: name, message }
}

const text = z.string().max(10_000)
const json = z.custom<Json>((value) => value !== undefined)
const result = z.strictObject({
  checks: z
    .array(
      z.strictObject({
        name: text.min(1),
        passed: z.boolean(),
        weight: z.number().min(0).default(1),
        message: text.default(''),
      }),
    )
    .max(MOST_ITEMS)
    .optional(),
  violations: z
    .array(
      z.strictObject({
        type: text.min(1),
        severity: z.enum(['error', 'warning', 'info']).default('error'),
        message: text,
        timestamp: z.number().optional(),
        evidence: json.optional(),
        final: z.boolean().optional(),
      }),
    )
    .max(MOST_ITEMS)
    .default([]),
  facts: z.custom<JsonObject>(isJsonObject, { error: 'expected an object' }).optional(),
  informational: z.boolean().optional(),
})

const EXPECTED = 'expected {"checks", "violations"}, {"notApplicable"} or null'

function evaluationOf(config: Settings, returned: Json): Evaluation {
  const { name: evaluator } = config
  if (returned === null) return { status: 'not_applicable', evaluator, reason: 'it found nothing to judge' }
  if (!isJsonObject(returned)) return errored(config, `${EXPECTED}, got ${jsonType(returned)}`)
  const { notApplicable: reason } = returned
  if (typeof reason === 'string' && reason !== '') return { status: 'not_applicable', evaluator, reason }
  const parsed = result.safeParse(returned)
  if (!parsed.success) return errored(config, describe(parsed.error))
  const { checks: given, violations: found, facts, informational } = parsed.data
  const violations = found.flatMap((violation) => withSeverity(violation, config.severities ?? {}))
  const message = violations.map((violation) => violation.message).join('; ')
  // Without checks of its own it is one: that it found nothing.
  const checks =
    given && given.length > 0 ? given : [{ name: evaluator, passed: violations.length === 0, weight: 1, message }]
  return {
    status: 'scored',
    evaluator,
    passed: violations.every(({ severity }) => severity !== 'error'),
    score: scoreOf(checks),
    checks,
    violations,
    ...(informational === true ? { informational } : {}),
    ...(facts === undefined ? {} : { facts }),
  }
}

/** What does not fit, in the words of the returned value; the first few say enough. */
function describe(error: z.ZodError): string {
  const problems = issuesToProblems(error, '', ['checks', 'violations', 'facts', 'informational', 'notApplicable'])
  const shown = problems.slice(0, 3).map(({ field = '', message, hint }) => {
    return `${field === '' ? '' : `${field}: `}${message.replace('setting', 'field')}${hint === undefined ? '' : ` (${hint})`}`
  })
  return `what it returned: ${shown.join('; ')}${problems.length > 3 ? '; …' : ''}`
}

type Found = z.infer<typeof result>['violations'][number]

function withSeverity(found: Found, given: NonNullable<Settings['severities']>): Violation[] {
  const severity = (Object.hasOwn(given, found.type) ? given[found.type] : undefined) ?? found.severity
  if (severity === 'off') return []
  const { type, message, timestamp, evidence, final } = found
  return [
    {
      type,
      severity,
      message,
      ...(timestamp === undefined ? {} : { timestamp }),
      ...(evidence === undefined ? {} : { evidence }),
      ...(final === true ? { final } : {}),
    },
  ]
}
