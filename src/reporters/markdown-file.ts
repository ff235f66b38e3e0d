import { renderMarkdown } from '../render/index.ts'
import { type OutputPath, openOutput } from './file.ts'
import type { Reporter } from './reporter.ts'

/** The report as a Markdown file. */
export function markdownFile(output: OutputPath): Reporter {
  return {
    name: output.shown,
    required: true,
    async onStart() {
      await (await openOutput(output)).close()
    },
    async onEnd(report) {
      const file = await openOutput(output)
      await file.append(renderMarkdown(report))
      await file.close()
    },
  }
}
