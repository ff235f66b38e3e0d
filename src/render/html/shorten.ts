import { cut } from '../../lib/escape.ts'
import type { PageCheck, PageRun } from './page-data.ts'

const LENGTHS = [2_000, 200]

/** The runs that did not pass, without steps and with shorter texts; none where even that is too long. */
export function shorterRuns(runs: readonly PageRun[], room: number): readonly PageRun[] {
  const telling = runs.filter(({ status }) => status !== 'passed')
  for (const length of LENGTHS) {
    const shorter = telling.map((run) => shorterRun(run, length))
    if (JSON.stringify(shorter).length <= room) return shorter
  }
  return []
}

function shorterRun(
  { steps: _steps, held: _held, error, checks = [], sections = [], ...run }: PageRun,
  length: number,
): PageRun {
  const failed = checks.filter(({ passed }) => !passed).map((check) => shorterCheck(check, length))
  return {
    ...run,
    ...(error === undefined ? {} : { error: cut(error, length) }),
    ...(failed.length === 0 ? {} : { checks: failed }),
    ...(sections.length === 0 ? {} : { sections: sections.map(([title, text]) => [title, cut(text, length)]) }),
  }
}

function shorterCheck({ name, passed, message, expected, got }: PageCheck, length: number): PageCheck {
  return {
    name,
    passed,
    ...(message === undefined ? {} : { message: cut(message, length) }),
    ...(expected === undefined ? {} : { expected: cut(expected, length) }),
    ...(got === undefined ? {} : { got: cut(got, length) }),
  }
}
