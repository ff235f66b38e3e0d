import { type CaseReport, caseStatus } from '../core/case-report.ts'
import type { Json } from '../core/json.ts'
import { type Check, failureText, type RunRecord } from '../core/result.ts'
import { MESSAGE_SUITE } from '../core/suite.ts'
import { fencedBlock, htmlText, inlineText } from '../lib/escape.ts'
import { conversationDetails } from './conversation.ts'
import { code, link } from './links.ts'
import { rerunCommand } from './rerun.ts'
import type { Standpoint } from './standing.ts'
import { blocks, details } from './table.ts'
import type { Scene } from './tables.ts'
import { describeRuns, describeStatus, groupFailures, jsonText, logText, stackText } from './words.ts'

/** Different failures shown of one case, failed checks of one failure, and answers to it. */
const MOST_FAILURES = 3
const MOST_CHECKS = 5
const MOST_OUTPUTS = 3
const LONGEST_MESSAGE = 300
const LONGEST_TITLE = 120

/** Cases that have something to show, worst first. */
export function casesWithDetails({ points }: Scene): Standpoint[] {
  return points.filter(({ item }) => item.stability.passed < item.stability.runs)
}

/** The evidence of one case: what was asked, what came instead, and how to see it again. `length` cuts each quote. */
export function failureDetails(
  { item }: Standpoint,
  scene: Scene,
  { length, open }: { length: number; open: boolean },
): string {
  const groups = groupFailures(item)
  const shown = groups.slice(0, MOST_FAILURES).map((group) => failure(item, group, length))
  const more = groups.length > MOST_FAILURES ? `… and ${groups.length - MOST_FAILURES} other ways to fail.` : undefined
  const body = blocks(
    where(item, scene),
    quoted('Input', item.input, length),
    ...shown,
    more,
    `${rerunTitle(scene)}:\n\n${fencedBlock(rerunCommand(item, scene.report, scene.links.rerunArguments), { language: 'sh' })}`,
  )
  return details(title(item, scene), body, { open })
}

function rerunTitle({ links: { rerunFolder } }: Scene): string {
  return rerunFolder === undefined ? 'Run it here' : `Run it in ${code(rerunFolder)}`
}

function title(item: CaseReport, { name }: Scene): string {
  const { passed, runs } = item.stability
  const [first] = groupFailures(item)
  const why = first ? `: ${htmlText(failureText(first[0]), { maxLength: LONGEST_TITLE })}` : ''
  return `<code>${htmlText(name(item.key), { maxLength: LONGEST_TITLE })}</code> ${describeStatus(caseStatus(item))}, ${passed}/${runs} passed${why}`
}

function where(item: CaseReport, { links }: Scene): string | undefined {
  const { file, line } = item.location
  if (item.suite === MESSAGE_SUITE) return undefined
  return `Defined in ${link(code(`${file}:${line}`), links.fileUrl?.(item.location))}`
}

function failure(item: CaseReport, group: readonly [RunRecord, ...RunRecord[]], length: number): string {
  const [run] = group
  const which = item.runs.length === 1 ? '' : ` in ${describeRuns(group)}`
  // All of its run, where others of the group are only like it.
  const talk = run.conversation && conversationDetails(run.conversation, length)
  if (run.status === 'errored') {
    const why = `**Errored${which}** (${code(run.code)}): ${inlineText(run.message, { maxLength: LONGEST_MESSAGE })}`
    return blocks(why, talk)
  }
  const failed = run.checks.filter((check) => !check.passed)
  const messages = failed.slice(0, MOST_CHECKS).map(message)
  if (failed.length > MOST_CHECKS) messages.push(`- … and ${failed.length - MOST_CHECKS} more`)
  const evidence = talk ? [talk] : [expected(failed, length), ...outputs(group, length)]
  const stack = stackText(run)
  const log = logText(run.logs ?? [], length)
  const scripts = [
    stack === '' ? undefined : quoted('Stack', stack, length),
    log === '' ? undefined : quoted('Log', log, length),
  ]
  return blocks(`**Failed${which}**`, messages.join('\n'), ...evidence, ...scripts)
}

function message(check: Check): string {
  return `- ${code(check.name)}: ${inlineText(check.message, { maxLength: LONGEST_MESSAGE })}`
}

function quoted(title: string, value: Json, maxLength: number): string {
  return `${title}:\n\n${fencedBlock(jsonText(value), { language: 'text', maxLength })}`
}

/** What the first check that names it wanted. */
function expected(failed: readonly Check[], length: number): string | undefined {
  const wanted = failed.find((check) => check.expected !== undefined)?.expected
  return wanted === undefined ? undefined : quoted('Expected', wanted, length)
}

/** What came instead, each different answer once. */
function outputs(group: readonly RunRecord[], length: number): string[] {
  const answers = new Map<string, { readonly output: Json; readonly run: number }>()
  for (const { output, run } of group) {
    if (output === undefined) continue
    const text = jsonText(output)
    if (!answers.has(text)) answers.set(text, { output, run })
  }
  const shown = [...answers.values()].slice(0, MOST_OUTPUTS)
  const title = (run: number) => (shown.length === 1 ? 'Got' : `Got in run ${run}`)
  const more = answers.size > shown.length ? [`… and ${answers.size - shown.length} other answers.`] : []
  return [...shown.map(({ output, run }) => quoted(title(run), output, length)), ...more]
}
