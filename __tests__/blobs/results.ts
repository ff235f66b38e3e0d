import { createHash } from 'node:crypto'
import { parseBlob } from '../../src/blobs/parse-blob.ts'
import { blobText } from '../../src/blobs/write-blob.ts'
import { resolveIdentity } from '../../src/core/identity.ts'
import type { RunRecord } from '../../src/core/result.ts'
import { BLOB_VERSION, type BlobCase, NO_CONTROLS, type RunBlob } from '../../src/core/run-blob.ts'

export const STARTED_AT = Date.parse('2026-03-01T10:00:00.000Z')
const SUITE = 'tests/support.jsonl'

export const MANIFEST = createHash('sha256').update('the plan').digest('hex')
export const OTHER_MANIFEST = createHash('sha256').update('another plan').digest('hex')

export const noSecrets = { redact: (text: string) => text }

type Letter = 'p' | 'f' | 'e'

/** Runs of one case from letters: `p` passed, `f` failed, `e` errored; a dot leaves its number out. */
export function runsOf(key: string, letters: string, startedAt = STARTED_AT): RunRecord[] {
  return [...letters].flatMap((letter, index) => {
    if (letter === '.') return []
    const base = { key, run: index + 1, attempts: 1, startedAt: startedAt + index, durationMs: 800 }
    return [{ ...base, ...outcomeOf(letter as Letter) }]
  })
}

function outcomeOf(letter: Letter) {
  if (letter === 'p') return { status: 'passed', checks: [] } as const
  if (letter === 'e') return { status: 'errored', code: 'PROVIDER_ERROR', message: 'the model answered 500' } as const
  const check = { name: 'contains', passed: false, weight: 1, message: 'expected output to contain "Hello"' }
  return { status: 'failed', checks: [check], output: 'no' } as const
}

/** A case of the suite by its id. */
export function storedCase(id: string, letters = 'ppp', overrides: Partial<BlobCase> = {}): BlobCase {
  const key = `${SUITE}/${id}`
  return {
    key,
    id,
    suite: SUITE,
    location: { file: SUITE, line: 1 },
    fingerprint: `fingerprint of ${id}`,
    target: 'yao:support-bot',
    input: `Say ${id}`,
    summary: `Say ${id}`,
    skippedRuns: 0,
    runs: runsOf(key, letters),
    ...overrides,
  }
}

export function aBlob(overrides: Partial<RunBlob> = {}): RunBlob {
  const cases = overrides.cases ?? [storedCase('greet'), storedCase('refund', 'pfp')]
  return {
    schemaVersion: BLOB_VERSION,
    version: '1.0.0',
    startedAt: new Date(STARTED_AT).toISOString(),
    finishedAt: new Date(STARTED_AT + 60_000).toISOString(),
    durationMs: 60_000,
    inputs: [SUITE],
    targets: ['yao:support-bot'],
    identity: resolveIdentity({ flags: {} }),
    runsPerCase: 3,
    maxRuns: 15,
    manifest: MANIFEST,
    plannedRuns: 3 * cases.length,
    interrupted: false,
    spending: { tokens: 0, costUsd: 0, unpricedRuns: 0, unmeteredRuns: 0 },
    warnings: [],
    approvals: {},
    controls: NO_CONTROLS,
    ...overrides,
    cases,
  }
}

/** The document as plain data, to be spoiled before it is read again. */
export function documentOf(blob: RunBlob): Record<string, unknown> {
  return JSON.parse(blobText(blob, noSecrets)) as Record<string, unknown>
}

export function reread(blob: RunBlob): RunBlob {
  return parseBlob(blobText(blob, noSecrets), 'results.json')
}
