import type { Inspection } from './evaluator.ts'

/** An inspection with a finding for each message. */
export function inspect(name: string, weight: number, type: string, messages: readonly string[]): Inspection {
  return { name, weight, findings: messages.map((message) => ({ type, message })) }
}
