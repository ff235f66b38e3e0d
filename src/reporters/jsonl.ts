import { type CaseReport, isCutShort } from '../core/case-report.ts'
import { exitCodeOf } from '../core/verdict.ts'
import { runLine, skippedLine, stabilityLine, startLine, summaryLine } from '../render/index.ts'
import { type OutputFile, type OutputPath, openOutput } from './file.ts'
import type { Reporter } from './reporter.ts'

export type ExitCodeStyle = 'seed' | 'detailed'

/** Results as they arrive, one JSON object a line. Source: spec yao 5.1. */
export function jsonlFile(output: OutputPath, { exitCodes }: { readonly exitCodes: ExitCodeStyle }): Reporter {
  let file: OutputFile | undefined
  let runsPerCase = 1
  const write = (line: object) => file?.append(`${oneLine(line)}\n`)
  return {
    name: output.shown,
    required: true,
    async onStart({ startedAt, cases, targets, connector, ...plan }) {
      runsPerCase = plan.runsPerCase
      file = await openOutput(output)
      const given = connector === undefined ? {} : { connector }
      await write(startLine({ startedAt, totalCases: cases.length, runsPerCase, targets, ...given }))
    },
    onRun(result, item) {
      // The case says so itself.
      if (result.status === 'skipped' && runsPerCase === 1) return undefined
      return write(runLine(result, item, runsPerCase))
    },
    onCase(item) {
      if (item.skip !== undefined) return write(skippedLine(item))
      if (runsPerCase === 1) return undefined
      return write(stabilityLine(item))
    },
    async onEnd(report) {
      // Cases that an interruption or --fail-fast cut short have no last run.
      const isPartial = (item: CaseReport) => item.skip === undefined && isCutShort(item, runsPerCase)
      if (runsPerCase > 1) for (const item of report.cases.filter(isPartial)) await write(stabilityLine(item))
      await write(summaryLine(report, exitCodeOf(report.verdict.exitReason, exitCodes)))
      await file?.close()
    },
  }
}

/** Two characters are legal in JSON and yet end a line for some readers, Node's readline among them. */
function oneLine(value: object): string {
  return JSON.stringify(value).replace(/[\u2028\u2029]/g, (separator) =>
    separator === '\u2028' ? '\\u2028' : '\\u2029',
  )
}
