import { type CaseGate, THRESHOLD_MODES } from '../gate.ts'
import type { Json } from '../json.ts'
import type { Percent } from '../percent.ts'
import { shown } from './fields.ts'
import { type Place, readOneOf } from './values.ts'

/** A gate as it was written, under whatever names. */
interface WrittenGate {
  readonly minPassRate?: Json | undefined
  readonly thresholdMode?: Json | undefined
  readonly critical?: boolean | undefined
}

/** What the format calls the fields. */
type GateNames = Readonly<Record<'minPassRate' | 'thresholdMode', string>>

/** What a case or a suite asks of itself; empty where it asks for nothing. */
export function readGate(written: WrittenGate, names: GateNames, { notes, at }: Place): CaseGate {
  const placeOf = (field: string): Place => ({ notes, at: at === '' ? field : `${at}.${field}` })
  const minPassRate = readPassRate(written.minPassRate, placeOf(names.minPassRate))
  const thresholdMode = readOneOf(written.thresholdMode, THRESHOLD_MODES, placeOf(names.thresholdMode))
  return {
    ...(minPassRate === undefined ? {} : { minPassRate }),
    ...(thresholdMode === undefined ? {} : { thresholdMode }),
    ...(written.critical === undefined ? {} : { critical: written.critical }),
  }
}

/** As on the command line: 0 to 100, with or without a `%`; a bare share such as 0.9 is hardly meant. */
function readPassRate(value: Json | undefined, { notes, at }: Place): Percent | undefined {
  if (value === undefined || value === null) return undefined
  const written = typeof value === 'string' ? /^(\d+(?:\.\d+)?)\s*%$/.exec(value.trim())?.[1] : undefined
  const rate = written === undefined ? value : Number(written)
  const isShare = typeof value === 'number' && value > 0 && value < 1
  if (typeof rate === 'number' && rate >= 0 && rate <= 100 && !isShare) return rate
  notes.problem(at, `expected a percentage from 0 to 100, got ${shown(value)}`, isShare ? shareHint(value) : undefined)
  return undefined
}

function shareHint(share: number): string {
  const percent = Number((share * 100).toPrecision(6))
  return `write ${percent} for ${percent} %`
}
