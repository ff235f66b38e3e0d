import { resolve } from 'node:path'
import type { Problem } from '../core/errors.ts'
import type { CaseGate } from '../core/gate.ts'
import type { Host } from '../core/host.ts'
import type { Findings } from '../core/reading/findings.ts'
import type { Case } from '../core/suite.ts'
import type { Waiver } from '../core/waiver.ts'
import { type CheckedCases, checkCases } from './check-cases.ts'
import { dayOf } from './day.ts'
import { gateLookup } from './gate-lookup.ts'
import { findingsIn, openPolicyFile, type PolicyFile, type PolicyPlace } from './policy-file.ts'
import { NO_GATES, readGates } from './read-gates.ts'
import { type PlacedWaiver, readWaivers, type WaiverList } from './read-waivers.ts'

export { acceptedHashes } from './accepted-hashes.ts'
export { dayOf, readUntil } from './day.ts'

/** What is asked of single suites and cases, and what is let through. */
export interface Policies {
  readonly waivers: readonly Waiver[]
  /** What the gates file and the case itself ask for, the nearer before the farther; undefined for nothing. */
  gateOf(item: GatedCase): CaseGate | undefined
  /** Absolute paths of the files, whether they are there or not. */
  readonly paths: readonly string[]
  /** Every mistake in every file; nothing may run while there is one. */
  readonly problems: readonly Problem[]
  /** What shows once the cases of all loaded suites are known. */
  check(cases: readonly GatedCase[]): CheckedCases
}

export type GatedCase = Pick<Case, 'key' | 'id' | 'suite' | 'gate'>

type PolicyOption = 'accept-file' | 'quarantine-file' | 'gates-file'

interface PolicySources {
  /** Paths relative to the working directory; '' for none. */
  readonly acceptFile: string
  readonly quarantineFile: string
  readonly gatesFile: string
  /** What the user named: these files must be there. */
  readonly given: ReadonlySet<string>
  readonly host: Pick<Host, 'cwd' | 'now'>
}

const ACCEPT: WaiverList = { kind: 'accepted', field: 'accept', allowsAll: true }
const QUARANTINE: WaiverList = { kind: 'quarantined', field: 'quarantine', allowsAll: false }

/** Never throws for what the files say: that is in `problems`. */
export async function loadPolicies({ host, given, ...files }: PolicySources): Promise<Policies> {
  const { cwd } = host
  const today = dayOf(host.now())
  const place = (path: string, option: PolicyOption) => ({ cwd, path, option, isGiven: given.has(option) })
  const accept = place(files.acceptFile, 'accept-file')
  const quarantine = place(files.quarantineFile, 'quarantine-file')
  const gates = place(files.gatesFile, 'gates-file')
  const found: Findings[] = []
  const accepted = await read(accept, found, (file) => readWaivers(file, ACCEPT, today))
  const quarantined = await read(quarantine, found, (file) => readWaivers(file, QUARANTINE, today))
  const entries = (await read(gates, found, readGates)) ?? NO_GATES
  const waivers: readonly PlacedWaiver[] = [...(accepted ?? []), ...(quarantined ?? [])]
  const gateOf = gateLookup(entries)
  return {
    waivers: waivers.map(({ waiver }) => waiver),
    gateOf,
    paths: [accept, quarantine, gates].flatMap(({ path }) => (path === '' ? [] : [resolve(cwd, path)])),
    problems: found.flatMap(({ problems }) => problems),
    check: (cases) => checkCases(cases, { waivers, named: entries.cases, gateOf, today }),
  }
}

async function read<T>(place: PolicyPlace, found: Findings[], parse: (file: PolicyFile) => T): Promise<T | undefined> {
  const findings = findingsIn(place)
  found.push(findings)
  const file = await openPolicyFile(place, findings)
  return file && parse(file)
}
