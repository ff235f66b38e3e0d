import { extname } from 'node:path'
import type { Report } from '../../core/report.ts'
import { outputsOf } from '../../render/index.ts'
import type { Outcome } from './job.ts'

interface Kept {
  /** Absolute paths of the results files. */
  readonly paths: readonly string[]
  /** Of the results. */
  readonly artifactId?: number | undefined
}

const REPORT_EXTENSIONS: readonly string[] = ['.html', '.htm', '.md', '.markdown']

/** How the job ends with this report, and what it tells later steps. */
export function outcomeOf(report: Report, { paths, artifactId }: Kept): Outcome {
  const outputs = outputsOf(report)
  const [results = ''] = paths
  return {
    exitReason: report.verdict.exitReason,
    message: outputs['gate-message'],
    outputs: {
      ...outputs,
      'results-path': results,
      'report-path': paths.find((path) => REPORT_EXTENSIONS.includes(extname(path).toLowerCase())) ?? '',
      'artifact-id': artifactId === undefined ? '' : String(artifactId),
    },
  }
}
