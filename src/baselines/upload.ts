import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Baseline } from '../core/baseline.ts'
import type { Host } from '../core/host.ts'
import type { GitHubContext } from '../github/index.ts'
import { plainText } from '../lib/escape.ts'
import { ENTRY_NAME } from './read-archive.ts'

interface Upload {
  readonly name: string
  readonly retentionDays: number
}

/** Uploads the baseline as an artifact of this run; whatever goes wrong is a warning. The id, when it went well. */
export async function uploadBaseline(
  baseline: Baseline,
  { name, retentionDays }: Upload,
  context: GitHubContext,
  host: Host,
): Promise<number | undefined> {
  const obstacle = obstacleTo(context, host)
  if (obstacle !== undefined) {
    host.log.warn(`The baseline was not saved: ${obstacle}.`)
    return undefined
  }
  const folder = await mkdtemp(join(host.env['RUNNER_TEMP'] ?? tmpdir(), 'agent-test-baseline-'))
  try {
    const file = join(folder, ENTRY_NAME)
    await writeFile(file, `${JSON.stringify(baseline)}\n`)
    const { DefaultArtifactClient } = await import('@actions/artifact')
    const options = { retentionDays: Math.min(retentionDays, retentionCap(host)) }
    const { id } = await new DefaultArtifactClient().uploadArtifact(name, [file], folder, options)
    host.log.info(`The baseline was saved as artifact ${name}.`)
    return id
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    const cure = /\b409\b/.test(why) ? ' Give every job of a workflow run its own artifact-name.' : ''
    host.log.warn(`The baseline could not be saved: ${plainText(why, { maxLength: 500 })}.${cure}`)
    return undefined
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Runners hand the artifact service's address and token to actions only, never to a `run:` step. */
function obstacleTo({ serverUrl }: GitHubContext, { env }: Host): string | undefined {
  if (!isHosted(serverUrl)) return `GitHub Enterprise Server does not take artifacts of this kind (${serverUrl})`
  if (env['ACTIONS_RUNTIME_TOKEN'] && env['ACTIONS_RESULTS_URL']) return undefined
  return 'ACTIONS_RUNTIME_TOKEN or ACTIONS_RESULTS_URL is missing, so this does not run as an action'
}

/** The same rule as @actions/artifact, which would add a warning of its own. */
function isHosted(serverUrl: string): boolean {
  const host = URL.canParse(serverUrl) ? new URL(serverUrl).hostname : ''
  return host === 'github.com' || host.endsWith('.ghe.com') || host.endsWith('.localhost')
}

/** The repository's own limit; asking for more would only print a warning in every run. */
function retentionCap({ env }: Host): number {
  const days = Number(env['GITHUB_RETENTION_DAYS'])
  return Number.isInteger(days) && days > 0 ? days : Number.POSITIVE_INFINITY
}
