import { parseArgs } from 'node:util'
import { type Problem, problemsError } from '../../core/errors.ts'
import { didYouMean } from '../../core/kind.ts'
import { flagProblems } from '../flag-problems.ts'

export const HELP = `Usage: agent-test score PATH... [-o OUT.jsonl]
       agent-test score --session ID [--data-dir DIR]

Judges what was recorded earlier with the evaluators of today. No agent and no model is called. PATH is

  a folder       with sessions (session.json, messages.jsonl, parts/) or recorded timelines (timeline.json and
                 expected.json) in it or below it
  a results file .jsonl or .json that agent-test wrote with -o
  a cases file   lines {"id", "timeline", "evaluator"?, "config"?}
  a session      as "opencode export" prints it

Options:
  -o, --output FILE          One JSON line for each: {id, evaluations, overall}
  -i, --input SUITE          Suites that say what is expected of the runs in results and kept sessions
      --config FILE          Evaluators, weights and rules, as YAML or JSON, in the form of agent-test.yaml
      --threshold PERCENT    Mean score that is asked for (default: 75)
      --policy POLICY        conjunction, threshold (default: conjunction)
      --compat NAME          openagents: what is not applicable counts as 100
      --session ID           A session of OpenCode itself; repeatable
      --data-dir DIR         Where OpenCode keeps its data (default: ~/.local/share/opencode)
      --bin FILE             The program opencode, which reads a copy of that data
  -v, --verbose              Every evaluation, also of what passed
  -q, --quiet                Only the summary

Exits 0 when everything passed or is as expected, else 1.
`

export interface Options {
  readonly paths: readonly string[]
  readonly output: string | undefined
  readonly suites: readonly string[]
  readonly config: string | undefined
  readonly threshold: number | undefined
  readonly policy: 'conjunction' | 'threshold' | undefined
  readonly compat: 'openagents' | undefined
  readonly sessions: readonly string[]
  readonly dataDir: string | undefined
  readonly bin: string | undefined
  readonly detail: 'all' | 'failed' | 'none'
}

const FLAGS = {
  output: { type: 'string', short: 'o' },
  input: { type: 'string', short: 'i', multiple: true },
  config: { type: 'string' },
  threshold: { type: 'string' },
  policy: { type: 'string' },
  compat: { type: 'string' },
  session: { type: 'string', multiple: true },
  'data-dir': { type: 'string' },
  bin: { type: 'string' },
  verbose: { type: 'boolean', short: 'v' },
  quiet: { type: 'boolean', short: 'q' },
} as const

/** Throws a UserError with every mistake in the arguments. */
export function parseOptions(args: readonly string[]): Options {
  const { values, positionals, tokens } = parseArgs({
    args: [...args],
    options: FLAGS,
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  const problems = tokens.flatMap((token) => (token.kind === 'option' ? flagProblems(token, FLAGS, 'score') : []))
  const text = (name: keyof typeof FLAGS) => {
    const value = values[name]
    return typeof value === 'string' ? value : undefined
  }
  const texts = (name: 'input' | 'session') => {
    const value: unknown = values[name]
    return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : []
  }
  const sessions = texts('session')
  const [dataDir, bin] = [text('data-dir'), text('bin')]
  if (positionals.length + sessions.length === 0 && problems.length === 0) {
    problems.push({
      message: 'nothing to judge',
      hint: 'agent-test score PATH; agent-test score --help tells what that can be',
    })
  }
  const unused = [...(dataDir === undefined ? [] : ['--data-dir']), ...(bin === undefined ? [] : ['--bin'])]
  if (sessions.length === 0) for (const field of unused) problems.push({ field, message: 'goes with --session' })
  const options: Options = {
    paths: positionals,
    output: text('output'),
    suites: texts('input'),
    config: text('config'),
    threshold: percentOf(text('threshold'), problems),
    policy: oneOf('--policy', text('policy'), ['conjunction', 'threshold'], problems),
    compat: oneOf('--compat', text('compat'), ['openagents'], problems),
    sessions,
    dataDir,
    bin,
    detail: values.quiet === true ? 'none' : values.verbose === true ? 'all' : 'failed',
  }
  if (problems.length > 0) throw problemsError('INVALID_OPTIONS', problems)
  return options
}

function percentOf(written: string | undefined, problems: Problem[]): number | undefined {
  if (written === undefined || written === '') return undefined
  const value = /^\d+(?:\.\d+)?%?$/.test(written) ? Number.parseFloat(written) : Number.NaN
  if (value <= 100) return value
  problems.push({ field: '--threshold', message: `expected a number from 0 to 100, got ${JSON.stringify(written)}` })
  return undefined
}

function oneOf<T extends string>(
  field: string,
  written: string | undefined,
  known: readonly T[],
  problems: Problem[],
): T | undefined {
  const found = known.find((name) => name === written)
  if (found === undefined && written !== undefined && written !== '') {
    const hint = didYouMean(written, known)
    const message = `expected ${known.join(' or ')}, got ${JSON.stringify(written)}`
    problems.push({ field, message, ...(hint === undefined ? {} : { hint }) })
  }
  return found
}
