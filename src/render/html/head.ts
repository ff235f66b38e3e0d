import { describeBaseline } from '../../core/baseline.ts'
import { casePassRate, overallPassRate, totalsOf } from '../../core/case-report.ts'
import type { Change } from '../../core/comparison.ts'
import { formatPercent } from '../../core/percent.ts'
import type { Report } from '../../core/report.ts'
import type { JudgedRate } from '../../core/result.ts'
import { describeNote, describeRate, describeReason } from '../../core/verdict.ts'
import { formatDuration } from '../../lib/duration.ts'
import { plainText } from '../../lib/escape.ts'
import { classCounts, costOf, tokensUsed, unchangedCases } from '../figures.ts'
import { nameOf } from '../links.ts'
import { controlSentence, sensitivitySentence } from '../notes.ts'
import { distinctReasons, headlineOf } from '../verdict-line.ts'
import { formatCount, plural } from '../words.ts'
import { type Markup, markup } from './markup.ts'

const MOST_REASONS = 20
/** Cases named in one group of changes. */
const MOST_CHANGES = 50
const LONGEST_SENTENCE = 1_000
const LONGEST_NAME = 200

/** Title, verdict and cards. */
export function headOf(report: Report): Markup {
  const agents = report.targets.map((target) => plainText(target)).join(', ')
  const connector = report.connector === undefined ? '' : ` • ${plainText(report.connector)}`
  return markup`<header>
<h1>Agent Test Report</h1>
<p class="subtitle">${agents}${connector}</p>
${verdictOf(report)}
${cardsOf(report)}
</header>
`
}

const TONES = { CAUTION: 'caution', WARNING: 'warning', NOTE: 'note-tone', TIP: 'tip' } as const

function verdictOf(report: Report): Markup {
  const { alert, title, subject, text } = headlineOf(report)
  const name = nameOf(report)
  const reasons = distinctReasons(report.verdict)
  const shown = reasons.slice(0, MOST_REASONS).map((reason) => sentence(describeReason(reason)))
  if (reasons.length > shown.length) shown.push(`… and ${plural(reasons.length - shown.length, 'more reason')}`)
  const list = markup`<details><summary>${plural(reasons.length, 'reason')}</summary><ul>${shown.map((words) => markup`<li>${words}</li>`)}</ul></details>`
  const start = subject === undefined ? undefined : markup`<code>${sentence(name(subject))}</code> `
  return markup`<section class="verdict ${TONES[alert]}" aria-label="Verdict">
<p><strong>${title}:</strong> ${start}${sentence(text)}</p>
<p class="baseline">${sentence(describeBaseline(report.baseline))}</p>
${reasons.length > 1 ? list : undefined}
${notesOf(report)}
</section>`
}

/** What a reader must know besides, and what could not have been seen. */
function notesOf(report: Report): Markup | undefined {
  const { notes } = report.verdict
  const shown = notes.slice(0, MOST_REASONS).map(describeNote)
  const more = notes.length > shown.length ? [`… and ${plural(notes.length - shown.length, 'more note')}`] : []
  const control = controlSentence(report.judgement, (commit) => commit)
  const sensitivity = sensitivitySentence(report)
  const texts = [...shown, ...more, ...(control === undefined ? [] : [control]), ...(sensitivity ? [sensitivity] : [])]
  if (texts.length === 0) return undefined
  return markup`<ul class="notes">${texts.map((text) => markup`<li>${sentence(text)}</li>`)}</ul>`
}

function sentence(text: string): string {
  return plainText(text, { maxLength: LONGEST_SENTENCE })
}

function cardsOf(report: Report): Markup {
  const totals = totalsOf(report.cases)
  const unchanged = unchangedCases(report)
  const count = (kind: string, title: string, value: number) =>
    value > 0 ? card(kind, title, formatCount(value)) : undefined
  const isRepeated = report.runsPerCase > 1 && totals.runs > 0
  const runs = isRepeated ? `${formatCount(totals.passedRuns)} of ${plural(totals.runs, 'run')}` : undefined
  // Of the runs, as every surface says; the share of the cases that passed every run is another figure.
  const rate = totals.runs === 0 ? '–' : formatPercent(overallPassRate(totals))
  const share = isRepeated ? `${formatPercent(casePassRate(totals))} of cases` : undefined
  return markup`<dl class="cards">
${card('total', 'Total', formatCount(totals.cases), report.runsPerCase > 1 ? `${report.runsPerCase} runs each` : undefined)}
${card('passed', 'Passed', formatCount(totals.passed), share)}
${card(totals.failed > 0 ? 'failed' : '', 'Failed', formatCount(totals.failed))}
${count('error', 'Errored', totals.errors)}${count('timeout', 'Timed out', totals.timeouts)}
${count('none', 'Skipped', totals.skipped)}${count('none', 'Unchanged', unchanged)}${count('none', 'Not run', totals.notRun - unchanged)}
${card('', 'Pass Rate', rate, runs)}
${card('', 'Duration', formatDuration(report.durationMs))}
</dl>`
}

function card(kind: string, title: string, value: string, small?: string): Markup {
  return markup`<div class="${kind}"><dt>${title}</dt><dd>${value}${small === undefined ? undefined : markup`<span class="small">${small}</span>`}</dd></div>`
}

const CHANGES: readonly (readonly [kind: Change['kind'], title: string])[] = [
  ['regressed', 'Regressed'],
  ['environment_moved', 'Environment moved: the base commit does as badly now'],
  ['not_proven', 'Not proven: the gap to the base commit is too small'],
  ['dropped', 'Lower, which may be chance'],
  ['not_judged', 'Not judged: every run errored'],
  ['improved', 'Improved'],
  ['risen', 'Higher, which may be chance'],
  ['new', 'New'],
  ['redefined', 'Redefined: the case or its target changed'],
  ['removed', 'Removed'],
  ['young', 'Too few runs on the base branch to compare with'],
]

/** Against the baseline, regressions first. */
export function changesOf(report: Report): Markup | undefined {
  if (report.baseline.kind !== 'ok') return undefined
  const name = nameOf(report)
  const groups = CHANGES.flatMap(([kind, title]) => {
    const changes = report.changes.filter((change) => change.kind === kind)
    if (changes.length === 0) return []
    const shown = changes.slice(0, MOST_CHANGES).map((change) => changeItem(change, name))
    const more = changes.length - shown.length
    if (more > 0) shown.push(markup`<li>… and ${formatCount(more)} more</li>`)
    return [
      markup`<details class="group"${kind === 'regressed' ? markup` open` : undefined}><summary><b>${title}</b> (${formatCount(changes.length)})</summary><ul>${shown}</ul></details>
`,
    ]
  })
  const same = report.changes.filter(({ kind }) => kind === 'unchanged').length
  return markup`<section aria-labelledby="changes"><h2 id="changes">Changes against the baseline</h2>
<div class="frame">${groups}<p class="group note">${plural(same, 'case')} unchanged.</p></div></section>
`
}

function changeItem(change: Change, name: (key: string) => string): Markup {
  const { before, after }: { readonly before?: JudgedRate; readonly after?: JudgedRate } = change
  const rates = [before, after].flatMap((rate) => (rate === undefined ? [] : [describeRate(rate)])).join(' → ')
  const shown = plainText(name(change.key), { maxLength: LONGEST_NAME })
  const address = `#case=${encodeURIComponent(shown)}`
  const link = change.kind === 'removed' ? shown : markup`<a href="${address}">${shown}</a>`
  return markup`<li><code>${link}</code> <span class="change-${change.kind}">${rates}</span></li>`
}

function runsText({ runsPerCase, maxRuns }: Report): string {
  return maxRuns > runsPerCase ? `${runsPerCase}, up to ${maxRuns} of a suspicious case` : String(runsPerCase)
}

/** What was run, with what and by whom. */
export function metadataOf(report: Report): Markup {
  const { gate, identity, warnings } = report
  const rules = gate.failOn.length === 0 ? 'nothing' : gate.failOn.join(', ')
  const stability = report.runsPerCase > 1 ? classCounts(report) : undefined
  const used = tokensUsed(report)
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['Agent', report.targets.join(', ')],
    ['Connector', report.connector],
    ['Input', report.inputs.join(', ')],
    ['Runs per case', runsText(report)],
    ['Stability', stability],
    ['Gate', `fails on ${rules}; every case must reach ${formatPercent(gate.minPassRate)}`],
    ['User', identity.user],
    ['Team', identity.team],
    ['Locale', identity.locale],
    ['Tokens', used],
    ['Cost', costOf(report)],
    ['Started', report.startedAt],
    ['Finished', report.finishedAt],
    ['Version', `agent-test ${report.version}`],
  ]
  const list = rows.flatMap(([title, value]) =>
    value === undefined || value === '' ? [] : [markup`<dt>${title}</dt><dd>${sentence(value)}</dd>`],
  )
  const texts = warnings.map((warning) => markup`<li>${sentence(warning)}</li>`)
  const told = markup`<details class="frame group"><summary>${plural(warnings.length, 'warning')}</summary><ul>${texts}</ul></details>`
  return markup`<section aria-labelledby="metadata"><h2 id="metadata">Metadata</h2>
${warnings.length === 0 ? undefined : told}
<dl class="facts frame">${list}</dl></section>
`
}
