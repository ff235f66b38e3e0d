import type { Host } from '../core/host.ts'
import { optionsOf, timeoutOf } from '../runner/plan.ts'
import type { Prepared } from '../setup/prepare.ts'

/** `--dry-run`: one JSON line a case on standard output; nothing is called. */
export function listPlan({ plan }: Prepared, host: Host): void {
  for (const { item, target } of plan.cases) {
    const line = {
      suite: item.suite,
      id: item.id,
      line: item.location.line,
      runs: item.skip === undefined ? plan.runsPerCase : 0,
      target: target.label,
      timeout_ms: timeoutOf(item, plan),
      input: item.input,
      assertions: item.assertions,
      options: optionsOf(item, plan),
      ...(item.skip === undefined ? {} : { skip: item.skip }),
    }
    host.print(`${JSON.stringify(line)}\n`)
  }
}
