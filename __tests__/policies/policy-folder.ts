import { describeProblem } from '../../src/core/errors.ts'
import { loadPolicies, type Policies } from '../../src/policies/index.ts'
import { folderWith } from '../suites/folder.ts'
import { fakeHost } from '../support/fake-host.ts'

/** The first of March 2026, late in the day in UTC. */
export const NOW = Date.parse('2026-03-01T23:30:00Z')

interface LoadedFiles {
  readonly policies: Policies
  readonly problems: readonly string[]
  readonly cwd: string
}

interface PolicyTexts {
  readonly accept?: string | Uint8Array
  readonly quarantine?: string | Uint8Array
  readonly gates?: string | Uint8Array
  /** Options that the user named. */
  readonly given?: readonly string[]
}

/** Loads these texts as `accept.yml`, `quarantine.yml` and `gates.yml` of a fresh folder; an absent one has no file. */
export async function loadTexts({ accept, quarantine, gates, given = [] }: PolicyTexts): Promise<LoadedFiles> {
  const cwd = folderWith({
    ...(accept === undefined ? {} : { 'accept.yml': accept }),
    ...(quarantine === undefined ? {} : { 'quarantine.yml': quarantine }),
    ...(gates === undefined ? {} : { 'gates.yml': gates }),
  })
  return await loadIn(cwd, given)
}

export async function loadIn(cwd: string, given: readonly string[] = []): Promise<LoadedFiles> {
  const policies = await loadPolicies({
    acceptFile: 'accept.yml',
    quarantineFile: 'quarantine.yml',
    gatesFile: 'gates.yml',
    given: new Set(given),
    host: fakeHost({ cwd, now: () => NOW }),
  })
  return { policies, problems: policies.problems.map(describeProblem), cwd }
}
