import { formatPercent } from '../../core/percent.ts'
import type { Report } from '../../core/report.ts'
import { formatDuration } from '../../lib/duration.ts'
import { plural } from '../words.ts'
import { checksOf, figuresOf, opensRuns } from './browser/details.ts'
import { type Markup, markup } from './markup.ts'
import type { PageCase, PageCheck, PageFacts, PageRun, Titled } from './page-data.ts'

/** The table of cases without its rows; what is `scripted` appears with JavaScript, what is `scriptless` goes then. */
export function listStart({ runsPerCase, baseline }: Report): Markup {
  return markup`<section id="list" aria-labelledby="cases-title"><h2 id="cases-title">Cases</h2>
<div class="controls scripted" role="group" aria-label="Choose cases" hidden>
<label class="search">Search <input id="search" type="search" autocomplete="off" placeholder="id, input, output, error …"></label>
<label hidden>Suite <select id="suite"><option value="">All</option></select></label>
<button type="button" id="open-all">Open or close all shown</button>
<div id="filters" role="group" aria-label="Filter by status"></div>
</div>
<p id="count" class="scripted" role="status" hidden></p>
<div class="frame"><table><caption>Results of the cases, worst first</caption>
<thead><tr><th scope="col" class="status" data-sort="status">Status</th><th scope="col" data-sort="case">Case</th><th scope="col" class="passed" data-sort="passed">Passed</th>${runsPerCase > 1 ? markup`<th scope="col" class="class" id="column-class">Stability</th>` : undefined}${baseline.kind === 'ok' ? markup`<th scope="col" class="change" id="column-change" data-sort="change">Baseline</th>` : undefined}<th scope="col" class="time" data-sort="time">${runsPerCase > 1 ? 'Mean time' : 'Time'}</th></tr></thead>
<tbody id="cases">
`
}

/** Ends the table; `left` cases are in the data alone. */
export function listEnd(left: number): Markup {
  const words = `${plural(left, 'more case')}, all of them better than or like the last one above, can be seen with JavaScript. A .json, .jsonl or .md output lists them as well.`
  return markup`</tbody></table>${left > 0 ? markup`<p class="scriptless note">${words}</p>` : undefined}</div>
<nav id="pager" class="scripted" aria-label="Pages of cases" hidden><button type="button" id="first">First</button><button type="button" id="previous">Previous</button><button type="button" id="next">Next</button><button type="button" id="last">Last</button></nav>
</section>
`
}

interface RowOptions {
  readonly facts: PageFacts
  readonly hasClass: boolean
  readonly hasChange: boolean
}

/** A case for readers without JavaScript: a row, and one below it that opens. */
export function plainRow(item: PageCase, { facts, hasClass, hasChange }: RowOptions): Markup {
  const { name, about, why, status, passed, runs, change } = item
  const words = change ? `${change.kind.replace('_', ' ')} ${change.rates}` : ''
  const kind = change ? `change-${change.kind}` : ''
  const columns = 4 + (hasClass ? 1 : 0) + (hasChange ? 1 : 0)
  const line = (type: string, text: string | undefined) =>
    text === undefined || text === '' ? undefined : markup`<span class="${type}">${text}</span>`
  return markup`<tr class="case" id="case=${encodeURIComponent(name)}"><td class="status">${mark(status)}</td><td class="name"><b>${name}</b>${line(`narrow ${kind}`, words)}${line('about', about)}${line(`why ${status}`, why)}</td><td class="passed">${runs === 0 ? '–' : `${passed}/${runs}`}</td>${hasClass ? markup`<td class="class">${item.class ?? '–'}</td>` : undefined}${hasChange ? markup`<td class="change ${kind}">${words}</td>` : undefined}<td class="time">${runs === 0 ? '–' : formatDuration(item.ms)}</td></tr>
<tr class="more"><td colspan="${columns}"><details><summary>Details of ${name}</summary>${details(item, facts)}</details></td></tr>
`
}

function mark(status: string): Markup {
  return markup`<span class="mark ${status}">${status.replace('_', ' ')}</span>`
}

function details(item: PageCase, facts: PageFacts): Markup {
  const figures = figuresOf({ formatDuration, formatPercent }, facts, item)
  const list = figures.map(([title, text]) => markup`<div><dt>${title}</dt><dd>${text}</dd></div>`)
  const runs = item.details ?? []
  const opened = opensRuns(runs)
  const note = markup`<p class="note">Shortened, so that this file stays small: a .json or .jsonl output has the rest.</p>`
  return markup`<dl class="figures">${list}</dl>${(item.given ?? []).map(section)}${runs.map((run, index) => runDetails(run, opened[index] ?? false))}${item.shortened ? note : undefined}`
}

function runDetails(told: PageRun, isOpen: boolean): Markup {
  const { run, status, ms, note, error, sections = [], steps = [] } = told
  const checks = checksOf(told)
  const about = [formatDuration(ms), ...(note === undefined ? [] : [note])].join(' · ')
  const list = steps.map((step) => markup`<li>${section(step)}</li>`)
  return markup`<details class="run"${isOpen ? markup` open` : undefined}><summary><b>Run ${run}</b> ${mark(status)}<span class="about">${about}</span></summary>${error === undefined ? undefined : markup`<p class="why ${status}">${error}</p>`}${checks.length === 0 ? undefined : markup`<ul class="checks">${checks.map(check)}</ul>`}${sections.map(section)}${steps.length === 0 ? undefined : markup`<details class="steps"><summary>Steps (${steps.length})</summary><ol>${list}</ol></details>`}</details>`
}

function check({ name, passed, message = '', expected, got, details: more }: PageCheck): Markup {
  const side = (title: string, text: string | undefined) => (text === undefined ? undefined : section([title, text]))
  return markup`<li><span class="mark ${passed ? 'passed' : 'failed'}">${passed ? 'passed' : 'failed'}</span><code>${name}</code><span class="message">${message}</span><div class="sides">${side('Expected', expected)}${side('Got', got)}</div>${side('Details', more)}</li>`
}

function section([title, text]: Titled): Markup {
  return markup`<div class="section"><h4>${title}</h4><pre tabindex="0" role="group" aria-label="${title}">${text}</pre></div>`
}
