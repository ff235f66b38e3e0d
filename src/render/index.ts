export { type Annotation, annotationsOf } from './annotations.ts'
export { type CasePage, type RunPage, renderCasePage } from './case-page.ts'
export { type Environment, environmentText } from './environment.ts'
export { type HtmlSource, htmlRun, renderHtml } from './html.ts'
export {
  executedOf,
  jsonReport,
  type NumberedRun,
  reportHead,
  reportTail,
  resultRow,
  stabilityRow,
} from './json-report.ts'
export type { ReportLinks } from './links.ts'
export { renderMarkdown } from './markdown.ts'
export { outputsOf } from './outputs.ts'
export { problemsSection, refusalOf, renderProblems } from './problems.ts'
export { quotePattern } from './rerun.ts'
export {
  type CaseExtras,
  resultFields,
  runLine,
  skippedLine,
  stabilityLine,
  startLine,
  summaryLine,
} from './results.ts'
export { renderSection, renderSections, type Section } from './sections.ts'
export { renderSummary } from './summary.ts'
export { caseText, idWidthOf, type Mood, type Paint, progressText, runText, type TerminalStyle } from './terminal.ts'
export { planText, reportText } from './terminal-report.ts'
export { hasTimeline, timelineText } from './timeline.ts'
export { timelineFields } from './timeline-data.ts'
export { gateSentence, headlineOf, reasonsLine } from './verdict-line.ts'
export { formatCount, formatTokens, formatUsd, logText, plural } from './words.ts'
