// `npm run bench:verdict [-- --quick] [--prs N] [--seed N]`: how long 500 cases take to be judged, and what the gate
// does to simulated pull requests whose cases pass with known rates. The same seed gives the same table; exit 1 when a
// limit is missed by more than the chance of so few pull requests.
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { runnerImport } from 'vite'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const { values } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, prs: { type: 'string' }, seed: { type: 'string' } },
})
const prs = Number(values.prs ?? (values.quick ? 200 : 1_000))
const seed = Number(values.seed ?? 1)

const { drawStage1, seededRandom, simulate, SCENARIO_NAMES } = await load('__tests__/support/verdict-simulation.ts')
const { nextStep } = await load('src/core/statistics/gate.ts')
const { GATE_DEFAULTS } = await load('src/core/statistics/gate-settings.ts')

/** Scenarios of one case, or few: what counts is that it is named. */
const NAMED = new Set(['B', 'C3', 'C', 'E30', 'H'])
const limits = []
speed()
characteristics()
console.table(limits)
if (limits.some(({ met }) => met === 'NO')) process.exitCode = 1

/** From the counts to the verdict, every suspicious case run again; a suite is never judged twice. */
function speed() {
  const random = seededRandom(seed)
  for (const profile of ['quiet', 'typical', 'flaky']) {
    const cell = { profile, cases: 500, mainRuns: 50, scenario: 'A', control: false }
    const times = Array.from({ length: 41 }, () => judgeMs(withReruns(drawStage1(cell, random))))
    limit(`500 cases judged, ms: ${profile}, first`, times[0])
    limit(`500 cases judged, ms: ${profile}, median`, times.slice(1).sort((left, right) => left - right)[20], 50)
  }
}

function judgeMs(cases) {
  const batches = { suiteControl: 'unavailable', reruns: 'done', control: 'unavailable' }
  const startedAt = performance.now()
  nextStep(cases, batches, GATE_DEFAULTS)
  return performance.now() - startedAt
}

/** Up to 15 runs that fail at the rate of the first stage. */
function withReruns(cases) {
  const step = nextStep(cases, { suiteControl: 'unavailable', reruns: 'open', control: 'unavailable' }, GATE_DEFAULTS)
  const places = new Set(step.kind === 'ask' ? step.runs.map(({ place }) => place) : [])
  return cases.map((item, place) => {
    if (!places.has(place)) return item
    return { ...item, all: { passed: item.stage1.passed * 5, failed: item.stage1.failed * 5 } }
  })
}

/** In the columns of the specification's table: per cent of the pull requests. */
function characteristics() {
  const rows = []
  for (const cell of cells()) {
    const row = { suite: cell.profile, cases: cell.cases, main: cell.mainRuns, plan: planOf(cell), base: cell.control }
    for (const scenario of SCENARIO_NAMES) {
      // A large suite takes long and says no more with as many pull requests.
      row.prs = Math.max(50, Math.round(prs * Math.min(1, 100 / cell.cases)))
      const result = simulate({ ...cell, scenario }, row.prs, seededRandom(seed))
      row[scenario] = percent(NAMED.has(scenario) ? result.named : result.blocked)
      if (scenario === 'A') row.runs = Number(result.runsPerCase.toFixed(2))
      if (scenario === 'A') row.baseRuns = Number(result.baseRunsPerPr.toFixed(1))
    }
    rows.push(row)
    check(row)
  }
  console.log(`${prs} pull requests a cell, seed ${seed}; % named: ${[...NAMED].join(', ')}; % blocked: the others`)
  console.table(rows)
}

function cells() {
  const typical = { profile: 'typical', cases: 100, mainRuns: 20, control: false }
  const main = ['quiet', 'typical', 'flaky'].flatMap((profile) =>
    [5, 20, 50].flatMap((mainRuns) => [false, true].map((control) => ({ ...typical, profile, mainRuns, control }))),
  )
  const sizes = [10, 30, 500].flatMap((cases) => [false, true].map((control) => ({ ...typical, cases, control })))
  const young = [3, 10].map((mainRuns) => ({ ...typical, mainRuns }))
  const plans = [
    [1, 15],
    [2, 15],
    [3, 10],
    [5, 15],
    [5, 20],
    [5, 5],
    [10, 10],
    [15, 15],
  ].map(([runs, maxRuns]) => ({ ...typical, settings: { runs, maxRuns } }))
  return [...main, ...sizes, ...young, ...plans]
}

function planOf({ settings = {} }) {
  const { runs, maxRuns } = { ...GATE_DEFAULTS, ...settings }
  return `${runs}->${maxRuns}`
}

/** The promises of the product. */
function check(row) {
  const name = `${row.suite} ${row.cases}, main ${row.main}, ${row.plan}${row.base ? ', base side' : ''}`
  const limitShare = (what, measured, most) => limit(`${what}, %: ${name}`, measured, most, row.prs)
  limitShare('false alarms', row.A, 5)
  if (row.suite !== 'typical' || row.cases !== 100 || row.main !== 20 || row.plan !== '3->15') return
  limit(`runs per case: ${name}`, row.runs, 4)
  limitShare('totally broken not found', 100 - row.B, 1)
  limitShare('1.0 -> 0.3 not named', 100 - row.C3, 5)
  if (!row.base) return
  limitShare('false alarms of the typical suite', row.A, 2)
  limitShare('blamed for the provider', Math.max(row.G, row.G1), 20)
}

/** With `count`, a percentage of so many: within three standard errors of its limit it is missed by chance, perhaps. */
function limit(what, measured, most = Number.POSITIVE_INFINITY, count = Number.POSITIVE_INFINITY) {
  const slack = 3 * Math.sqrt((most * (100 - most)) / count)
  const met = measured <= most ? 'yes' : measured <= most + slack ? 'by chance?' : 'NO'
  const isLimited = Number.isFinite(most)
  limits.push({
    what,
    measured: Number(measured.toPrecision(3)),
    limit: isLimited ? most : '',
    met: isLimited ? met : '',
  })
}

function percent(share) {
  return Number((share * 100).toFixed(1))
}

async function load(file) {
  const { module } = await runnerImport(join(root, file), { root, configFile: false, logLevel: 'error' })
  return module
}
