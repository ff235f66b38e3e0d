import { redactDeep } from '../core/redact.ts'
import type { RepositoryPath } from '../github/index.ts'
import { cut, plainText, workflowData, workflowProperty } from '../lib/escape.ts'
import { type Annotation, annotationsOf } from '../render/index.ts'
import type { Reporter } from './reporter.ts'

/**
 * A runner makes no more than ten annotations of a kind in a step, the first ten. Source: actions/runner,
 * ExecutionContext.cs. One is kept for what follows: why the job fails, and what the token was refused.
 */
const MOST_OF_A_KIND = 9
/** A runner cuts a longer message. Source: the same file. */
const MOST_CHARACTERS = 4_096

const COMMANDS = { failure: 'error', warning: 'warning', notice: 'notice' } as const

interface WorkflowAnnotationsOptions {
  readonly pathOf: RepositoryPath
  readonly maxAnnotations: number
  readonly redact: (text: string) => string
  /** Writes one line to the step's standard output, as it is. */
  readonly print: (line: string) => void
}

/** Annotations by workflow commands, which need no token: for when there is no check run. */
export function workflowAnnotations(options: WorkflowAnnotationsOptions): Reporter {
  return {
    name: 'workflow annotations',
    onEnd(report) {
      const annotations = annotationsOf(redactDeep(report, options))
      for (const line of annotationLines(annotations, options)) options.print(line)
    },
  }
}

/** One command a line; what the runner would not show is counted in a last line of plain text. */
export function annotationLines(
  annotations: readonly Annotation[],
  { pathOf, maxAnnotations }: Pick<WorkflowAnnotationsOptions, 'pathOf' | 'maxAnnotations'>,
): string[] {
  const used = { failure: 0, warning: 0, notice: 0 }
  const lines = annotations.slice(0, maxAnnotations).flatMap((annotation): string[] => {
    if (used[annotation.level] >= MOST_OF_A_KIND) return []
    used[annotation.level] += 1
    return [commandOf(annotation, pathOf(annotation.file))]
  })
  const left = annotations.length - lines.length
  return left === 0 ? lines : [...lines, `${left} more annotations are not shown; the job summary lists every case.`]
}

function commandOf({ level, line, title, message }: Annotation, path: string | undefined): string {
  // Without a file the runner shows the annotation at the workflow itself, which is right for a suite from elsewhere.
  const place = path === undefined ? [] : [`file=${workflowProperty(path)}`, `line=${line}`]
  const properties = [...place, `title=${workflowProperty(plainText(title, { maxLength: 255 }))}`]
  const text = cut(message === '' ? title : message, MOST_CHARACTERS)
  return `::${COMMANDS[level]} ${properties.join(',')}::${workflowData(text)}`
}
