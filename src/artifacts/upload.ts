import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Host } from '../core/host.ts'
import type { GitHubContext } from '../github/index.ts'
import { plainText } from '../lib/escape.ts'

interface Upload {
  /** In sentences, such as "baseline". */
  readonly what: string
  readonly name: string
  /** Name of the one file in it. */
  readonly entryName: string
  /** A large one comes in pieces. */
  readonly text: string | Iterable<string>
  readonly retentionDays: number
}

/** `taken`: an artifact of this run has the name already. `why` is a clause. */
type Sent =
  | { readonly kind: 'sent'; readonly id: number | undefined }
  | { readonly kind: 'taken' | 'failed' | 'impossible'; readonly why: string }

/** Uploads a file as an artifact of this run; whatever goes wrong is a warning. The id, when it went well. */
export async function uploadArtifact(upload: Upload, context: GitHubContext, host: Host): Promise<number | undefined> {
  const sent = await sendArtifact(upload, context, host)
  if (sent.kind === 'sent') {
    host.log.info(`The ${upload.what} was saved as artifact ${upload.name}.`)
    return sent.id
  }
  host.log.warn(describeUnsent(upload.what, sent))
  return undefined
}

/** One sentence, with the cure where there is one. */
export function describeUnsent(what: string, { kind, why }: Exclude<Sent, { kind: 'sent' }>): string {
  if (kind === 'impossible') return `The ${what} was not saved: ${why}.`
  const cure = kind === 'taken' ? ' Give every job of a workflow run its own artifact-name.' : ''
  return `The ${what} could not be saved: ${why}.${cure}`
}

/** The same without a word about it. */
export async function sendArtifact(
  { name, entryName, text, retentionDays }: Upload,
  context: GitHubContext,
  host: Host,
): Promise<Sent> {
  const obstacle = obstacleTo(context, host)
  if (obstacle !== undefined) return { kind: 'impossible', why: obstacle }
  const folder = await mkdtemp(join(host.env['RUNNER_TEMP'] ?? tmpdir(), 'agent-test-artifact-'))
  try {
    const file = join(folder, entryName)
    await writeFile(file, text)
    const { DefaultArtifactClient } = await import('@actions/artifact')
    const options = { retentionDays: Math.min(retentionDays, retentionCap(host)) }
    const { id } = await new DefaultArtifactClient().uploadArtifact(name, [file], folder, options)
    return { kind: 'sent', id }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return { kind: /\b409\b/.test(why) ? 'taken' : 'failed', why: plainText(why, { maxLength: 500 }) }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Why nothing can be uploaded here, as a clause. Runners hand the artifact service's address and token to actions only,
 * never to a `run:` step.
 */
export function obstacleTo({ serverUrl }: GitHubContext, { env }: Host): string | undefined {
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
