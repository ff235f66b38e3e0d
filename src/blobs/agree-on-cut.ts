import { z } from 'zod'
import { downloadArtifact, readArchive, sendArtifact } from '../artifacts/index.ts'
import { UserError } from '../core/errors.ts'
import type { Host } from '../core/host.ts'
import { describeFailure, type GitHubClient, storedInRun } from '../github/index.ts'
import type { BlobArtifacts } from './blob-artifacts.ts'
import { cutName } from './blob-names.ts'
import { MOST_ITEMS } from './run-schema.ts'

const ENTRY_NAME = 'cut.json'

const storedCut = z.object({
  manifest: z.string(),
  /** Which shard, from 1, each place of the plan belongs to. */
  shards: z.array(z.int().min(1).max(MOST_ITEMS)),
})

interface Cut {
  readonly count: number
  /** Of the whole plan. */
  readonly manifest: string
  /** Of the whole plan. */
  readonly cases: number
}

/** How often the winner's document is looked for, and the pause in milliseconds. */
const MOST_LOOKS = 10
const PAUSE_MS = 3_000

/**
 * How the shards of this run, in all of its attempts, cut their plan. The first to store a proposal wins, because GitHub
 * gives a name once: jobs that begin after the base branch has new durations, or on the next day, cut as the others do.
 * `propose` is asked for a cut by recorded durations; where nothing can be agreed on, `fallback` is what every shard of
 * this run comes to by itself. Throws a UserError where that cannot be known.
 */
export async function agreeOnCut(
  place: BlobArtifacts,
  cut: Cut,
  { propose, fallback }: { propose(): Promise<readonly number[]>; fallback(): readonly number[] },
  host: Host,
): Promise<readonly number[]> {
  const { client, context } = place
  if (!client) return fallback()
  const name = cutName(place, cut.count, cut.manifest)
  try {
    const known = await findCut(client, { place, name, cut }, host)
    if (known) return known
    const shards = await propose()
    const text = `${JSON.stringify({ manifest: cut.manifest, shards })}\n`
    const upload = { what: 'cut', name, entryName: ENTRY_NAME, text, retentionDays: place.retentionDays }
    const sent = await sendArtifact(upload, context, host)
    if (sent.kind === 'sent') return shards
    // Nobody can store anything there, this shard's results included.
    if (sent.kind === 'impossible') return fallback()
    return await winner(client, { place, name, cut }, { host, why: sent.why })
  } catch (error) {
    if (!(error instanceof UserError) || error.code !== 'GITHUB_PERMISSION') throw error
    host.log.warn(`The shards are cut without recorded durations: ${describeFailure(error)}`)
    return fallback()
  }
}

interface Looking {
  readonly place: BlobArtifacts
  readonly name: string
  readonly cut: Cut
}

/** The other's upload may not be complete yet. */
async function winner(
  client: GitHubClient,
  looking: Looking,
  { host, why }: { host: Host; why: string },
): Promise<readonly number[]> {
  for (let look = 1; look <= MOST_LOOKS; look += 1) {
    const known = await findCut(client, looking, host)
    if (known) return known
    await host.sleep(PAUSE_MS, host.signal)
  }
  throw new UserError(`the shards could not agree on how to cut the plan: ${why}`, {
    code: 'GITHUB_UNAVAILABLE',
    hint: 'run this job again',
  })
}

async function findCut(
  client: GitHubClient,
  { place, name, cut }: Looking,
  host: Host,
): Promise<readonly number[] | undefined> {
  const stored = await storedInRun(client, place.context.runId)
  const artifact = stored.find((one) => one.name === name && !one.isExpired)
  if (!artifact) return undefined
  const text = await readArchive(await downloadArtifact(client, artifact, host), artifact.digest, ENTRY_NAME)
  return parsedCut(text, name, cut)
}

function parsedCut(text: string, name: string, { manifest, cases, count }: Cut): readonly number[] {
  const wrong = (detail: string) =>
    new UserError(`artifact ${name}: ${detail}`, {
      code: 'ARTIFACT_UNREADABLE',
      hint: 'run all jobs of this run again',
    })
  let value: unknown
  try {
    value = JSON.parse(text) as unknown
  } catch (cause) {
    throw new UserError(`artifact ${name}: not JSON`, { code: 'ARTIFACT_UNREADABLE', cause })
  }
  const parsed = storedCut.safeParse(value)
  if (!parsed.success) throw wrong('it is no cut of a plan')
  const { shards } = parsed.data
  if (parsed.data.manifest !== manifest) throw wrong('it was cut from another plan')
  if (shards.length !== cases) throw wrong(`it cuts ${shards.length} cases, and there are ${cases}`)
  if (shards.some((shard) => shard > count)) throw wrong(`it names a shard beyond ${count}`)
  return shards
}
