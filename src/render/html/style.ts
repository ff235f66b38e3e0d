/** The page's one style sheet: both colour schemes, paper, and screens from 360 pixels on. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --page: #f6f8fa; --card: #ffffff; --inset: #f3f5f8; --line: #d1d9e0; --text: #1f2328; --dim: #59636e; --link: #0550ae;
  --passed: #116329; --passed-back: #dafbe1; --failed: #a40e26; --failed-back: #ffebe9;
  --error: #7d4e00; --error-back: #fff1c9; --timeout: #5a32a3; --timeout-back: #f2e9ff;
  --none: #505a65; --none-back: #e6eaef; --mark: #ffd5cf;
  --dot-passed: #2da44e; --dot-failed: #d1242f; --dot-error: #bf8700; --shade: 0 1px 2px rgb(31 35 40 / 8%);
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0d1117; --card: #151b23; --inset: #0d1117; --line: #343c46; --text: #e6edf3; --dim: #9da7b3; --link: #79b8ff;
    --passed: #7ee787; --passed-back: #12341f; --failed: #ffa198; --failed-back: #471b1f;
    --error: #f0c24c; --error-back: #3b2a05; --timeout: #d8b4fe; --timeout-back: #33204f;
    --none: #aeb8c4; --none-back: #262d36; --mark: #6e2a2a;
    --dot-passed: #3fb950; --dot-failed: #f85149; --dot-error: #d29922; --shade: none;
  }
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body { margin: 0; background: var(--page); color: var(--text); font: 15px/1.5 system-ui, -apple-system, "Segoe UI", sans-serif; }
main, header, footer { max-width: 76rem; margin: 0 auto; padding: 0 1.25rem; }
header { padding-top: 1.75rem; }
h1 { margin: 0; font-size: 1.6rem; line-height: 1.25; }
h2 { margin: 2rem 0 .75rem; font-size: 1.15rem; }
h3 { margin: 1rem 0 .5rem; font-size: 1rem; }
h4 { margin: 0 0 .25rem; font-size: .8rem; font-weight: 600; color: var(--dim); }
p { margin: .5rem 0; }
a { color: var(--link); }
code, pre { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; font-size: .86em; }
.subtitle { margin: .15rem 0 1.25rem; color: var(--dim); overflow-wrap: anywhere; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 4px; }

.verdict { padding: .9rem 1.1rem; background: var(--card); border: 1px solid var(--line); border-left: 5px solid var(--tone);
  border-radius: 8px; box-shadow: var(--shade); overflow-wrap: anywhere; }
.verdict strong { color: var(--tone); }
.verdict p { margin: 0; }
.verdict .baseline { margin-top: .3rem; color: var(--dim); }
.verdict ul { margin: .5rem 0 0; padding-left: 1.2rem; }
.caution, .warning { --tone: var(--failed); } .note-tone { --tone: var(--error); } .tip { --tone: var(--passed); }

.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(7.5rem, 1fr)); gap: .75rem; margin: 1rem 0 0; }
.cards div { padding: .7rem .9rem; background: var(--card); border: 1px solid var(--line); border-radius: 8px; box-shadow: var(--shade); }
.cards dt { color: var(--dim); font-size: .82rem; }
.cards dd { margin: 0; font-size: 1.45rem; font-weight: 650; line-height: 1.3; font-variant-numeric: tabular-nums; }
.cards .small { display: block; font-size: .78rem; font-weight: 400; color: var(--dim); }
.cards .passed dd { color: var(--passed); } .cards .failed dd { color: var(--failed); } .cards .error dd { color: var(--error); }
.cards .timeout dd { color: var(--timeout); } .cards .none dd { color: var(--none); }

.controls { display: flex; flex-wrap: wrap; gap: .6rem; align-items: center; margin-bottom: .6rem; }
.controls label { display: flex; gap: .4rem; align-items: center; color: var(--dim); }
#filters { display: flex; flex-wrap: wrap; gap: .35rem; flex-basis: 100%; }
input, select, .controls button, #pager button { font: inherit; color: var(--text); background: var(--card);
  border: 1px solid var(--dim); border-radius: 6px; padding: .3rem .65rem; min-height: 2.1rem; }
.search { flex: 1 1 14rem; } .search input { flex: 1; min-width: 0; }
select { max-width: 18rem; min-width: 0; }
button { cursor: pointer; }
.filter { border-color: var(--line) !important; }
.filter .amount { color: var(--dim); font-variant-numeric: tabular-nums; }
.filter[aria-pressed=true] { background: var(--text); border-color: var(--text) !important; color: var(--page); }
.filter[aria-pressed=true] .amount { color: inherit; }
.controls button:hover, #pager button:hover, tr.case:hover td { background: var(--inset); }
.filter[aria-pressed=true]:hover { background: var(--text) !important; }
#count { margin: 0 0 .4rem; color: var(--dim); font-size: .88rem; }

.frame { background: var(--card); border: 1px solid var(--line); border-radius: 8px; box-shadow: var(--shade); }
table { width: 100%; border-collapse: collapse; }
caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
th { padding: .5rem .7rem; text-align: left; font-size: .82rem; font-weight: 600; color: var(--dim); white-space: nowrap; border-bottom: 1px solid var(--line); }
th button { font: inherit; color: inherit; background: none; border: 0; padding: .15rem 0; }
th button::after { content: " \\2195"; opacity: .55; }
th[aria-sort=ascending] button::after, th[aria-sort=descending] button::after { opacity: 1; }
th[aria-sort=ascending] button::after { content: " \\2191"; } th[aria-sort=descending] button::after { content: " \\2193"; }
td { padding: .5rem .7rem; vertical-align: top; border-top: 1px solid var(--line); }
tbody tr:first-child td { border-top: 0; }
.case .name { width: 100%; overflow-wrap: anywhere; }
.name button, .name b { display: inline; padding: 0; border: 0; background: none; color: var(--text); font: inherit; font-weight: 600; text-align: left; overflow-wrap: anywhere; }
.name button::before { content: ""; display: inline-block; margin-right: .5rem; border: .32rem solid transparent; border-left: .42rem solid var(--dim); border-right: 0; }
.name button[aria-expanded=true]::before { transform: rotate(90deg); }
.name .about, .name .why { display: block; font-size: .86rem; color: var(--dim); }
.why { overflow-wrap: anywhere; white-space: pre-wrap; } .why.failed { color: var(--failed); } .why.error { color: var(--error); } .why.timeout { color: var(--timeout); }
td.passed, td.time, td.class, td.change, td.status { white-space: nowrap; font-variant-numeric: tabular-nums; }
td.time, th.time { text-align: right; }
.narrow { display: none; }
.mark { display: inline-block; padding: .05rem .5rem; border-radius: 1rem; font-size: .8rem; font-weight: 600; white-space: nowrap; }
.mark.passed { color: var(--passed); background: var(--passed-back); } .mark.failed { color: var(--failed); background: var(--failed-back); }
.mark.error { color: var(--error); background: var(--error-back); } .mark.timeout { color: var(--timeout); background: var(--timeout-back); }
.mark.skipped, .mark.not_run { color: var(--none); background: var(--none-back); }
.change-regressed, .change-dropped { color: var(--failed); } .change-improved { color: var(--passed); }
.change-environment_moved, .change-not_proven { color: var(--error); }
.change-new, .change-redefined, .change-not_judged, .change-removed, .change-young, .change-risen { color: var(--dim); }
.dots { display: inline-flex; gap: 2px; margin-left: .5rem; }
.dots i { width: .5rem; height: .8rem; border-radius: 2px; background: var(--dot-passed); }
.dots .failed { background: var(--dot-failed); } .dots .error { background: var(--dot-error); }

.more > td { background: var(--inset); border-top: 0; padding: .4rem 1rem 1rem; max-width: 1px; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 15rem), 1fr)); gap: .4rem 1.5rem; margin: .3rem 0 .8rem; }
.figures dt { font-size: .8rem; color: var(--dim); } .figures dd { margin: 0; overflow-wrap: anywhere; }
.run { margin: .6rem 0; background: var(--card); border: 1px solid var(--line); border-radius: 8px; }
.run > summary { padding: .45rem .8rem; } .run > :not(summary) { margin: .6rem .8rem; }
summary { cursor: pointer; overflow-wrap: anywhere; }
.run .about { margin-left: .5rem; color: var(--dim); font-size: .86rem; }
.checks { padding: 0; list-style: none; } .checks li { margin: .4rem 0; overflow-wrap: anywhere; }
.checks code { margin: 0 .4rem 0 .5rem; font-weight: 600; } .message { white-space: pre-wrap; }
.sides { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); gap: .3rem 1rem; margin-top: .4rem; }
.section { min-width: 0; margin: .5rem 0; }
.section pre { margin: 0; padding: .55rem .7rem; max-height: 24rem; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere; background: var(--inset); border: 1px solid var(--line); border-radius: 6px; }
.more > td > .section pre { background: var(--card); }
.section mark { color: inherit; background: var(--mark); border-radius: 2px; }
.steps ol { margin: .3rem 0; padding-left: 1.6rem; } .steps summary { color: var(--dim); }
.note { color: var(--dim); font-size: .86rem; }
.scriptless { padding: .5rem .9rem; }
.group { padding: .5rem 1rem; } .group + .group { border-top: 1px solid var(--line); } p.group { margin: 0; } .frame + .facts { margin-top: .6rem; } .group ul { margin: .4rem 0 .2rem; padding-left: 1.2rem; overflow-wrap: anywhere; }
#pager { display: flex; flex-wrap: wrap; gap: .4rem; margin: .8rem 0; } #pager [aria-disabled=true] { opacity: .55; cursor: default; }
.facts { display: grid; grid-template-columns: max-content 1fr; gap: .3rem 1.2rem; margin: 0; padding: .9rem 1.1rem; }
.facts dt { color: var(--dim); } .facts dd { margin: 0; min-width: 0; overflow-wrap: anywhere; }
footer { padding-top: 1.5rem; padding-bottom: 2rem; color: var(--dim); font-size: .86rem; }

@media (max-width: 44rem) {
  main, header, footer { padding-left: .75rem; padding-right: .75rem; }
  table, thead, tbody { display: block; }
  thead tr { display: flex; justify-content: space-between; padding: .2rem .3rem; border-bottom: 1px solid var(--line); }
  th { padding: .3rem; border: 0; }
  tr.case { display: grid; grid-template-columns: auto 1fr auto; gap: .3rem .7rem; padding: .6rem .75rem; border-top: 1px solid var(--line); }
  tr.case:first-child { border-top: 0; }
  tr.case td { padding: 0; border: 0; } tr.case td.name { grid-column: 1 / -1; order: 1; width: auto; }
  tr.more, tr.more td { display: block; max-width: none; }
  td.class, th.class, td.change, th.change { display: none !important; }
  .narrow { display: block; font-size: .86rem; }
  .cards { grid-template-columns: repeat(auto-fit, minmax(6rem, 1fr)); gap: .5rem; }
  .cards div { padding: .5rem .65rem; } .cards dd { font-size: 1.2rem; }
  .more > td { padding: .4rem .5rem .8rem; }
  .facts { grid-template-columns: 1fr; gap: 0; } .facts dd { margin-bottom: .5rem; }
}
@media (forced-colors: active) { .mark { border: 1px solid; } .filter[aria-pressed=true] { outline: 2px solid; } }
@media print {
  :root { color-scheme: light; --page: #fff; --card: #fff; --inset: #fff; --line: #b8c0c8; --text: #000; --dim: #444; --link: #000;
    --passed: #116329; --passed-back: #fff; --failed: #a40e26; --failed-back: #fff; --error: #7d4e00; --error-back: #fff;
    --timeout: #5a32a3; --timeout-back: #fff; --none: #444; --none-back: #fff; --mark: #eee; --shade: none; }
  html, body { font-size: 11px; }
  .controls, #pager, .note a { display: none !important; }
  .section pre { max-height: none; overflow: visible; }
  tr.case, .cards div, .verdict { break-inside: avoid; } tr.case { break-after: avoid-page; } thead { display: table-header-group; }
  .mark { border: 1px solid; }
}
`
