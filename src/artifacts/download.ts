import type { Host } from '../core/host.ts'
import { artifactAddress, type GitHubClient, type StoredArtifact } from '../github/index.ts'
import { MOST_ZIP_BYTES, unreadable } from './read-archive.ts'

const DOWNLOAD_TIMEOUT_MS = 300_000
const MOST_TRIES = 3

/** The artifact's zip, at most 100 MiB of it; a broken transfer is tried again. */
export async function downloadArtifact(
  client: GitHubClient,
  artifact: StoredArtifact,
  host: Host,
): Promise<Uint8Array> {
  if (artifact.sizeBytes > MOST_ZIP_BYTES) throw tooLarge()
  const address = await artifactAddress(client, artifact.id)
  if (!URL.canParse(address)) throw unreadable('GitHub gave no address to download it from')
  for (let attempt = 1; ; attempt += 1) {
    const answer = await fetchOnce(client, address)
    if (answer.kind === 'done') return answer.zip
    if (!answer.isWorthRepeating || attempt === MOST_TRIES) throw unreadable(`its download failed: ${answer.why}`)
    await host.sleep(attempt * 500)
  }
}

type Answer =
  | { readonly kind: 'done'; readonly zip: Uint8Array }
  | { readonly kind: 'failed'; readonly why: string; readonly isWorthRepeating: boolean }

async function fetchOnce(client: GitHubClient, address: string): Promise<Answer> {
  try {
    const response = await client.fetch(address, { signal: AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS) })
    if (response.status === 200) return { kind: 'done', zip: await bounded(response) }
    await response.body?.cancel()
    return {
      kind: 'failed',
      why: `the store answered ${response.status}`,
      isWorthRepeating: response.status >= 500 || response.status === 429,
    }
  } catch (error) {
    if (!(error instanceof TypeError) && !(error instanceof DOMException)) throw error
    const cause = error.cause instanceof Error ? error.cause : error
    return { kind: 'failed', why: cause.message, isWorthRepeating: true }
  }
}

/** Stops reading as soon as the limit is passed: the announced size is only a claim. */
async function bounded(response: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    const bytes = chunk as Uint8Array
    size += bytes.length
    if (size > MOST_ZIP_BYTES) throw tooLarge()
    chunks.push(bytes)
  }
  return Buffer.concat(chunks)
}

function tooLarge(): Error {
  return unreadable(`it is larger than ${MOST_ZIP_BYTES / (1024 * 1024)} MiB`)
}
