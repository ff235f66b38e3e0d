import type { CaseReport } from '../core/case-report.ts'
import { exitCodeOf } from '../core/verdict.ts'
import {
  executedOf,
  type NumberedRun,
  reportHead,
  reportTail,
  resultFields,
  resultRow,
  stabilityRow,
  timelineFields,
} from '../render/index.ts'
import { type CaseExtrasByKey, collectExtras } from './case-extras.ts'
import { type OutputFile, type OutputPath, openOutput } from './file.ts'
import type { ExitCodeStyle } from './jsonl.ts'
import type { Reporter } from './reporter.ts'
import { openRunSpool, type RunSpool } from './run-spool.ts'

/** One JSON document with every output. Source: spec yao 5.2. Runs wait in a temporary file until it is written. */
export function jsonFile(output: OutputPath, { exitCodes }: { readonly exitCodes: ExitCodeStyle }): Reporter {
  let spool: RunSpool | undefined
  let extras: CaseExtrasByKey = new Map()
  let runsPerCase = 1
  return {
    name: output.shown,
    required: true,
    async onStart(plan) {
      runsPerCase = plan.runsPerCase
      extras = collectExtras(plan.cases)
      await (await openOutput(output)).close()
      spool = await openRunSpool()
    },
    onRun(result) {
      if (!spool) return undefined
      const timeline = timelineFields(result.trace)
      const told = resultFields(result, { onlyFailed: false })
      const run: NumberedRun = { run: result.run, ...told, ...(timeline ? { timeline } : {}) }
      return spool.add(result, JSON.stringify(run))
    },
    async onEnd(report) {
      const source = spool
      if (!source) return
      const runsOf = async ({ key }: CaseReport) =>
        (await source.textsOf(key)).map((text) => JSON.parse(text) as NumberedRun)
      const rowOf = async (item: CaseReport) => {
        const extra = extras.get(item.key)
        return resultRow(item, await runsOf(item), { runsPerCase, ...(extra ? { extras: extra } : {}) })
      }
      const lists: Lists = { results: rowOf }
      if (runsPerCase > 1) lists['stability_results'] = async (item) => stabilityRow(item, await runsOf(item))
      const head = reportHead(report, exitCodeOf(report.verdict.exitReason, exitCodes))
      const tail = reportTail(report, { outputFile: output.shown })
      try {
        await writeDocument(await openOutput(output), head, { cases: executedOf(report), lists, tail })
      } finally {
        await source.close()
      }
    },
  }
}

/** Members of the document that hold one row per executed case. */
type Lists = Record<string, (item: CaseReport) => Promise<object>>

/** Indented as `JSON.stringify(…, null, 2)` would, one row at a time; closes the file. */
async function writeDocument(
  file: OutputFile,
  head: object,
  { cases, lists, tail }: { readonly cases: readonly CaseReport[]; readonly lists: Lists; readonly tail: object },
): Promise<void> {
  try {
    await file.append(`{\n${members(head)}`)
    for (const [name, rowOf] of Object.entries(lists)) {
      await file.append(`,\n  ${JSON.stringify(name)}: [`)
      for (const [index, item] of cases.entries()) {
        await file.append(`${index === 0 ? '' : ','}\n    ${indented(await rowOf(item), '    ')}`)
      }
      await file.append(cases.length === 0 ? ']' : '\n  ]')
    }
    await file.append(`,\n${members(tail)}\n}\n`)
  } finally {
    await file.close()
  }
}

function members(value: object): string {
  return Object.entries(value)
    .map(([name, member]) => `  ${JSON.stringify(name)}: ${indented(member, '  ')}`)
    .join(',\n')
}

/** A line break in the text stands between tokens: inside a JSON string it would be escaped. */
function indented(value: unknown, indent: string): string {
  return JSON.stringify(value, null, 2).replaceAll('\n', `\n${indent}`)
}
