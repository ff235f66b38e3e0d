import { createHash } from 'node:crypto'
import { htmlRun, renderHtml } from '../render/index.ts'
import { type CaseExtrasByKey, collectExtras } from './case-extras.ts'
import { type OutputPath, openOutput } from './file.ts'
import type { Reporter } from './reporter.ts'
import { openRunSpool, type RunSpool } from './run-spool.ts'

/** The report as a page for a browser. What is told of runs waits in a temporary file until it is written. */
export function htmlFile(output: OutputPath): Reporter {
  let spool: RunSpool | undefined
  let extras: CaseExtrasByKey = new Map()
  return {
    name: output.shown,
    required: true,
    async onStart(plan) {
      extras = collectExtras(plan.cases)
      await (await openOutput(output)).close()
      spool = await openRunSpool()
    },
    onRun: (result) => spool?.add(result, htmlRun(result)),
    async onEnd(report) {
      const source = spool
      if (!source) return
      const pieces = renderHtml(report, {
        digest: (text) => createHash('sha256').update(text).digest('base64'),
        runsOf: ({ key }) => source.textsOf(key),
        extrasOf: ({ key }) => extras.get(key),
      })
      try {
        const file = await openOutput(output)
        try {
          for await (const piece of pieces) await file.append(piece)
        } finally {
          await file.close()
        }
      } finally {
        await source.close()
      }
    },
  }
}
