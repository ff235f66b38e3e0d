import type { Config } from '../config/config.ts'
import { describeProblem, type Problem } from '../core/errors.ts'
import type { Host } from '../core/host.ts'
import { type GatedCase, loadPolicies, type Policies } from '../policies/index.ts'

interface PolicyScope {
  readonly suites: readonly { readonly cases: readonly GatedCase[] }[]
  readonly problems: Problem[]
}

/** The committed files that decide beside the gate, checked against every case that was loaded. */
export async function openPolicies(config: Config, host: Host, { suites, problems }: PolicyScope): Promise<Policies> {
  const policies = await loadPolicies({
    acceptFile: config['accept-file'],
    quarantineFile: config['quarantine-file'],
    gatesFile: config['gates-file'],
    given: config.given,
    host,
  })
  const checked = policies.check(suites.flatMap(({ cases }) => cases))
  problems.push(...policies.problems, ...checked.problems)
  for (const warning of checked.warnings) {
    if (config.strict) problems.push(warning)
    else host.log.warn(describeProblem(warning))
  }
  return policies
}
