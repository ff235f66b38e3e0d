import { type CaseReport, caseStatus } from '../core/case-report.ts'
import { type Check, failureText, type RunRecord } from '../core/result.ts'
import { MESSAGE_SUITE } from '../core/suite.ts'
import { fencedBlock, htmlText, inlineText } from '../lib/escape.ts'
import { conversationDetails } from './conversation.ts'
import { expectedAndGot, quoted } from './expected-got.ts'
import { code, link } from './links.ts'
import { describeParting } from './parting.ts'
import { rerunCommand } from './rerun.ts'
import type { Scene } from './scene.ts'
import type { Standpoint } from './standing.ts'
import { blocks, details } from './table.ts'
import { describePassed, describeRuns, describeStatus, groupFailures, logText, stackText } from './words.ts'

/** Different failures shown of one case, and failed checks of one failure. */
const MOST_FAILURES = 3
const MOST_CHECKS = 5
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
  const shown = groups.slice(0, MOST_FAILURES).map((group) => failure(item, group, { scene, length }))
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

function title(item: CaseReport, { name, report }: Scene): string {
  const [first] = groupFailures(item)
  const why = first ? `: ${htmlText(failureText(first[0]), { maxLength: LONGEST_TITLE })}` : ''
  return `<code>${htmlText(name(item.key), { maxLength: LONGEST_TITLE })}</code> ${describeStatus(caseStatus(item))}, ${passedWords(item, report.runsPerCase)} passed${why}`
}

function where(item: CaseReport, { links }: Scene): string | undefined {
  const { file, line } = item.location
  if (item.suite === MESSAGE_SUITE) return undefined
  return `Defined in ${link(code(`${file}:${line}`), links.fileUrl?.(item.location))}`
}

/** Errored runs count among those that did not pass. */
function passedWords(item: CaseReport, runsPerCase: number): string {
  const { errored, passed, runs } = item.stability
  return errored > 0 ? `${passed}/${runs}` : describePassed(item, runsPerCase)
}

interface Surroundings {
  readonly scene: Scene
  /** Longest quote. */
  readonly length: number
}

function failure(
  item: CaseReport,
  group: readonly [RunRecord, ...RunRecord[]],
  { scene, length }: Surroundings,
): string {
  const [run] = group
  const which = item.runs.length === 1 ? '' : ` in ${describeRuns(group)}`
  // All of its run, where others of the group are only like it.
  const talk = run.conversation && conversationDetails(run.conversation, length)
  if (run.status === 'errored') {
    const why = `**Errored${which}** (${code(run.code)}): ${inlineText(run.message, { maxLength: LONGEST_MESSAGE })}`
    return blocks(why, talk)
  }
  const failed = run.checks.filter((check) => !check.passed)
  const messages = failed.slice(0, MOST_CHECKS).flatMap(messageLines)
  if (failed.length > MOST_CHECKS) messages.push(`- … and ${failed.length - MOST_CHECKS} more`)
  const evidence = talk ? [talk] : expectedAndGot(failed, group, length)
  const stack = stackText(run)
  const log = logText(run.logs ?? [], length)
  const scripts = [
    stack === '' ? undefined : quoted('Stack', stack, length),
    log === '' ? undefined : quoted('Log', log, length),
  ]
  return blocks(`**Failed${which}**`, messages.join('\n'), parting(item, group, scene), ...evidence, ...scripts)
}

/** The first step at which a failed run leaves the way that a passing run of the base branch took. */
function parting({ key }: CaseReport, group: readonly RunRecord[], { report, base }: Scene): string | undefined {
  const before = report.pools.get(key)?.steps
  const run = group.find(({ steps }) => steps !== undefined)
  const words = describeParting(before, run?.steps, { base: inlineText(base), quote: code })
  return words === undefined ? undefined : `**Tool calls part** ${words}.`
}

function messageLines(check: Check): string[] {
  const said = `- ${code(check.name)}: ${inlineText(check.message, { maxLength: LONGEST_MESSAGE })}`
  const reason = check.details?.['reason']
  // Many judges' messages are their reason already.
  if (typeof reason !== 'string' || reason === '' || check.message.includes(reason)) return [said]
  return [said, `  - judge: ${inlineText(reason, { maxLength: LONGEST_MESSAGE })}`]
}
