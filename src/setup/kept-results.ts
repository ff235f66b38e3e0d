import { type BlobArtifacts, loadEarlierRuns, storeBlob } from '../blobs/index.ts'
import type { Config } from '../config/config.ts'
import { UserError } from '../core/errors.ts'
import type { Host } from '../core/host.ts'
import type { RunBlob } from '../core/run-blob.ts'
import type { GitHubClient, GitHubContext } from '../github/index.ts'
import { labelOf } from './job-section.ts'

interface KeepingScope {
  readonly config: Config
  readonly context: GitHubContext
  /** Absent without a usable token. */
  readonly client: GitHubClient | undefined
  readonly host: Host
}

/** Where this job keeps what it gathered, and finds what was gathered before. */
export function resultsPlace({ config, context, client }: Omit<KeepingScope, 'host'>): BlobArtifacts {
  const leg = labelOf(config.section)
  return {
    client,
    context,
    artifactName: config['artifact-name'],
    commentKey: config['comment-key'],
    ...(leg === undefined ? {} : { leg }),
    retentionDays: config['retention-days'],
  }
}

/** Evidence of earlier attempts and runs of this very commit, and what is left for later ones. */
export interface KeptResults {
  readonly loadEarlier: () => ReturnType<typeof loadEarlierRuns>
  /** Of a shard it throws a UserError when nothing could be kept: nobody would judge it. Else that is a warning. */
  readonly saveBlob: (blob: RunBlob) => Promise<void>
  /** Of the artifact, once there is one. */
  artifactId(): number | undefined
}

export function openKeptResults(wanted: Parameters<typeof loadEarlierRuns>[1], scope: KeepingScope): KeptResults {
  const { host } = scope
  const place = resultsPlace(scope)
  let artifactId: number | undefined
  return {
    loadEarlier: () => loadEarlierRuns(place, wanted, host),
    async saveBlob(blob) {
      const stored = await storeBlob(blob, place, host)
      if (stored.kind === 'stored') artifactId = stored.id
      else if (blob.shard !== undefined) throw new UserError(stored.why, { code: 'OUTPUT_NOT_WRITABLE' })
      else if (stored.kind === 'not_stored') host.log.warn(stored.why)
      else host.log.info(stored.why)
    },
    artifactId: () => artifactId,
  }
}
