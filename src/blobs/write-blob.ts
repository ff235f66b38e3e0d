import type { Secrets } from '../core/host.ts'
import { redactDeep } from '../core/redact.ts'
import type { RunRecord } from '../core/result.ts'
import type { BlobCase, RunBlob } from '../core/run-blob.ts'

/** Large enough that the disk is asked seldom, small enough that a large document never stands in memory as a whole. */
const PIECE_LENGTH = 256 * 1024

/**
 * The document as JSON, in pieces, one case a line. Every text in it is redacted; the members of cases are read by
 * name, because a report may compute them.
 */
export function* blobPieces(blob: RunBlob, secrets: Pick<Secrets, 'redact'>): Generator<string, void, undefined> {
  const { cases, ...head } = blob
  let piece = `${JSON.stringify(redactDeep(head, secrets)).slice(0, -1)},"cases":[`
  let isFirst = true
  for (const item of cases) {
    piece += `${isFirst ? '' : ','}\n${JSON.stringify(redactDeep(stored(item), secrets))}`
    isFirst = false
    if (piece.length < PIECE_LENGTH) continue
    yield piece
    piece = ''
  }
  yield `${piece}\n]}\n`
}

export function blobText(blob: RunBlob, secrets: Pick<Secrets, 'redact'>): string {
  return [...blobPieces(blob, secrets)].join('')
}

function stored(item: BlobCase): Omit<BlobCase, 'runs'> & { readonly runs: readonly Omit<RunRecord, 'key'>[] } {
  const { requestedModel, gate, skip, unchanged } = item
  return {
    key: item.key,
    id: item.id,
    suite: item.suite,
    location: item.location,
    fingerprint: item.fingerprint,
    target: item.target,
    ...(requestedModel === undefined ? {} : { requestedModel }),
    ...(gate === undefined ? {} : { gate }),
    input: item.input,
    summary: item.summary,
    ...(skip === undefined ? {} : { skip }),
    skippedRuns: item.skippedRuns,
    ...(unchanged === undefined ? {} : { unchanged }),
    runs: item.runs.map(withoutKey),
  }
}

/** A clock that was set back must not make a document that nobody reads. */
function withoutKey({ key: _key, ...run }: RunRecord): Omit<RunRecord, 'key'> {
  return run.durationMs < 0 ? { ...run, durationMs: 0 } : run
}
