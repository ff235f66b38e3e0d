import { styleText } from 'node:util'
import { type CaseReport, isCutShort } from '../core/case-report.ts'
import type { Host } from '../core/host.ts'
import type { Json } from '../core/json.ts'
import { summarise } from '../core/message.ts'
import { failureText, type RunResult, stageOf } from '../core/result.ts'
import type { Case } from '../core/suite.ts'
import { describeReason, exitCodeOf } from '../core/verdict.ts'
import { plainText, terminalBlock } from '../lib/escape.ts'
import {
  caseText,
  type Environment,
  environmentText,
  hasTimeline,
  idWidthOf,
  logText,
  type Mood,
  type Paint,
  planText,
  progressText,
  reportText,
  runText,
  type TerminalStyle,
  timelineText,
} from '../render/index.ts'
import type { ExitCodeStyle } from './jsonl.ts'
import type { Reporter, RunPlan } from './reporter.ts'

interface ConsoleOptions {
  readonly host: Host
  /** Only a terminal that shows colours gets them. */
  readonly colour: boolean
  readonly config: { readonly verbose: boolean; readonly 'exit-codes': ExitCodeStyle }
  readonly plan: RunSettings
}

/** Settings of a plan that are told before it is run. */
interface RunSettings extends Partial<Environment> {
  readonly parallel: number
  readonly timeoutMs: number
  readonly timeoutGiven?: boolean
  readonly maxRuns?: number
}

/** Passing runs are listed one by one up to this many; beyond it only what did not pass, and how far it is. */
const MOST_LISTED = 500
/** Steps of the progress of a long run. */
const STEPS = 20

/** The report for a person: progress goes to the log, everything else is printed. */
export function consoleReporter({ host, colour, config, plan: settings }: ConsoleOptions): Reporter {
  const paint = painter(colour)
  let style: TerminalStyle = { paint, idWidth: 0, verbose: config.verbose }
  let runsPerCase = 1
  let progress: (result: RunResult, item: Case) => void = () => undefined
  let listsAll = true

  return {
    name: 'console',
    onStart(plan) {
      const cases = plan.cases.filter((item) => item.skip === undefined)
      runsPerCase = plan.runsPerCase
      listsAll = config.verbose || cases.length * runsPerCase <= MOST_LISTED
      style = { ...style, idWidth: idWidthOf(plan.cases.map(({ id }) => id)) }
      progress = progressOf({ host, style, total: cases.length * runsPerCase, listsAll, runsPerCase })
      host.print(planText(planSettings(plan, settings), paint))
    },
    onRun(result, item) {
      // A skipped case is told of as a case.
      if (runsPerCase === 1 && result.status !== 'skipped' && (listsAll || result.status !== 'passed')) {
        host.print(runText(result, { id: item.id, summary: summarise(item.messages) }, style))
      }
      if (runsPerCase > 1 && config.verbose) host.print(timelineOfRun(result, item, paint))
      progress(result, item)
    },
    onCase(item) {
      const isPlain = item.skip === undefined && item.stability.passed === item.stability.runs
      if (isPlain && !listsAll) return
      if (runsPerCase > 1 || item.skip !== undefined) host.print(caseText(item, style))
    },
    onEnd(report) {
      // An interruption or --fail-fast leaves cases with some of their runs.
      const isPartial = (item: CaseReport) => isCutShort(item, runsPerCase)
      if (runsPerCase > 1) for (const item of report.cases.filter(isPartial)) host.print(caseText(item, style))
      host.print(reportText(report, exitCodeOf(report.verdict.exitReason, config['exit-codes']), paint))
    },
  }
}

/** Of one run of several; what else is to be said of it is said with its case. */
function timelineOfRun({ run, trace }: RunResult, { id }: Case, paint: Paint): string {
  if (!hasTimeline(trace.events)) return ''
  return `    ${plainText(id, { maxLength: 60 })}, run ${run}\n${timelineText(trace.events, paint, '      ')}`
}

function planSettings(plan: RunPlan, settings: RunSettings) {
  const { parallel, timeoutMs, timeoutGiven, maxRuns, flags, context } = settings
  const { cases, targets, connector, startedAt, runsPerCase } = plan
  return {
    startedAt,
    runsPerCase,
    ...(maxRuns === undefined ? {} : { maxRuns }),
    parallel,
    timeoutMs,
    timeoutGiven: timeoutGiven === true,
    ownLimits: cases.filter((item) => item.timeoutMs !== undefined && item.skip === undefined).length,
    targets,
    ...(connector === undefined ? {} : { connector }),
    ...(flags === undefined ? {} : { environment: environmentText({ flags, ...(context ? { context } : {}) }, cases) }),
    suites: [...new Set(cases.map(({ suite }) => suite))],
    cases: cases.length,
    skipped: cases.filter((item) => item.skip !== undefined).length,
  }
}

interface ProgressOptions {
  readonly host: Host
  readonly style: TerminalStyle
  readonly total: number
  readonly listsAll: boolean
  readonly runsPerCase: number
}

/** Tells how far it is: each run of a short test, every twentieth part of a long one. The log may be no terminal. */
function progressOf({ host, style: { idWidth }, total, listsAll, runsPerCase }: ProgressOptions) {
  const style: TerminalStyle = { paint: painter(false), idWidth, verbose: false }
  const step = Math.ceil(total / STEPS)
  let done = 0
  let passed = 0
  return (result: RunResult, item: Case): void => {
    // How many re-runs there will be is not known from the start.
    if (stageOf(result, runsPerCase) === 'rerun') {
      if (listsAll) host.log.info(`[re-run] ${progressText(result, item.id, style)}`)
      return
    }
    done += 1
    if (result.status === 'passed') passed += 1
    if (listsAll) {
      // Else the run is printed itself, and not with its case.
      if (runsPerCase > 1) host.log.info(`[${done}/${total}] ${progressText(result, item.id, style)}`)
    } else if (done % step === 0) {
      host.log.info(`[${done}/${total}] ${passed} passed`)
    }
  }
}

const STYLES: Record<Mood, Parameters<typeof styleText>[0]> = {
  good: 'green',
  bad: 'red',
  doubtful: 'yellow',
  quiet: 'gray',
  strong: 'bold',
}

function painter(colour: boolean): Paint {
  // The host has looked at the terminal; Node would look at its own standard output instead.
  return (mood, text) => (colour ? styleText(STYLES[mood], text, { validateStream: false }) : text)
}

interface MessageOptions {
  readonly host: Host
  /** False where the output goes into a file or a pipe and must be kept byte by byte. */
  readonly isTerminal?: boolean
  /** Given for `-v`: told on the log before the first run, and after each what scripts wrote. */
  readonly settings?: RunSettings
}

/** For a direct message: only what the agent said is printed, and on the log what went wrong. */
export function messageReporter({ host, isTerminal = true, settings }: MessageOptions): Reporter {
  let isSingle = false
  return {
    name: 'output',
    onStart(plan) {
      isSingle = plan.cases.length * plan.runsPerCase === 1
      if (settings) host.log.info(planText(planSettings(plan, settings), painter(false)))
    },
    onRun(result) {
      if (settings && result.logs) host.log.info(terminalBlock(logText(result.logs)).trimEnd())
      if (result.status === 'errored') host.log.warn(`error: ${plainText(`${result.code}: ${failureText(result)}`)}`)
      if (result.status === 'failed') host.log.warn(`failed: ${plainText(failureText(result))}`)
      const text = messageText(result.output)
      const shown = isTerminal ? terminalBlock(text) : text
      if (shown !== '') host.print(shown.endsWith('\n') ? shown : `${shown}\n`)
    },
    onEnd({ verdict }) {
      // Runs have been told of as they ended; which of several messages did not pass is only said here.
      const told = ['errored', 'nothing_judged', ...(isSingle ? ['below_min_pass_rate'] : [])]
      const untold = verdict.reasons.filter(({ kind }) => !told.includes(kind))
      for (const reason of untold) host.log.warn(`error: ${plainText(describeReason(reason))}`)
    },
  }
}

/** Strings as they are, lists and objects as indented JSON, nothing for null. Source: spec yao 2.2. */
function messageText(output: Json): string {
  if (output === null) return ''
  return typeof output === 'string' ? output : JSON.stringify(output, null, 2)
}
