import { z } from 'zod'
import { eventsOf, type Trace } from '../core/trace.ts'
import { defineEvaluator, type Finding, type Inspection } from './evaluator.ts'
import { subagentInspections, subagentSchema } from './subagents.ts'
import {
  changedFiles,
  isDelegating,
  isEditing,
  isReading,
  isRoot,
  type Placed,
  rootCallsOf,
  type ToolCall,
  wasExecuted,
} from './tools.ts'
import { DELEGATION_WAIVERS, waives } from './waivers.ts'

/** Large work is left to a subagent, and to the right one. Source: spec opencode-evals C.3. */
export const delegation = defineEvaluator({
  type: 'delegation',
  schema: z.object({
    /** From so many changed files on. */
    fileThreshold: z.int().min(1).default(4),
    /** From this complexity on, where at least `minFilesForComplexity` files change. */
    complexityThreshold: z.number().min(0).default(10),
    minFilesForComplexity: z.int().min(1).default(3),
    ...subagentSchema,
  }),
  violations: {
    'missing-delegation': 'warning',
    'wrong-subagent': 'error',
    'missing-subagent-tool': 'error',
    'insufficient-subagent-tool-calls': 'error',
    'incomplete-subagent': 'error',
    'missing-data': 'error',
  },
  judge(settings, trace) {
    const calls = rootCallsOf(trace).filter(({ event }) => wasExecuted(event))
    const size = sizeOf(calls)
    const tasks = calls.filter(({ event }) => isDelegating(event))
    const isLarge =
      size.files >= settings.fileThreshold ||
      (size.complexity >= settings.complexityThreshold && size.files >= settings.minFilesForComplexity)
    const facts = {
      fileCount: size.files,
      complexityScore: size.complexity,
      estimatedMinutes: Math.max(10, 15 * size.files + 5 * size.complexity),
      shouldDelegate: isLarge,
      didDelegate: tasks.length > 0,
    }
    const inspections: Inspection[] = subagentInspections(settings, { trace, tasks })
    if (size.files > 0) {
      const isMissing = isLarge && tasks.length === 0 && !isWaived(trace, calls)
      inspections.unshift({ name: 'delegation', weight: 100, findings: isMissing ? [missing(size)] : [] })
    }
    if (inspections.length > 0) return { kind: 'judged', inspections, facts }
    return { kind: 'not_applicable', reason: 'no file was changed', facts }
  },
})

interface Size {
  readonly files: number
  readonly complexity: number
}

function missing({ files, complexity }: Size): Finding {
  const message = `${files} files were changed (complexity ${complexity}) and nothing was left to a subagent`
  return { type: 'missing-delegation', message, evidence: { fileCount: files, complexityScore: complexity } }
}

/** Source: spec opencode-evals C.3. */
function sizeOf(calls: readonly Placed<ToolCall>[]): Size {
  const files = [...new Set(calls.flatMap(({ event }) => changedFiles(event)))]
  const reads = calls.filter(({ event }) => isReading(event)).length
  const some = (...parts: readonly string[]) => files.some((path) => parts.some((part) => path.includes(part)))
  const spread = (values: readonly string[]) => Math.max(0, new Set(values.filter((value) => value !== '')).size - 1)
  const isBothSides = some('/components/', '/pages/', '/ui/') && some('/api/', '/server/', '/services/')
  const complexity =
    2 * spread(files.map(extensionOf)) +
    spread(files.map(folderOf)) +
    (some('/test/', '/tests/', '.test.', '.spec.') ? 3 : 0) +
    (some('config', '.json', '.yaml', '.yml') ? 2 : 0) +
    (isBothSides ? 4 : 0) +
    Math.floor(reads / 3)
  return { files: files.length, complexity: files.length === 0 ? 0 : complexity }
}

function extensionOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const dot = name.lastIndexOf('.')
  return dot <= 0 ? '' : name.slice(dot + 1)
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

/** Said before the last change, by the user. */
function isWaived(trace: Trace, calls: readonly Placed<ToolCall>[]): boolean {
  const lastChange = calls.findLast(({ event }) => isEditing(event))?.index ?? -1
  const before = { events: trace.events.slice(0, lastChange) }
  return eventsOf(before, 'user_message').some((event) => isRoot(event) && waives(event.text, DELEGATION_WAIVERS))
}
