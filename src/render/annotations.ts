import type { CaseReport } from '../core/case-report.ts'
import type { Json } from '../core/json.ts'
import type { Report } from '../core/report.ts'
import { failureText } from '../core/result.ts'
import { describeNote, describeRate, type Verdict } from '../core/verdict.ts'
import { cut, plainText, terminalBlock } from '../lib/escape.ts'
import { sidesOf } from './scene.ts'
import { type Standing, type Standpoint, standpointsOf } from './standing.ts'
import { describeRuns, groupFailures, jsonText } from './words.ts'

/** One mark at a case's own line; plain text throughout. */
export interface Annotation {
  /** Relative to the working directory, with `/`. */
  readonly file: string
  /** 1-based. */
  readonly line: number
  readonly level: 'failure' | 'warning' | 'notice'
  /** At most 255 characters. */
  readonly title: string
  readonly message: string
  /** Longer evidence: input, outputs. */
  readonly details?: string
}

const LONGEST_TITLE = 200
/** The runner cuts a message at 4,096 characters. Source: actions/runner, ExecutionContext.cs. */
const LONGEST_MESSAGE = 2_000
const LONGEST_LINE = 500
const LONGEST_QUOTE = 2_000

/** One annotation for every case that deserves one, worst first. Red only where the verdict counts it. */
export function annotationsOf(report: Report): Annotation[] {
  const isBlamed = blamed(report.verdict)
  return standpointsOf(report).flatMap((point): Annotation[] => {
    const { item, standing } = point
    const word = WORDS[standing]
    if (word === undefined) return []
    const { file, line } = item.location
    return [
      {
        file: plainText(file),
        line,
        level: levelOf(point, isBlamed),
        title: plainText(`${item.id}: ${word}, ${rates(point)}`, { maxLength: LONGEST_TITLE }),
        message: messageOf(point),
        details: detailsOf(item),
      },
    ]
  })
}

function levelOf({ item, standing }: Standpoint, isBlamed: (item: CaseReport) => boolean): Annotation['level'] {
  if (standing === 'waived') return 'notice'
  return isBlamed(item) ? 'failure' : 'warning'
}

/** Standings that deserve an annotation. */
const WORDS: Partial<Record<Standing, string>> = {
  regressed: 'regressed',
  failed: 'below the required pass rate',
  errored: 'errored',
  watch: 'worth a look',
  waived: 'let through',
}

/** Whether the verdict is red because of a case, among others. */
function blamed({ reasons }: Verdict): (item: CaseReport) => boolean {
  const keys = new Set(reasons.flatMap((reason) => ('key' in reason ? [reason.key] : [])))
  const errorsCount = reasons.some(({ kind }) => kind === 'errored' || kind === 'nothing_judged')
  return ({ key, stability }) => keys.has(key) || (errorsCount && stability.errored > 0)
}

function rates({ item, change }: Standpoint): string {
  const { before } = sidesOf(item, change)
  const { passed, runs, errored } = item.stability
  const parts = [
    `${passed}/${runs} passed`,
    errored > 0 ? `${errored} errored` : undefined,
    before === undefined ? undefined : `${describeRate(before)} in the baseline`,
  ]
  return parts.filter((part) => part !== undefined).join(', ')
}

function messageOf({ item, note }: Standpoint): string {
  const said = note === undefined ? [] : [plainText(describeNote(note), { maxLength: LONGEST_LINE })]
  const lines = groupFailures(item).map((group) => {
    const which = item.runs.length === 1 ? '' : `${describeRuns(group)}: `
    return plainText(`${which}${failureText(group[0])}`, { maxLength: LONGEST_LINE })
  })
  // Without a failed run it is the baseline that it fell behind; GitHub refuses an empty message.
  const all = [...said, ...lines]
  return all.length === 0 ? 'passed less often than in the baseline' : cut(all.join('\n'), LONGEST_MESSAGE)
}

function detailsOf(item: CaseReport): string {
  const failed = item.runs.find((run) => run.output !== undefined && run.output !== null)
  const quote = (title: string, value: Json) =>
    `${title}:\n${terminalBlock(jsonText(value), { maxLength: LONGEST_QUOTE })}`
  const output = failed?.output === undefined ? [] : [quote(`Output of run ${failed.run}`, failed.output)]
  return [quote('Input', item.input), ...output].join('\n\n')
}
