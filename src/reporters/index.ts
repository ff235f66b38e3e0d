import { dirname, extname, join, resolve } from 'node:path'
import type { Problem } from '../core/errors.ts'
import type { Host } from '../core/host.ts'
import type { Suite } from '../core/suite.ts'
import { checkOutput, identityOf, type OutputPath } from './file.ts'
import { htmlFile } from './html.ts'
import { jsonFile } from './json.ts'
import { type ExitCodeStyle, jsonlFile } from './jsonl.ts'
import { markdownFile } from './markdown-file.ts'
import type { Reporter } from './reporter.ts'

export { builtInPath, reporterAgent, reporterCase } from './agent.ts'
export { checkRun } from './check-run.ts'
export { combineReporters } from './combine.ts'
export { consoleReporter, messageReporter } from './console.ts'
export { identityOf } from './file.ts'
export { jobSummary, noteMissing } from './job-summary.ts'
export { type JobSection, prComment } from './pr-comment.ts'
export type { Reporter, RunPlan } from './reporter.ts'
export { workflowAnnotations } from './workflow-annotations.ts'

interface FormatOptions {
  readonly exitCodes: ExitCodeStyle
}

/** Formats of results files by extension. */
const FORMATS: Readonly<Record<string, (output: OutputPath, options: FormatOptions) => Reporter>> = {
  '.jsonl': jsonlFile,
  '.json': jsonFile,
  '.md': markdownFile,
  '.markdown': markdownFile,
  '.html': htmlFile,
  '.htm': htmlFile,
}

interface OutputReporters {
  readonly reporters: readonly Reporter[]
  readonly problems: readonly Problem[]
  readonly warnings: readonly string[]
}

/** Reporters for results files, each checked without being touched: nothing is written before the run starts. */
export async function createOutputReporters(
  paths: readonly string[],
  host: Host,
  { exitCodes = 'seed' }: Partial<FormatOptions> = {},
): Promise<OutputReporters> {
  const reporters: Reporter[] = []
  const problems: Problem[] = []
  const warnings: string[] = []
  const seen = new Set<string>()
  for (const shown of paths) {
    const output: OutputPath = { shown, path: resolve(host.cwd, shown) }
    const identity = await identityOf(output.path)
    const problem = seen.has(identity)
      ? { field: '--output', message: `${shown}: given twice` }
      : await checkOutput(output)
    seen.add(identity)
    if (problem) problems.push(problem)
    const extension = extname(shown).toLowerCase()
    const format = FORMATS[extension]
    if (!format)
      warnings.push(
        `${shown}: ${unknownExtension(extension)}, so it will hold JSON; known: ${Object.keys(FORMATS).join(', ')}`,
      )
    reporters.push((format ?? jsonFile)(output, { exitCodes }))
  }
  return { reporters, problems, warnings }
}

function unknownExtension(extension: string): string {
  return extension === '' ? 'no extension' : `no format is called ${extension}`
}

/** `output-YYYYMMDDHHMMSS.jsonl` beside the first suite, in local time. Source: seed 000, "Default Output Path". */
export function defaultOutputPath(suites: readonly Suite[], now: Date): string {
  const [suite] = suites
  const digits = [now.getMonth() + 1, now.getDate(), now.getHours(), now.getMinutes(), now.getSeconds()]
  const stamp = `${now.getFullYear()}${digits.map((number) => String(number).padStart(2, '0')).join('')}`
  return join(suite === undefined ? '.' : dirname(suite.path), `output-${stamp}.jsonl`)
}
