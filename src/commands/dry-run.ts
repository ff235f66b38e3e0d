import type { ConversationPlan } from '../core/conversation.ts'
import type { Host } from '../core/host.ts'
import { resolveIdentity } from '../core/identity.ts'
import { redactDeep } from '../core/redact.ts'
import { optionsOf, type Plan, type PlannedCase, timeoutOf } from '../runner/plan.ts'
import type { Prepared } from '../setup/prepare.ts'

/** `--dry-run`: one JSON line a case on standard output; nothing is called and nothing written. Source: spec yao 10.3. */
export function listPlan({ plan }: Prepared, host: Host): void {
  for (const planned of plan.cases) {
    host.print(`${inert(JSON.stringify(redactDeep(lineOf(planned, plan), host.secrets)))}\n`)
  }
}

function lineOf({ item, target }: PlannedCase, plan: Plan) {
  const { user, team } = resolveIdentity({ flags: plan.flags, context: plan.context, case: item })
  const { conversation, metadata, skip } = item
  return {
    suite: item.suite,
    id: item.id,
    line: item.location.line,
    runs: skip === undefined ? plan.runsPerCase : 0,
    target: target.label,
    timeout_ms: timeoutOf(item, plan),
    user,
    team,
    input: item.input,
    assertions: item.assertions,
    options: optionsOf(item, plan),
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
    ...(conversation === undefined ? {} : conversationFields(conversation)),
    ...(skip === undefined ? {} : { skip }),
  }
}

/** As in a record, with every default filled in. */
function conversationFields({ simulator, checkpoints, maxTurns }: ConversationPlan) {
  const { agent, metadata, connector } = simulator
  return {
    simulator: { use: agent, options: { metadata, ...(connector === undefined ? {} : { connector }) } },
    checkpoints: checkpoints.map(({ assertions, ...rest }) => ({ ...rest, assert: assertions })),
    max_turns: maxTurns,
  }
}

/** What JSON leaves as it is and a terminal obeys, or a reader takes for the end of a line, in JSON's own escapes. */
function inert(json: string): string {
  return json.replace(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
