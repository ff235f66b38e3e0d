import type { Check, RunRecord } from '../core/result.ts'
import type { Step } from '../core/step.ts'
import type { Usage } from '../core/trace.ts'

/** What stays of a passed run: numbers and the name of a model. */
type Figures = Pick<RunRecord, 'run' | 'attempts' | 'startedAt' | 'durationMs' | 'usage' | 'turns' | 'answeredModel'>

/**
 * A row for every run of all cases, in order of their end; the rows of one case lead from one to the next. The first row
 * is 1.
 */
export interface RunTable {
  /** `before`: the last row of the same case, 0 for none. False where the figures are none that fit, and were left out. */
  add(before: number, figures: Figures | undefined): { readonly row: number; readonly isKept: boolean }
  /** The row of the same case before this one, 0 for none. */
  before(row: number): number
  /** The passed run of this row, with steps that are known of it; undefined where its figures were left out. */
  record(row: number, key: string, steps?: readonly Step[]): RunRecord | undefined
  /** Number of the list of steps that is kept of the run, 0 for none. */
  steps(row: number): number
  keepSteps(row: number, number: number): void
}

/** Rows that are made room for at a time: a large plan that is broken off soon takes little. */
const CHUNK_ROWS = 4_096
const BIGGEST_8 = 2 ** 8 - 1
const BIGGEST_16 = 2 ** 16 - 1
const BIGGEST_32 = 2 ** 32 - 1
/** Stand for a number that is not known. */
const NONE_8 = BIGGEST_8
const NONE_32 = BIGGEST_32

interface Chunk {
  readonly before: Uint32Array
  /** 0: the figures are left out. */
  readonly attempts: Uint8Array
  readonly run: Uint16Array
  readonly turns: Uint8Array
  /** Place in the list of models, 0 for none. */
  readonly model: Uint8Array
  readonly inputTokens: Uint32Array
  readonly outputTokens: Uint32Array
  readonly startedAt: Float64Array
  readonly durationMs: Float64Array
  /** Made when the first cost is known. */
  costUsd?: Float64Array
  /** Made when the first are kept. */
  steps?: Uint32Array
}

/** Numbers in a few lists take a tenth of what objects take. */
export function createRunTable(): RunTable {
  const chunks: Chunk[] = []
  const models: string[] = ['']
  let rows = 0
  const place = (row: number): { readonly chunk: Chunk; readonly at: number } => {
    const chunk = chunks[Math.floor(row / CHUNK_ROWS)]
    if (!chunk) throw new Error(`the table of runs has no row ${row}`)
    return { chunk, at: row % CHUNK_ROWS }
  }
  const modelNumber = (model: string): number => {
    const known = models.indexOf(model)
    return known === -1 && models.length < MOST_MODELS ? models.push(model) - 1 : known
  }
  return {
    add(before, figures) {
      rows += 1
      if (Math.floor(rows / CHUNK_ROWS) === chunks.length) chunks.push(newChunk())
      const { chunk, at } = place(rows)
      chunk.before[at] = before
      if (!figures || !fits(figures)) return { row: rows, isKept: false }
      const model = modelNumber(figures.answeredModel ?? '')
      if (model === -1) return { row: rows, isKept: false }
      chunk.model[at] = model
      write(figures, chunk, at)
      return { row: rows, isKept: true }
    },
    before(row) {
      const { chunk, at } = place(row)
      return chunk.before[at] ?? 0
    },
    record(row, key, steps) {
      const { chunk, at } = place(row)
      const record = read(chunk, at, { key, models })
      if (record && steps) record.steps = steps
      return record
    },
    steps(row) {
      const { chunk, at } = place(row)
      return chunk.steps?.[at] ?? 0
    },
    keepSteps(row, number) {
      const { chunk, at } = place(row)
      chunk.steps ??= new Uint32Array(CHUNK_ROWS)
      chunk.steps[at] = number
    },
  }
}

/** Names of models are few; who makes one up for each run gets them kept, but not in here. */
const MOST_MODELS = BIGGEST_8 + 1

function newChunk(): Chunk {
  return {
    before: new Uint32Array(CHUNK_ROWS),
    attempts: new Uint8Array(CHUNK_ROWS),
    run: new Uint16Array(CHUNK_ROWS),
    turns: new Uint8Array(CHUNK_ROWS),
    model: new Uint8Array(CHUNK_ROWS),
    inputTokens: new Uint32Array(CHUNK_ROWS),
    outputTokens: new Uint32Array(CHUNK_ROWS),
    startedAt: new Float64Array(CHUNK_ROWS),
    durationMs: new Float64Array(CHUNK_ROWS),
  }
}

function fits({ run, attempts, usage, turns = 0 }: Figures): boolean {
  const { inputTokens, outputTokens } = usage ?? NO_USAGE
  return (
    isWhole(run, BIGGEST_16) &&
    isWhole(attempts, BIGGEST_8) &&
    attempts > 0 &&
    isWhole(turns, BIGGEST_8 - 1) &&
    isWhole(inputTokens, BIGGEST_32 - 1) &&
    isWhole(outputTokens, BIGGEST_32)
  )
}

function isWhole(value: number, biggest: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= biggest
}

const NO_USAGE = { inputTokens: 0, outputTokens: 0 }

function write({ run, attempts, startedAt, durationMs, usage, turns }: Figures, chunk: Chunk, at: number): void {
  chunk.run[at] = run
  chunk.attempts[at] = attempts
  chunk.startedAt[at] = startedAt
  chunk.durationMs[at] = durationMs
  chunk.turns[at] = turns ?? NONE_8
  chunk.inputTokens[at] = usage?.inputTokens ?? NONE_32
  chunk.outputTokens[at] = usage?.outputTokens ?? 0
  if (usage?.costUsd === undefined) return
  chunk.costUsd ??= new Float64Array(CHUNK_ROWS).fill(Number.NaN)
  chunk.costUsd[at] = usage.costUsd
}

/** Made to be filled, which takes less time than copying: a report of many cases reads all of them again and again. */
type FreshRecord = { -readonly [K in keyof PassedRecord]: PassedRecord[K] }
type PassedRecord = Extract<RunRecord, { status: 'passed' | 'failed' }>

/** Nothing of a passed run's checks is reported. */
const NO_CHECKS: readonly Check[] = []

function read(
  chunk: Chunk,
  at: number,
  { key, models }: { readonly key: string; readonly models: readonly string[] },
): FreshRecord | undefined {
  const attempts = chunk.attempts[at] ?? 0
  if (attempts === 0) return undefined
  const run = chunk.run[at] ?? 0
  const startedAt = chunk.startedAt[at] ?? 0
  const durationMs = chunk.durationMs[at] ?? 0
  const record: FreshRecord = { key, run, attempts, startedAt, durationMs, status: 'passed', checks: NO_CHECKS }
  const usage = readUsage(chunk, at)
  if (usage) record.usage = usage
  const turns = chunk.turns[at] ?? NONE_8
  if (turns !== NONE_8) record.turns = turns
  const model = models[chunk.model[at] ?? 0] ?? ''
  if (model !== '') record.answeredModel = model
  return record
}

function readUsage(chunk: Chunk, at: number): Usage | undefined {
  const inputTokens = chunk.inputTokens[at] ?? NONE_32
  if (inputTokens === NONE_32) return undefined
  const outputTokens = chunk.outputTokens[at] ?? 0
  const costUsd = chunk.costUsd?.[at] ?? Number.NaN
  return Number.isNaN(costUsd) ? { inputTokens, outputTokens } : { inputTokens, outputTokens, costUsd }
}
