// `npm run bench [-- --quick] [--pairs N]`: the committed bundle on a loopback model, beside raw node:http (floor) and
// openai + p-limit (bare). Contenders take turns and only ratios count, so that a busy machine slows all of them alike.
import { readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { cli, contenders, measure, startModel } from './contenders.mjs'

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false }, pairs: { type: 'string' } } })
const pairs = Number(values.pairs ?? 3)
const rows = []
const hasOurs = contenders.includes('ours')
if (!hasOurs) console.warn('dist/cli/index.js is missing: only floor and bare are measured. Run npm run build.')

await startUp()
await marginalCpu()
await spans()
await memory()
await reports()
sizes()
console.table(rows)

/** Both against an empty node of the same moment. */
async function startUp() {
  if (!hasOurs) return
  const model = await startModel(0)
  const turns = await takeTurns(values.quick ? 7 : 21, {
    empty: () => measure(['-e', '0']),
    version: () => measure([cli, '--version']),
    first: () => model.run('ours', { cases: 1, parallel: 1 }),
  })
  model.stop()
  add(
    '--version / empty node',
    ratio(turns, (turn) => turn.version.wallMs / turn.empty.wallMs),
    1.3,
    1.15,
  )
  add(
    'start to first request / empty node',
    ratio(turns, (turn) => turn.first.startMs / turn.empty.wallMs),
    undefined,
    2.6,
  )
}

/** The difference of two sizes, so that starting up does not count. */
async function marginalCpu() {
  const [small, large] = values.quick ? [500, 3_000] : [2_000, 12_000]
  const model = await startModel(0)
  const turns = await takeTurns(
    pairs,
    each(async (name) => {
      const [first, second] = [
        await model.run(name, { cases: small, parallel: 16 }),
        await model.run(name, { cases: large, parallel: 16 }),
      ]
      return (second.cpuUs - first.cpuUs) / (large - small)
    }),
  )
  model.stop()
  for (const name of contenders)
    note(
      `CPU per case at L=0: ${name}, us`,
      ratio(turns, (turn) => turn[name]),
    )
  if (hasOurs)
    add(
      'marginal CPU per case / bare',
      ratio(turns, (turn) => turn.ours / turn.bare),
      0.7,
      0.5,
    )
}

/** First request to last response, over what C workers with no cost of their own would take. */
async function spans() {
  const settings = values.quick
    ? [{ cases: 400, parallel: 16, latency: 50 }]
    : [
        { cases: 1_000, parallel: 16, latency: 200, now: 1.05, goal: 1.03 },
        { cases: 1_000, parallel: 4, latency: 20, goal: 1.12 },
        { cases: 1_000, parallel: 16, latency: 20, goal: 1.18 },
        { cases: 1_000, parallel: 64, latency: 200, goal: 1.07 },
      ]
  for (const { cases, parallel, latency, now, goal } of settings) {
    const ideal = Math.ceil(cases / parallel) * latency
    const model = await startModel(latency)
    const turns = await takeTurns(
      pairs,
      each(async (name) => (await model.run(name, { cases, parallel })).spanMs / ideal),
    )
    model.stop()
    for (const name of contenders) {
      const what = `span / ideal (${cases}, C${parallel}, L${latency}): ${name}`
      if (name === 'ours')
        add(
          what,
          ratio(turns, (turn) => turn.ours),
          now,
          goal,
        )
      else
        note(
          what,
          ratio(turns, (turn) => turn[name]),
        )
    }
  }
}

/** Once: peak memory hardly varies, and bare takes minutes. */
async function memory() {
  const cases = values.quick ? 10_000 : 100_000
  const model = await startModel(0)
  for (const name of contenders) {
    const run = await model.run(name, { cases, parallel: 64 })
    const megabytes = run.rssKb / 1_024
    if (name !== 'ours') {
      note(`RSS at ${cases} results: ${name}, MB`, megabytes)
      continue
    }
    add(`RSS at ${cases} results: ours, MB`, megabytes, 200, 150)
    add(`last response to exit at ${cases} results, ms`, run.endMs, undefined, 150)
  }
  model.stop()
}

/** Written after the last response, from what waited on the disk. */
async function reports() {
  if (!hasOurs) return
  const cases = values.quick ? 10_000 : 100_000
  const model = await startModel(0)
  const write = (format) => model.run('ours', { cases, parallel: 64, format })
  const turns = await takeTurns(values.quick ? 1 : pairs, {
    jsonl: () => write('jsonl'),
    json: () => write('json'),
    html: () => write('html'),
  })
  model.stop()
  const what = `HTML of ${cases} results`
  add(
    `${what}: last response to exit / the same as JSON`,
    ratio(turns, (turn) => turn.html.endMs / turn.json.endMs),
    1,
    0.8,
  )
  add(
    `${what}: last response to exit, s`,
    ratio(turns, (turn) => turn.html.endMs / 1_000),
    undefined,
    2,
  )
  add(
    `${what}: RSS above a run that only streams JSONL, MB`,
    ratio(turns, (turn) => (turn.html.rssKb - turn.jsonl.rssKb) / 1_024),
    100,
    100,
  )
  add(
    `${what}: MB`,
    ratio(turns, (turn) => turn.html.bytes / 1e6),
    25,
    25,
  )
}

function sizes() {
  if (!hasOurs) return
  const dist = dirname(dirname(cli))
  const entries = readdirSync(dist, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const bytes = entries.reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
  add('dist, MB', bytes / 1e6, undefined, 4.5)
  add('entry chunk of the command line, kB', statSync(cli).size / 1e3, undefined, 40)
}

/** A task for each contender. */
function each(task) {
  return Object.fromEntries(contenders.map((name) => [name, () => task(name)]))
}

async function takeTurns(count, tasks) {
  const turns = []
  for (let turn = 0; turn < count; turn += 1) {
    const results = {}
    for (const [name, task] of Object.entries(tasks)) results[name] = await task()
    turns.push(results)
  }
  return turns
}

/** Median over the turns of what `value` makes of each. */
function ratio(turns, value) {
  const sorted = turns.map(value).sort((left, right) => left - right)
  return sorted[Math.floor(sorted.length / 2)]
}

function add(what, measured, limit, goal) {
  rows.push({
    what,
    measured: round(measured),
    limit: limit ?? '',
    goal: goal ?? '',
    met: verdict(measured, limit, goal),
  })
}

function note(what, measured) {
  rows.push({ what, measured: round(measured), limit: '', goal: '', met: '' })
}

/** `limit` must hold today, `goal` is where the project goes. */
function verdict(measured, limit, goal) {
  if (goal !== undefined && measured <= goal) return 'goal'
  if (limit === undefined) return 'not yet'
  return measured <= limit ? 'yes' : 'NO'
}

function round(value) {
  return value >= 100 ? Math.round(value) : Number(value.toPrecision(3))
}
