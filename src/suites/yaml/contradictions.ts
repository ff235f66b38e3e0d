import { quote } from '../../core/kind.ts'
import type { Notes } from '../../core/reading/findings.ts'
import type { Demands, Settings } from './demands.ts'

/** Expectations that no run can meet together; such a test says nothing of the agent. */
export function noteContradictions(demands: Demands, notes: Notes): void {
  const behavior = demands.settings.get('behavior') ?? {}
  for (const message of [...toolContradictions(behavior), ...countContradictions(behavior)])
    notes.warning('behavior', `contradiction: ${message}`)
  for (const message of violationContradictions(demands, behavior))
    notes.warning('expectedViolations', `contradiction: ${message}`)
}

function toolContradictions(behavior: Settings): string[] {
  const forbidden = texts(behavior['mustNotUseTools'])
  const needed = texts(behavior['mustUseTools'])
  const both = needed.filter((tool) => forbidden.includes(tool))
  const sets = lists(behavior['mustUseAnyOf'])
  const hasNoChoice = sets.length > 0 && sets.every((set) => set.some((tool) => forbidden.includes(tool)))
  return [
    ...both.map((tool) => `${quote(tool)} must be used and must not be used`),
    ...(hasNoChoice ? ['every set of mustUseAnyOf holds a tool that must not be used'] : []),
    ...(behavior['shouldDelegate'] === true && forbidden.includes('task')
      ? ['the agent should delegate, and "task" must not be used']
      : []),
  ]
}

function countContradictions(behavior: Settings): string[] {
  const [least, most] = [numberOf(behavior['minToolCalls']), numberOf(behavior['maxToolCalls'])]
  const needed = new Set(texts(behavior['mustUseTools'])).size
  const [fewest, mostMessages] = [numberOf(behavior['minMessages']), numberOf(behavior['maxMessages'])]
  return [
    ...(least !== undefined && most !== undefined && least > most
      ? [`at least ${least} and at most ${most} tool calls`]
      : []),
    ...(most !== undefined && needed > most ? [`${needed} tools must be used in at most ${most} calls`] : []),
    ...(fewest !== undefined && mostMessages !== undefined && fewest > mostMessages
      ? [`at least ${fewest} and at most ${mostMessages} messages`]
      : []),
  ]
}

/** What an evaluator cannot find where the tools that it looks at must not be used. Source: spec opencode-evals C, G.12. */
const LOOKS_AT: Readonly<Record<string, readonly string[]>> = {
  'tool-usage': ['bash'],
  'stop-on-failure': ['bash'],
  'report-first': ['bash'],
  'cleanup-confirmation': ['bash'],
  'approval-gate': ['bash', 'write', 'edit', 'task'],
  'context-loading': ['write', 'edit', 'task'],
  'execution-balance': ['bash', 'write', 'edit', 'task'],
}

function violationContradictions({ violations, passes }: Demands, behavior: Settings): string[] {
  const forbidden = texts(behavior['mustNotUseTools'])
  const must = violations.filter(({ state }) => state === 'must')
  return [
    ...(passes && must.length > 0 ? [`"pass: true", and ${must[0]?.evaluator} must be violated`] : []),
    ...must.flatMap(({ evaluator, type }) => {
      const other = violations.some(
        (item) =>
          item.state === 'must_not' && item.evaluator === evaluator && (item.type === undefined || item.type === type),
      )
      return other ? [`${evaluator} must be violated and must not be violated`] : []
    }),
    ...must.flatMap(({ evaluator }) => {
      const tools = LOOKS_AT[evaluator] ?? []
      const isBlind = tools.length > 0 && tools.every((tool) => forbidden.includes(tool))
      if (!isBlind && evaluator === 'tool-usage') return rightAndWrongTool(behavior)
      return isBlind ? [`${evaluator} must be violated, and ${namesOf(tools)} must not be used`] : []
    }),
  ]
}

/** What `tool-usage` wants to see in place of a command. */
const DEDICATED_TOOLS: readonly string[] = ['read', 'write', 'edit', 'list', 'glob', 'grep']

/** To ask for the right tool and for the wrong one is to ask for neither. Source: spec opencode-evals G.12. */
function rightAndWrongTool(behavior: Settings): string[] {
  const needed = texts(behavior['mustUseTools'])
  if (needed.includes('bash') || texts(behavior['mustNotUseTools']).includes('bash')) return []
  const right = needed.filter((tool) => DEDICATED_TOOLS.includes(tool))
  return right.length === 0 ? [] : [`tool-usage must be violated, and ${namesOf(right)} must be used instead`]
}

function namesOf(tools: readonly string[]): string {
  return tools.map((tool) => quote(tool)).join(', ')
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}

function lists(value: unknown): string[][] {
  return Array.isArray(value) ? value.map(texts) : []
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}
