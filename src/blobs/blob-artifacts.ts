import { describeUnsent, downloadArtifact, readArchive, sendArtifact } from '../artifacts/index.ts'
import { UserError } from '../core/errors.ts'
import type { Host } from '../core/host.ts'
import type { BlobOrigin, RunBlob } from '../core/run-blob.ts'
import {
  describeFailure,
  type GitHubClient,
  type GitHubContext,
  runsOfCommit,
  type StoredArtifact,
  storedInRun,
} from '../github/index.ts'
import { plainText } from '../lib/escape.ts'
import { type BlobPlace, blobName, legPart, type ParsedName, parseBlobName } from './blob-names.ts'
import { type EarlierRuns, earlierRuns } from './earlier-runs.ts'
import type { FoundBlob } from './merge-blobs.ts'
import { parseBlob } from './parse-blob.ts'
import { blobPieces } from './write-blob.ts'

/** The one file that an artifact of results holds. */
const ENTRY_NAME = 'results.json'

/** Workflow runs can be repeated for 30 days; what a pull request gathered is of no use after that. */
const MOST_DAYS = 30

/** Where the results of a job are kept between the jobs, attempts and runs of a workflow. */
export interface BlobArtifacts extends Pick<BlobPlace, 'artifactName' | 'commentKey' | 'leg'> {
  /** Absent without a token: then nothing can be looked up. */
  readonly client?: GitHubClient | undefined
  readonly context: GitHubContext
  readonly retentionDays: number
}

export type StoreOutcome =
  | { readonly kind: 'stored'; readonly id: number | undefined }
  /** `impossible`: nothing can be stored where this runs. `why` is a sentence. */
  | { readonly kind: 'not_stored' | 'impossible'; readonly why: string }

/** Keeps the results as an artifact of this run. */
export async function storeBlob(blob: RunBlob, place: BlobArtifacts, host: Host): Promise<StoreOutcome> {
  const { context } = place
  const { shard } = blob
  const name = blobName({ ...place, attempt: context.runAttempt, shard })
  const text = blobPieces({ ...blob, workflow: originOf(place, host) }, host.secrets)
  const retentionDays = Math.min(MOST_DAYS, place.retentionDays)
  const sent = await sendArtifact({ what: 'results', name, entryName: ENTRY_NAME, text, retentionDays }, context, host)
  if (sent.kind !== 'sent') {
    const why = describeUnsent('results artifact', sent)
    return { kind: sent.kind === 'impossible' ? 'impossible' : 'not_stored', why }
  }
  host.log.info(`The results were saved as artifact ${name}.`)
  return { kind: 'stored', id: sent.id }
}

function originOf({ context, leg }: BlobArtifacts, { env }: Host): BlobOrigin {
  const { runId, runAttempt, headSha, eventName, prNumber } = context
  const job = env['GITHUB_JOB'] ?? ''
  return {
    runId,
    attempt: runAttempt,
    ...(job === '' ? {} : { job }),
    ...(leg === undefined ? {} : { leg }),
    ...(headSha === undefined ? {} : { headSha }),
    eventName,
    ...(prNumber === undefined ? {} : { prNumber }),
  }
}

interface Wanted {
  readonly manifest: string
  readonly maxRuns: number
  readonly shard?: { readonly index: number; readonly count: number } | undefined
}

/** Other runs of the commit that are looked into, and documents that are read, at most. */
const MOST_RUNS = 3
const MOST_BLOBS = 8

/**
 * What earlier attempts of this run, and earlier runs of this workflow on this very commit, gathered for the same plan.
 * Runs of forks are none of them, unless this is one; on the default branch only attempts count, for there every run
 * adds to what others are compared with. What cannot be read is a warning, and is gathered anew.
 */
export async function loadEarlierRuns(
  place: BlobArtifacts,
  wanted: Wanted,
  host: Host,
): Promise<EarlierRuns | undefined> {
  const { client, context } = place
  if (!client) return undefined
  try {
    const found = await earlierArtifacts(client, place, wanted)
    const blobs: RunBlob[] = []
    for (const artifact of found.slice(0, MOST_BLOBS)) {
      const blob = await readOrWarn(artifact, client, host)
      if (blob && belongsTo(blob, artifact, context)) blobs.push(blob)
    }
    return earlierRuns(blobs, wanted)
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    host.log.warn(`Earlier runs of this commit are not counted: ${describeFailure(error)}`)
    return undefined
  }
}

async function earlierArtifacts(
  client: GitHubClient,
  place: BlobArtifacts,
  { shard }: Wanted,
): Promise<StoredArtifact[]> {
  const { context } = place
  const leg = shard || place.leg === undefined ? undefined : legPart(place.leg)
  const fits = ({ name }: StoredArtifact) => {
    const parsed = parseBlobName(name, place)
    if (parsed === undefined || parsed.leg !== leg) return false
    return parsed.shard?.index === shard?.index && parsed.shard?.count === shard?.count
  }
  const attemptOf = ({ name }: StoredArtifact) => parseBlobName(name, place)?.attempt ?? 1
  const own = context.runAttempt > 1 ? (await storedInRun(client, context.runId)).filter(fits) : []
  const earlier = own.filter((artifact) => attemptOf(artifact) < context.runAttempt)
  const others: StoredArtifact[] = []
  const isOnDefault = context.branch !== undefined && context.branch === context.defaultBranch
  const hasOthers = !context.isFork && !isOnDefault
  for (const run of hasOthers ? (await runsOfCommit(client, context)).slice(0, MOST_RUNS) : []) {
    others.push(...newestFirst((await storedInRun(client, run.id)).filter(fits)))
  }
  return [...newestFirst(earlier), ...others].filter(({ isExpired }) => !isExpired)
}

function newestFirst(artifacts: readonly StoredArtifact[]): StoredArtifact[] {
  return [...artifacts].sort((left, right) => right.id - left.id)
}

/** The artifact's run is GitHub's word, the document's is its own: they must agree. */
function belongsTo({ workflow }: RunBlob, { runId }: StoredArtifact, { headSha }: GitHubContext): boolean {
  return workflow?.runId === runId && workflow.headSha === headSha
}

async function readOrWarn(artifact: StoredArtifact, client: GitHubClient, host: Host): Promise<RunBlob | undefined> {
  try {
    return await readBlobArtifact(artifact, client, host)
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    host.log.warn(`Earlier runs of this commit are not counted: ${describeFailure(error)}`)
    return undefined
  }
}

/** Throws a UserError that names the artifact. */
async function readBlobArtifact(artifact: StoredArtifact, client: GitHubClient, host: Host): Promise<RunBlob> {
  const source = sourceOf(artifact)
  let text: string
  try {
    text = await readArchive(await downloadArtifact(client, artifact, host), artifact.digest, ENTRY_NAME)
  } catch (error) {
    if (!(error instanceof UserError) || error.code !== 'ARTIFACT_UNREADABLE') throw error
    throw new UserError(`${source}: ${error.message}`, { code: 'ARTIFACT_UNREADABLE', cause: error })
  }
  return parseBlob(text, source)
}

function sourceOf({ name }: StoredArtifact): string {
  return `artifact ${plainText(name, { maxLength: 200 })}`
}

/** The results of one leg of a matrix, or of a run without any: all of its shards, or one whole. */
export interface LegResults {
  /** As it stands in the names of artifacts; absent where there is no matrix. */
  readonly leg?: string
  readonly found: readonly FoundBlob[]
}

/**
 * What a run has stored, each part of its newest attempt. A whole stands for shards that are no newer. Throws a
 * UserError that names the artifact that cannot be read.
 */
export async function loadResultsOf(runId: number, place: BlobArtifacts, host: Host): Promise<LegResults[]> {
  const { client } = place
  if (!client) throw noToken()
  const newest = newestOfEach(placed(await storedInRun(client, runId), place))
  refuseTooMuch(newest)
  const legs = [...new Set(newest.map(({ name }) => name.leg))]
  const results: LegResults[] = []
  for (const leg of legs) {
    const ofLeg = newest.filter(({ name }) => name.leg === leg)
    const whole = ofLeg.find(({ name }) => name.shard === undefined)
    const shards = ofLeg.filter(({ name }) => name.shard !== undefined)
    const isOutdated = shards.some(({ name }) => name.attempt > (whole?.name.attempt ?? 0))
    const found = await readAll(whole && !isOutdated ? [whole] : shards, client, host)
    results.push({ ...(leg === undefined ? {} : { leg }), found })
  }
  return results
}

/** A run of a fork stores what it likes: all of it is held at once, so there is an end to it. */
const MOST_ARTIFACTS = 256
const MOST_ZIPPED_BYTES = 200 * 1024 * 1024

function refuseTooMuch(found: readonly Placed[]): void {
  const bytes = found.reduce((sum, { artifact }) => sum + artifact.sizeBytes, 0)
  if (found.length <= MOST_ARTIFACTS && bytes <= MOST_ZIPPED_BYTES) return
  const limits = `${MOST_ARTIFACTS} artifacts and ${MOST_ZIPPED_BYTES / (1024 * 1024)} MiB`
  throw new UserError(`the run stored more results than are read: ${limits} are the most`, {
    code: 'ARTIFACT_UNREADABLE',
  })
}

function noToken(): UserError {
  return new UserError('there is no token to look for results with', { code: 'GITHUB_PERMISSION' })
}

interface Placed {
  readonly artifact: StoredArtifact
  readonly name: ParsedName
}

function placed(artifacts: readonly StoredArtifact[], place: BlobArtifacts): Placed[] {
  return artifacts.flatMap((artifact) => {
    const name = artifact.isExpired ? undefined : parseBlobName(artifact.name, place)
    return name === undefined ? [] : [{ artifact, name }]
  })
}

/** A later attempt holds what its shard knew before. */
function newestOfEach(found: readonly Placed[]): Placed[] {
  const newest = new Map<string, Placed>()
  for (const item of found) {
    const { leg = '', shard, attempt } = item.name
    const key = `${leg} ${shard ? `${shard.index}/${shard.count}` : ''}`
    const known = newest.get(key)
    if (!known || attempt > known.name.attempt) newest.set(key, item)
  }
  return [...newest.values()]
}

async function readAll(found: readonly Placed[], client: GitHubClient, host: Host): Promise<FoundBlob[]> {
  const blobs: FoundBlob[] = []
  for (const { artifact } of found) {
    blobs.push({ blob: await readBlobArtifact(artifact, client, host), source: sourceOf(artifact) })
  }
  return blobs
}
