import { type CaseReport, caseStatus } from '../../core/case-report.ts'
import { describeChance } from '../../core/describe-reason.ts'
import type { Json } from '../../core/json.ts'
import { formatScore } from '../../core/percent.ts'
import type { Report } from '../../core/report.ts'
import { failureText, ratePercent } from '../../core/result.ts'
import { describeClass, type Stability } from '../../core/stability.ts'
import { MESSAGE_SUITE } from '../../core/suite.ts'
import { describeNote, describeRate } from '../../core/verdict.ts'
import { plainText, terminalBlock } from '../../lib/escape.ts'
import { nameOf } from '../links.ts'
import { describeParting } from '../parting.ts'
import type { CaseExtras } from '../results.ts'
import { baseName, sidesOf } from '../scene.ts'
import { scoreChangeOf } from '../score-change.ts'
import type { Standpoint } from '../standing.ts'
import { groupFailures, jsonText } from '../words.ts'
import type { PageCase, PageChange, PageFacts, Titled } from './page-data.ts'
import { tenths } from './run-data.ts'

const LONGEST_NAME = 200
const LONGEST_LINE = 200
const LONGEST_INPUT = 20_000
const LONGEST_FINDING = 600

/** Everything of a case but its runs. */
export type CaseData = (point: Standpoint, extras?: CaseExtras) => PageCase

/** What all cases of a page share, and how one of them is told. */
export function caseDataOf(report: Report): { readonly facts: PageFacts; readonly dataOf: CaseData } {
  const suites = [...new Set(report.cases.map(({ suite }) => suite))]
  const positions = new Map(suites.map((suite, index) => [suite, index]))
  const name = nameOf(report)
  const isSeveral = report.targets.length > 1
  const dataOf: CaseData = (point, extras = {}) => {
    const { item, change } = point
    const { stability, suite } = item
    const about = plainText(item.summary, { maxLength: LONGEST_LINE })
    const place = suite === MESSAGE_SUITE ? {} : { suite: positions.get(suite) ?? 0, line: item.location.line }
    return {
      name: plainText(name(item.key), { maxLength: LONGEST_NAME }),
      ...place,
      status: caseStatus(item),
      passed: stability.passed,
      runs: stability.runs,
      ms: tenths(stability.durationMs.mean),
      ...present({
        about,
        target: isSeveral ? plainText(item.target, { maxLength: LONGEST_NAME }) : '',
        why: whyOf(item),
        errored: stability.errored,
        skipped: item.skippedRuns,
        change: change && changeOf(item, change),
        findings: findingsOf(point, report),
        given: givenOf(item.input, about, extras),
      }),
      ...(stability.runs > 1 ? { class: describeClass(stability.class), spread: spreadOf(stability) } : {}),
    }
  }
  return { facts: { suites: suites.map((suite) => plainText(suite)), cases: report.cases.length }, dataOf }
}

type Present<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> }

/** Members that say something: a hundred thousand empty ones would be megabytes. */
function present<T extends Readonly<Record<string, string | number | readonly unknown[] | object | undefined>>>(
  members: T,
): Present<T> {
  const isTelling = (value: T[string]) =>
    Array.isArray(value) ? value.length > 0 : value !== undefined && value !== '' && value !== 0
  return Object.fromEntries(Object.entries(members).filter(([, value]) => isTelling(value as T[string]))) as Present<T>
}

function spreadOf({ durationMs: { min, max, stddev } }: Stability): NonNullable<PageCase['spread']> {
  return [tenths(min), tenths(max), tenths(stddev)]
}

function whyOf(item: CaseReport): string {
  const notRun = item.skip ?? item.unchanged
  if (notRun !== undefined) return plainText(notRun, { maxLength: LONGEST_LINE })
  if (item.stability.passed === item.stability.runs) return ''
  const [first] = groupFailures(item)
  return first ? plainText(failureText(first[0]), { maxLength: LONGEST_LINE }) : ''
}

/** Nothing that the line about the case says already. */
function givenOf(input: Json, about: string, { options, metadata }: CaseExtras): Titled[] {
  const text = jsonText(input)
  const titled = (title: string, value: string): Titled => [title, terminalBlock(value, { maxLength: LONGEST_INPUT })]
  return [
    ...(text === about ? [] : [titled('Input', text)]),
    ...(options ? [titled('Options', JSON.stringify(options, null, 2))] : []),
    ...(metadata ? [titled('Metadata', JSON.stringify(metadata, null, 2))] : []),
  ]
}

/** Names come first, so that a reader finds the same figure in every case. */
function findingsOf({ item, change, note }: Standpoint, { pools, baseline }: Report): Titled[] {
  const finding = change && 'finding' in change ? change.finding : undefined
  const pool = pools.get(item.key)
  const run = item.runs.find(({ status, steps }) => status === 'failed' && steps !== undefined)
  const parting = describeParting(pool?.steps, run?.steps, { base: baseName({ baseline }), quote: (text) => text })
  const score = scoreChangeOf(item, pool)?.fallen.map(({ evaluator, before, after }) => {
    return `${evaluator} ${formatScore(before)} → ${formatScore(after)}`
  })
  const texts: readonly (readonly [string, string | undefined])[] = [
    ['By chance', finding?.flagged ? `${describeChance(finding.p)} of pull requests` : undefined],
    ['Base commit again', finding?.control && describeRate(finding.control)],
    ['Note', note && describeNote(note)],
    ['Tool calls part', parting],
    ['Scores fell', score?.join(', ')],
  ]
  return texts.flatMap(([title, text]): Titled[] =>
    text === undefined || text === '' ? [] : [[title, plainText(text, { maxLength: LONGEST_FINDING })]],
  )
}

function changeOf(item: CaseReport, change: NonNullable<Standpoint['change']>): PageChange | undefined {
  if (change.kind === 'unchanged') return undefined
  const { before, after } = sidesOf(item, change)
  const rates = `${before ? describeRate(before) : '–'} → ${after ? describeRate(after) : '–'}`
  const points = before && after ? ratePercent(after) - ratePercent(before) : 0
  return { kind: change.kind, rates, points: Math.round(points * 10) / 10 }
}
