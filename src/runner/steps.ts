import { createHash } from 'node:crypto'
import { sortedJson } from '../core/json.ts'
import type { Step } from '../core/step.ts'
import { fullName } from '../core/tool-name.ts'
import type { Trace } from '../core/trace.ts'
import { plainText } from '../lib/escape.ts'

/** More are not laid side by side. */
const MOST_STEPS = 200
/** Characters of the parameters that people are shown, and of a name. */
const LONGEST_SHOWN = 200
/** Hexadecimal digits of a hash. */
const HASH_LENGTH = 16

/**
 * The tool calls of the session that was prompted, in order: what it delegates runs beside it, in an order of its own.
 * The trace is a redacted one, for hashes are kept where the parameters themselves would not be.
 */
export function stepsOf({ events }: Trace): readonly Step[] {
  const steps: Step[] = []
  for (const event of events) {
    if (event.type !== 'tool_call' || (event.session?.depth ?? 0) > 0) continue
    if (steps.length === MOST_STEPS) break
    const json = sortedJson(event.parameters)
    steps.push({
      tool: plainText(fullName(event), { maxLength: LONGEST_SHOWN }),
      parameters: createHash('sha256').update(json).digest('hex').slice(0, HASH_LENGTH),
      shown: plainText(json, { maxLength: LONGEST_SHOWN }),
    })
  }
  return steps
}
