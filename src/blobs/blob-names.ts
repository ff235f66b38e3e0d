import { createHash } from 'node:crypto'

/** What tells the results of one job apart from those of all others of a workflow run. */
export interface BlobPlace {
  /** The input `artifact-name`. */
  readonly artifactName: string
  /** The input `comment-key`. */
  readonly commentKey: string
  /** Which leg of a matrix it is, in words; shards are told apart by their number. */
  readonly leg?: string | undefined
  readonly shard?: { readonly index: number; readonly count: number } | undefined
  /** From 1. */
  readonly attempt: number
}

/**
 * Name of the artifact. Parts are joined by full stops, which no part holds, so that no two places share a name: a
 * name is taken for good within a run, attempts included.
 */
export function blobName({ attempt, shard, ...place }: BlobPlace): string {
  const parts = [prefixOf(place)]
  if (place.leg !== undefined && !shard) parts.push(`leg-${part(place.leg)}`)
  if (shard) parts.push(`shard-${shard.index}-of-${shard.count}`)
  if (attempt > 1) parts.push(`attempt-${attempt}`)
  return parts.join('.')
}

/** Name of the artifact by which shards agree on how the plan is cut; the same in every attempt. */
export function cutName(
  place: Pick<BlobPlace, 'artifactName' | 'commentKey'>,
  count: number,
  manifest: string,
): string {
  return `${prefixOf(place)}.cut-of-${count}-${manifest.slice(0, 12)}`
}

export interface ParsedName {
  /** As it stands in the name: see `legPart`. */
  readonly leg?: string
  readonly shard?: { readonly index: number; readonly count: number }
  readonly attempt: number
}

/** What a name says, where it belongs to this place. */
export function parseBlobName(
  name: string,
  place: Pick<BlobPlace, 'artifactName' | 'commentKey'>,
): ParsedName | undefined {
  const prefix = prefixOf(place)
  if (!name.startsWith(prefix)) return undefined
  const match = AFTER_PREFIX.exec(name.slice(prefix.length))
  if (!match || match[4] === '1') return undefined
  const [, leg, index, count, attempt = '1'] = match
  return {
    attempt: Number(attempt),
    ...(leg ? { leg } : {}),
    ...(index ? { shard: { index: Number(index), count: Number(count) } } : {}),
  }
}

const AFTER_PREFIX =
  /^(?:\.leg-([a-z0-9_-]{1,60})|\.shard-([1-9]\d{0,3})-of-([1-9]\d{0,3}))?(?:\.attempt-([1-9]\d{0,5}))?$/

/** How a leg is written in names. */
export function legPart(leg: string): string {
  return part(leg)
}

function prefixOf({ artifactName, commentKey }: Pick<BlobPlace, 'artifactName' | 'commentKey'>): string {
  const base = baseOf(artifactName)
  return commentKey === 'default' ? `${base}-results` : `${base}-results.${part(commentKey)}`
}

/** The baseline's default name says what it is; the results stand beside it under the program's own. */
function baseOf(artifactName: string): string {
  if (artifactName === 'agent-test-baseline') return 'agent-test'
  return artifactName === 'agent-test' ? hashed(artifactName) : part(artifactName)
}

/** Letters, digits and dashes as they are; anything else is replaced, and told apart by a hash. */
function part(text: string): string {
  const isPlain = /^[a-z0-9_-]{1,60}$/.test(text) && !/^(?:shard|attempt|cut|leg)-/.test(text)
  return isPlain && !/-[0-9a-f]{8}$/.test(text) ? text : hashed(text)
}

function hashed(text: string): string {
  const slug = text
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 40)
  return `k-${slug}-${createHash('sha256').update(text).digest('hex').slice(0, 8)}`
}
