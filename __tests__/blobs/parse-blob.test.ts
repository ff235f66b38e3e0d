import { describe, expect, expectTypeOf, test } from 'vitest'
import type { StoredBlob, StoredCase } from '../../src/blobs/blob-schema.ts'
import { gatheredFrom } from '../../src/blobs/index.ts'
import { parseBlob } from '../../src/blobs/parse-blob.ts'
import { blobPieces, blobText } from '../../src/blobs/write-blob.ts'
import type { CaseReport } from '../../src/core/case-report.ts'
import { UserError } from '../../src/core/errors.ts'
import type { RunRecord } from '../../src/core/result.ts'
import type { BlobCase, RunBlob } from '../../src/core/run-blob.ts'
import { measure } from '../../src/core/stability.ts'
import { aBlob, documentOf, noSecrets, reread, runsOf, storedCase } from './results.ts'

const key = 'tests/support.jsonl/greet'

function read(value: unknown) {
  return parseBlob(JSON.stringify(value), 'results.json')
}

function refusalOf(text: string): string {
  try {
    parseBlob(text, 'results.json')
  } catch (error) {
    if (error instanceof UserError && error.code === 'ARTIFACT_UNREADABLE') return error.message
    throw error
  }
  throw new Error('it was taken')
}

/** The document of a blob of one case, with that case changed. */
function withCase(change: object): unknown {
  const document = documentOf(aBlob({ cases: [storedCase('greet', 'ppp')] }))
  const [item] = document['cases'] as object[]
  return { ...document, cases: [{ ...item, ...change }] }
}

describe('results are the same after they were written and read', () => {
  test.each([
    ['passed, failed and errored runs', [storedCase('a', 'ppp'), storedCase('b', 'pfe'), storedCase('c', 'eee')]],
    ['a skipped case', [storedCase('a', '', { skip: 'not yet' })]],
    ['a case that skipped itself', [storedCase('a', '', { skip: 'no key', skippedRuns: 3 })]],
    [
      'a case that was not run because nothing was changed',
      [storedCase('a', '', { unchanged: 'no file was touched' })],
    ],
    ['a case with a gate and a model', [storedCase('a', 'p', { gate: { critical: true }, requestedModel: 'm' })]],
    ['a run that was missing', [storedCase('a', 'p.p')]],
    ['no case at all', []],
  ] as const)('%s', (_situation, cases) => {
    const blob = aBlob({ cases })
    expect(reread(blob)).toEqual(blob)
  })

  test('everything that one run may carry', () => {
    const [run] = runsOf(key, 'f')
    const full = {
      ...run,
      usage: { inputTokens: 10, outputTokens: 5, costUsd: 0.001 },
      answeredModel: 'model-1',
      turns: 2,
      steps: [{ tool: 'search', parameters: '0123456789abcdef', shown: '{"q":1}' }],
      logs: [{ level: 'warn', text: 'careful' }],
      evaluations: [
        { status: 'errored', evaluator: 'tools', message: 'broke' },
        { status: 'not_applicable', evaluator: 'behavior', reason: 'nothing to judge' },
        { status: 'scored', evaluator: 'approval-gate', passed: true, score: 75, checks: [], violations: [] },
      ],
      score: 75,
      conversation: {
        turns: [
          {
            turn: 1,
            input: 'hi',
            output: { a: 1 },
            content: 'hello',
            toolCalls: [{ tool: 't', parameters: {} }],
            reached: ['first'],
            durationMs: 5,
          },
        ],
        checkpoints: [{ id: 'first', required: true, reachedInTurn: 1, message: '', verdict: { score: 1 } }],
        ending: 'checkpoints_reached',
        simulator: { agent: 'user', usage: { inputTokens: 1, outputTokens: 1 } },
      },
    }
    const blob = aBlob({ cases: [storedCase('greet', '', { runs: [full] as unknown as BlobCase['runs'] })] })
    expect(reread(blob)).toEqual(blob)
  })

  test('a document of many cases comes in pieces that are one document', () => {
    const cases = Array.from({ length: 3_000 }, (_, index) => storedCase(`case-${index}`, 'pfp'))
    const pieces = [...blobPieces(aBlob({ cases }), noSecrets)]
    expect(pieces.length).toBeGreaterThan(3)
    expect(parseBlob(pieces.join(''), 'x').cases).toEqual(cases)
  })

  test('the members of a computed report are read by name', () => {
    const plain = storedCase('greet', 'pf')
    const computed = Object.create(plain) as BlobCase
    expect(reread(aBlob({ cases: [computed] })).cases).toEqual([plain])
  })

  test('what is secret is redacted, wherever it stands', () => {
    const secrets = { redact: (text: string) => text.replaceAll('hunter2', '***') }
    const leaky = aBlob({
      warnings: ['hunter2'],
      cases: [storedCase('greet', 'f', { input: { password: 'hunter2' }, summary: 'hunter2' })],
    })
    const text = blobText(leaky, secrets)
    expect(text).not.toContain('hunter2')
    expect(text.match(/\*\*\*/g)).toHaveLength(3)
  })

  test('stability is measured, whatever the document claims', () => {
    const claimed = read(withCase({ stability: { runs: 99, passed: 99 }, runs: runsOf(key, 'pf') }))
    const [report] = gatheredFrom(claimed).cases
    expect(report?.stability).toEqual(measure(runsOf(key, 'pf')))
  })
})

/** Of every member of a union. */
type KeysOf<T> = T extends unknown ? keyof T : never

test('no member of a report is forgotten: it would be dropped without a word', () => {
  expectTypeOf<KeysOf<StoredCase['runs'][number]> | 'key'>().toEqualTypeOf<KeysOf<RunRecord>>()
  expectTypeOf<keyof StoredCase | 'stability'>().toEqualTypeOf<keyof CaseReport>()
  expectTypeOf<keyof StoredBlob>().toEqualTypeOf<keyof RunBlob>()
})

describe('hostile documents are refused', () => {
  test.each([
    ['no JSON', '{', 'not JSON'],
    ['another value', '[]', 'document'],
    ['a newer version', JSON.stringify({ ...documentOf(aBlob()), schemaVersion: 99 }), 'newer than this agent-test'],
    ['an older version', JSON.stringify({ ...documentOf(aBlob()), schemaVersion: 0 }), 'schemaVersion'],
    ['a million brackets', '['.repeat(1_000_000), 'not JSON'],
  ])('%s', (_situation, text, reason) => {
    expect(refusalOf(text)).toContain(reason)
  })

  test.each([
    ['a time that is none', { startedAt: 'yesterday' }, 'startedAt'],
    ['a manifest that is no hash', { manifest: '../../x' }, 'manifest'],
    ['more runs than are allowed at most', { maxRuns: 2 }, 'maxRuns'],
    ['more planned runs than there are', { plannedRuns: 7 }, 'planned'],
    ['approvals of nobody', { approvals: { nobody: ['x'] } }, 'nobody'],
    [
      'controls of nobody',
      { controls: { suite: { constructor: { passed: 1, failed: 0 } }, cases: {}, state: { kind: 'off' } } },
      'constructor',
    ],
    ['a shard beyond the last', { shard: { index: 3, count: 2, places: [0, 1], of: 2 } }, 'shard 3 of 2'],
    ['a place that is there twice', { shard: { index: 1, count: 2, places: [1, 1], of: 2 } }, 'place 1'],
    ['a place beyond the plan', { shard: { index: 1, count: 2, places: [0, 2], of: 2 } }, 'place 2'],
    ['fewer places than cases', { shard: { index: 1, count: 2, places: [0], of: 2 } }, 'places'],
    ['a commit that is a path', { workflow: { runId: 1, attempt: 1, eventName: 'push', headSha: '../x' } }, 'headSha'],
    [
      'a pull request of number zero',
      { workflow: { runId: 1, attempt: 1, eventName: 'push', prNumber: 0 } },
      'prNumber',
    ],
    ['money that is owed', { spending: { tokens: 0, costUsd: -1, unpricedRuns: 0, unmeteredRuns: 0 } }, 'costUsd'],
  ])('%s', (_situation, change, reason) => {
    expect(refusalOf(JSON.stringify({ ...documentOf(aBlob()), ...change }))).toContain(reason)
  })

  const [run] = runsOf(key, 'p')
  test.each([
    [
      'a run that passed with a failed check',
      { runs: [{ ...run, checks: [{ name: 'c', passed: false, weight: 1, message: '' }] }] },
      'passed with',
    ],
    ['a run of a status of its own', { runs: [{ ...run, status: 'excellent' }] }, 'runs.0'],
    ['an error code of its own', { runs: [{ ...run, status: 'errored', code: 'LUCK', message: '' }] }, 'code'],
    ['a run that is there twice', { runs: [run, run] }, 'run 1 follows run 1'],
    ['a run of number zero', { runs: [{ ...run, run: 0 }] }, 'run'],
    ['a run beyond all', { runs: [{ ...run, run: 16 }] }, 'beyond 15'],
    ['a score beyond 100', { runs: [{ ...run, score: 1000 }] }, 'score'],
    ['a time that no date holds', { runs: [{ ...run, startedAt: 1e16 }] }, 'startedAt'],
    ['a duration below nothing', { runs: [{ ...run, durationMs: -1 }] }, 'durationMs'],
    ['a skipped case with runs', { skip: 'no' }, 'skipped'],
    ['more skipped runs than all', { skippedRuns: 20 }, 'more than 15'],
    ['a gate above all', { gate: { minPassRate: 101 } }, 'minPassRate'],
    ['no key', { key: undefined }, 'key'],
    ['a line before the first', { location: { file: 'x', line: 0 } }, 'line'],
    ['an input without end', { input: nested(600) }, 'nested deeper'],
  ])('%s', (_situation, change, reason) => {
    expect(refusalOf(JSON.stringify(withCase(change)))).toContain(reason)
  })

  test('two cases of one key', () => {
    const twice = documentOf(aBlob({ cases: [storedCase('greet'), storedCase('greet')] }))
    expect(refusalOf(JSON.stringify(twice))).toContain('there twice')
  })

  test('a refusal names its source and holds nothing that a terminal obeys', () => {
    const text = JSON.stringify(withCase({ key: 5, input: '\u001b[2J' }))
    expect(refusalOf(text)).toMatch(/^results\.json: /)
    const twice = documentOf(aBlob({ cases: [storedCase('\u001b[2J'), storedCase('\u001b[2J')] }))
    expect(refusalOf(JSON.stringify(twice))).not.toContain('\u001b')
  })
})

describe('what could harm is taken out', () => {
  test.each(['{"__proto__":{"skip":"polluted"},', '{"\\u005f_proto__":{"skip":"polluted"},'])('%s', (start) => {
    const text = blobText(aBlob(), noSecrets).replace('{', start).replaceAll('{"key"', `${start}"key"`)
    const blob = parseBlob(text, 'results.json')
    expect(blob).toEqual(aBlob())
    expect(blob.cases[0]?.skip).toBeUndefined()
    expect(({} as { skip?: string }).skip).toBeUndefined()
  })

  test('a key like those of every object is looked up safely', () => {
    const named = storedCase('x', 'p', { key: 'constructor', runs: runsOf('constructor', 'p') })
    const blob = reread(aBlob({ cases: [named], approvals: { constructor: ['bash'] } }))
    expect(Object.keys(blob.approvals)).toEqual(['constructor'])
    expect(blob.approvals['toString']).toBeUndefined()
    expect(blob.controls.cases['constructor']).toBeUndefined()
  })

  test('halves of characters, which no address can hold', () => {
    const text = blobText(aBlob({ cases: [storedCase('greet')] }), noSecrets).replaceAll(
      'support.jsonl',
      '\\ud800.jsonl',
    )
    const [item] = parseBlob(text, 'results.json').cases
    expect(item?.location.file).toBe('tests/\uFFFD.jsonl')
  })

  test('what this version does not know', () => {
    expect(read({ ...documentOf(aBlob()), more: { than: 'asked' } })).toEqual(aBlob())
  })
})

function nested(depth: number): unknown {
  return depth === 0 ? 1 : [nested(depth - 1)]
}
