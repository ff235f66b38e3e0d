import { parseArgs } from 'node:util'
import { fileBaseline } from '../baselines/index.ts'
import { OPTIONS } from '../config/options.ts'
import type { Baseline } from '../core/baseline.ts'
import { type Problem, problemsError, UserError } from '../core/errors.ts'
import type { Host } from '../core/host.ts'
import { type PooledCase, poolsOf } from '../core/pools.ts'
import { proposeQuarantine, quarantineLines } from '../core/quarantine.ts'
import { plainText } from '../lib/escape.ts'
import { dayOf, type GatedCase, loadPolicies, readUntil } from '../policies/index.ts'
import { loadSuites } from '../suites/index.ts'
import type { Command } from './command.ts'
import { flagProblems } from './flag-problems.ts'
import { printUserError } from './print-user-error.ts'

const DEFAULTS = {
  quarantineFile: OPTIONS['quarantine-file'].default,
  gatesFile: OPTIONS['gates-file'].default,
}

const HELP = `Usage: agent-test quarantine --baseline FILE [--until DATE] [-i SUITE...]

Finds cases that fail now and then on the base branch, and prints the entries of a quarantine list that let them fail
without making a run red. Nothing is called and nothing written.

Options:
      --baseline FILE           Baseline that the runs of the base branch were saved to
      --until DATE              Last day of the entries, YYYY-MM-DD (default: in thirty days)
  -i, --input SUITE             Suites of the cases: what they call critical is never proposed
      --quarantine-file FILE    What is quarantined already (default: ${DEFAULTS.quarantineFile})
      --gates-file FILE         What says which cases are critical (default: ${DEFAULTS.gatesFile})

Exits 0, whether cases were found or not; 1 when something cannot be read.
`

/** `agent-test quarantine --baseline FILE`: the YAML to commit on standard output, what it is on standard error. */
export const quarantine: Command = {
  name: 'quarantine',
  help: HELP,
  async run(args, host) {
    try {
      await propose(parse(args, host), host)
      return 0
    } catch (error) {
      if (!(error instanceof UserError)) throw error
      printUserError(error, host)
      return 1
    }
  },
}

interface Settings {
  readonly baseline: string
  readonly until: string | undefined
  readonly inputs: readonly string[]
  readonly quarantineFile: string
  readonly gatesFile: string
  /** Names of the options that were given. */
  readonly given: ReadonlySet<string>
}

const FLAGS = {
  baseline: { type: 'string' },
  until: { type: 'string' },
  input: { type: 'string', short: 'i', multiple: true },
  'quarantine-file': { type: 'string' },
  'gates-file': { type: 'string' },
} as const

/** Throws a UserError with every mistake in the arguments. */
function parse(args: readonly string[], host: Host): Settings {
  const { values, positionals, tokens } = parseArgs({
    args: [...args],
    options: FLAGS,
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  const flags = tokens.flatMap((token) => (token.kind === 'option' ? [token] : []))
  const problems = flags.flatMap((token) => flagProblems(token, FLAGS, 'quarantine'))
  const text = (name: keyof typeof FLAGS) => {
    const value = values[name]
    return typeof value === 'string' ? value : undefined
  }
  for (const extra of positionals) problems.push({ message: `unexpected argument ${JSON.stringify(extra)}` })
  const baseline = text('baseline')
  if (baseline === undefined && values.baseline === undefined)
    problems.push({ field: '--baseline', message: 'required', hint: 'a file that --save-baseline wrote' })
  const until = untilOf(text('until'), host, problems)
  if (problems.length > 0 || baseline === undefined) throw problemsError('INVALID_OPTIONS', problems)
  return {
    baseline,
    until,
    inputs: flags.flatMap(({ name, value }) => (name === 'input' && value !== undefined ? [value] : [])),
    quarantineFile: text('quarantine-file') ?? DEFAULTS.quarantineFile,
    gatesFile: text('gates-file') ?? DEFAULTS.gatesFile,
    given: new Set(flags.map(({ name }) => name)),
  }
}

function untilOf(written: string | undefined, host: Host, problems: Problem[]): string | undefined {
  if (written === undefined || written === '') return undefined
  const today = dayOf(host.now())
  const read = readUntil(written, today)
  if ('message' in read) problems.push({ field: '--until', ...read })
  else if (read.day < today) problems.push({ field: '--until', message: `${read.day} is past` })
  else return read.day
  return undefined
}

async function propose(settings: Settings, host: Host): Promise<void> {
  const problems: Problem[] = []
  const baseline = await loadBaseline(settings.baseline, host, problems)
  const { quarantineFile, gatesFile, given, inputs } = settings
  const policies = await loadPolicies({ acceptFile: '', quarantineFile, gatesFile, given, host })
  const suites = inputs.length === 0 ? undefined : await loadSuites({ inputs, host })
  problems.push(...policies.problems, ...(suites?.problems ?? []))
  if (problems.length > 0 || !baseline) throw problemsError('INVALID_OPTIONS', problems)
  const cases = suites ? suites.suites.flatMap((suite) => suite.cases) : casesOf(baseline)
  const known = cases.map((item) => {
    const gate = policies.gateOf(item)
    return { key: item.key, id: item.id, ...(gate ? { gate } : {}) }
  })
  const pools = poolsOf(baseline, newestOf(baseline), host.now())
  const { until } = settings
  const asked = { today: dayOf(host.now()), waivers: policies.waivers, ...(until === undefined ? {} : { until }) }
  const proposals = proposeQuarantine(pools, known, asked)
  host.print(quarantineLines(proposals))
  const count = proposals.length
  const found =
    count === 0
      ? 'No further case fails now and then on the base branch.'
      : `${count} ${count === 1 ? 'case fails' : 'cases fail'} now and then on the base branch: add this to ${quarantineFile || 'the quarantine list'}.`
  host.log.info(plainText(found))
}

async function loadBaseline(path: string, host: Host, problems: Problem[]): Promise<Baseline | undefined> {
  const loaded = await fileBaseline(path, host).load()
  if (loaded.kind === 'ok') return loaded.baseline
  problems.push({ field: '--baseline', message: loaded.detail })
  return undefined
}

/** The cases as a baseline knows them; where an id holds a slash, it is taken for a part of the suite's path. */
function casesOf({ cases }: Baseline): GatedCase[] {
  return cases.map(({ key }) => {
    const slash = key.lastIndexOf('/')
    return { key, suite: key.slice(0, slash), id: key.slice(slash + 1) }
  })
}

/** The cases as the newest runs knew them: nothing is run here that could be another case by now. */
function newestOf({ cases }: Baseline): PooledCase[] {
  return cases.map(({ key, target, runs }) => {
    const newest = runs.at(-1)
    const requestedModel = runs.findLast((run) => run.requestedModel !== undefined)?.requestedModel
    return { key, fingerprint: newest?.fingerprint ?? '', target: newest?.target ?? target, requestedModel, runs: [] }
  })
}
