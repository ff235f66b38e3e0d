import { open } from 'node:fs/promises'
import { resolve } from 'node:path'
import { describeProblem, type Problem, problemsError, UserError } from '../core/errors.ts'
import type { EvaluationPlan } from '../core/evaluation.ts'
import type { Host } from '../core/host.ts'
import { redactDeep } from '../core/redact.ts'
import { caseKey } from '../core/suite.ts'
import { evaluatorsWith, type FindEvaluator } from '../evaluators/index.ts'
import { plainText } from '../lib/escape.ts'
import { jsonLine } from '../lib/json-line.ts'
import { type Appender, createAppender } from '../lib/spool.ts'
import { openPlugins } from '../setup/plugins.ts'
import { loadSuites, readEvaluationConfig } from '../suites/index.ts'
import type { Command } from './command.ts'
import { printUserError } from './print-user-error.ts'
import { subjectsAt } from './score/inputs.ts'
import { judgeSubject } from './score/judge.ts'
import { lineOf } from './score/line.ts'
import { HELP, type Options, parseOptions } from './score/options.ts'
import { type ScoreReport, startReport } from './score/report.ts'
import { sessionsOf } from './score/server-sessions.ts'
import type { Found, Reading } from './score/subject.ts'

/** `agent-test score PATH...`: judges what was recorded with today's evaluators. Exits 0 when all is well, else 1. */
export const score: Command = {
  name: 'score',
  help: HELP,
  async run(args, host) {
    try {
      return (await scoreAll(parseOptions(args), host)) ? 0 : 1
    } catch (error) {
      if (!(error instanceof UserError)) throw error
      printUserError(error, host)
      return 1
    }
  },
}

/** Inputs with mistakes are told at the end; the others are judged all the same. */
async function scoreAll(options: Options, host: Host): Promise<boolean> {
  const problems: Problem[] = []
  const reading = await readingOf(options, host, problems)
  if (problems.length > 0) throw problemsError('INVALID_OPTIONS', problems)
  const report = startReport(options.detail)
  const output = await openOutput(options, host)
  const plugins = openPlugins(host)
  const find = evaluatorsWith({ plugin: plugins.call })
  try {
    for await (const found of subjectsOf(options, host, reading)) {
      if (host.signal.aborted) throw new UserError('interrupted', { code: 'INVALID_OPTIONS' })
      if ('problem' in found) problems.push(found.problem)
      else await scoreOne(found.subject, { options, host, report, find, output: output?.appender })
    }
  } finally {
    await Promise.all([output?.close(), plugins.dispose()])
  }
  host.print(report.summary())
  tell(problems, host)
  return problems.length === 0 && report.isGood()
}

async function readingOf(options: Options, host: Host, problems: Problem[]): Promise<Reading> {
  const { config: file, threshold, policy, compat } = options
  const read = readEvaluationConfig(file === undefined ? undefined : { path: resolve(host.cwd, file), shown: file }, {
    ...(threshold === undefined ? {} : { passThreshold: threshold }),
    ...(policy === undefined ? {} : { passPolicy: policy }),
    ...(compat === undefined ? {} : { compat }),
  })
  const plans = await plansOf(options.suites, host, problems)
  if ('problems' in read) {
    problems.push(...read.problems)
    throw problemsError('INVALID_OPTIONS', problems)
  }
  for (const warning of read.warnings) host.log.warn(plainText(`warning: ${warning}`))
  return { config: read.config, planOf: (suite, id) => plans.get(caseKey(suite, id)) }
}

async function plansOf(
  suites: readonly string[],
  host: Host,
  problems: Problem[],
): Promise<Map<string, EvaluationPlan>> {
  if (suites.length === 0) return new Map()
  const loaded = await loadSuites({ inputs: suites, host })
  problems.push(...loaded.problems)
  const cases = loaded.suites.flatMap((suite) => suite.cases)
  return new Map(cases.flatMap(({ key, evaluations }) => (evaluations ? [[key, evaluations] as const] : [])))
}

async function* subjectsOf(options: Options, host: Host, reading: Reading): AsyncGenerator<Found> {
  for (const path of options.paths) yield* withFaults(subjectsAt(path, host.cwd, reading))
  if (options.sessions.length > 0) yield* withFaults(sessionsOf(options, host, reading))
}

/** An input that cannot be read at all hinders no other. */
async function* withFaults(found: AsyncGenerator<Found>): AsyncGenerator<Found> {
  try {
    yield* found
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    for (const problem of error.problems) yield { problem }
  }
}

interface Scoring {
  readonly options: Options
  readonly host: Host
  readonly report: ScoreReport
  readonly find: FindEvaluator
  readonly output: Appender | undefined
}

async function scoreOne(subject: Extract<Found, { subject: unknown }>['subject'], scoring: Scoring): Promise<void> {
  const { options, host, report, output, find } = scoring
  const warn = (message: string) => host.log.warn(plainText(`warning: ${host.secrets.redact(message)}`))
  const judged = await judgeSubject(subject, { ...options, find, warn })
  await output?.append(jsonLine(redactDeep(lineOf(subject, judged), host.secrets)))
  const said = report.add(subject, redactDeep(judged, host.secrets))
  if (said !== '') host.print(said)
}

interface Output {
  readonly appender: Appender
  close(): Promise<void>
}

async function openOutput({ output, paths }: Options, { cwd }: Host): Promise<Output | undefined> {
  if (output === undefined) return undefined
  const path = resolve(cwd, output)
  if (paths.some((input) => resolve(cwd, input) === path))
    throw problemsError('INVALID_OPTIONS', [{ field: '--output', message: `${output} is what is to be judged` }])
  try {
    const file = await open(path, 'w')
    const appender = createAppender(file)
    const close = async () => {
      try {
        await appender.flush()
      } finally {
        await file.close()
      }
    }
    return { appender, close }
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : String(cause)
    throw new UserError(`${output} cannot be written: ${detail}`, { code: 'OUTPUT_NOT_WRITABLE', cause })
  }
}

/** A file of another kind has one on every line. */
const MOST_PROBLEMS = 50

function tell(problems: readonly Problem[], host: Host): void {
  for (const problem of problems.slice(0, MOST_PROBLEMS)) {
    host.log.warn(`error: ${plainText(host.secrets.redact(describeProblem(problem)))}`)
  }
  const rest = problems.length - MOST_PROBLEMS
  if (rest > 0) host.log.warn(`error: and ${rest} more`)
}
