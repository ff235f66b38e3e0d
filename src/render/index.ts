export { type Annotation, annotationsOf } from './annotations.ts'
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
export { refusalOf, renderProblems } from './problems.ts'
export {
  type CaseExtras,
  resultFields,
  runLine,
  skippedLine,
  stabilityLine,
  startLine,
  summaryLine,
} from './results.ts'
export { renderSummary } from './summary.ts'
export { caseText, idWidthOf, type Mood, type Paint, progressText, runText, type TerminalStyle } from './terminal.ts'
export { planText, reportText } from './terminal-report.ts'
export { gateSentence, headlineOf, reasonsLine } from './verdict-line.ts'
