import type { Json } from '../core/json.ts'
import { shown } from '../core/reading/fields.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/** Whoever counts a year from a day that has begun elsewhere already is not wrong. */
const MOST_DAYS = 366

/** `YYYY-MM-DD` in UTC. */
export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}

type ReadDay = { readonly day: string } | { readonly message: string; readonly hint?: string }

/**
 * The last day on which something is let through, as written. It may be past, and it is at most a year away: what nobody
 * looks at for so long is forgotten.
 */
export function readUntil(written: Json, today: string): ReadDay {
  const day = /^\d{4}-\d{2}-\d{2}$/.exec(typeof written === 'string' ? written.trim() : '')?.[0]
  if (day === undefined)
    return { message: `expected a day such as 2026-03-31, got ${shown(written)}`, ...hintFor(written) }
  const ms = Date.parse(day)
  // Some months end early, and dates roll over.
  if (Number.isNaN(ms) || dayOf(ms) !== day) return { message: `the calendar has no ${day}` }
  const latest = dayOf(Date.parse(today) + MOST_DAYS * DAY_MS)
  return day <= latest ? { day } : { message: `${day} is more than a year away`, hint: `${latest} is the latest` }
}

function hintFor(written: Json): { readonly hint?: string } {
  const text = typeof written === 'string' ? written.trim() : ''
  const [, year, month = '', day = ''] = /^(\d{4})-(\d{1,2})-(\d{1,2})(?!\d)/.exec(text) ?? []
  return year === undefined ? {} : { hint: `write ${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}` }
}
