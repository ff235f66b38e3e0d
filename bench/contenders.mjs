import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
/** BENCH_DIST measures another build than the committed one. */
export const cli = resolve(process.env.BENCH_DIST ?? join(here, '..', 'dist'), 'cli', 'index.js')

const folder = mkdtempSync(join(tmpdir(), 'agent-test-bench-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

/** Arguments for node, by contender. */
const COMMANDS = {
  floor: (suite, url, parallel, output) => [join(here, 'floor.mjs'), suite, url, parallel, output],
  bare: (suite, url, parallel, output) => [join(here, 'bare.mjs'), suite, url, parallel, output],
  ours: (suite, url, parallel, output) => [
    cli,
    '-i',
    suite,
    '--target',
    `http:${url}`,
    '--parallel',
    parallel,
    '-o',
    output,
  ],
}

export const contenders = Object.keys(COMMANDS).filter((name) => name !== 'ours' || existsSync(cli))

/** A model server of its own latency; `run` measures one contender on it. */
export async function startModel(latencyMs) {
  const server = fork(join(here, 'model-server.mjs'), [String(latencyMs)])
  const [{ port }] = await once(server, 'message')
  const report = async () => {
    server.send('report')
    const [{ requests, firstRequestAt, lastResponseAt }] = await once(server, 'message')
    return { requests, firstRequestAt: BigInt(firstRequestAt), lastResponseAt: BigInt(lastResponseAt) }
  }
  return {
    stop: () => server.disconnect(),
    async run(name, { cases, parallel, format = 'jsonl' }) {
      const output = join(folder, `${name}.${format}`)
      const args = COMMANDS[name](suiteOf(cases), `http://127.0.0.1:${port}/v1`, String(parallel), output)
      const run = await measure(args)
      const { requests, firstRequestAt, lastResponseAt } = await report()
      if (requests !== cases) throw new Error(`${name} sent ${requests} requests for ${cases} cases\n${run.errors}`)
      const bytes = statSync(output).size
      rmSync(output, { force: true })
      return {
        ...run,
        bytes,
        spanMs: millis(lastResponseAt - firstRequestAt),
        startMs: millis(firstRequestAt - run.startedAt),
        endMs: millis(run.endedAt - lastResponseAt),
      }
    },
  }
}

/** Runs node with `args`: wall time, CPU of the whole process, peak memory. */
export async function measure(args) {
  const usage = join(folder, 'usage.json')
  const startedAt = process.hrtime.bigint()
  const child = spawn(process.execPath, ['--import', pathToFileURL(join(here, 'usage.mjs')).href, ...args], {
    env: { ...process.env, BENCH_USAGE: usage, NO_COLOR: '1' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let errors = ''
  child.stderr.setEncoding('utf8')
  child.stderr.on('data', (part) => {
    errors = (errors + part).slice(-2_000)
  })
  const [code] = await once(child, 'close')
  const endedAt = process.hrtime.bigint()
  if (code !== 0) throw new Error(`node ${args.join(' ')} exited ${code}\n${errors}`)
  return { startedAt, endedAt, errors, wallMs: millis(endedAt - startedAt), ...JSON.parse(readFileSync(usage, 'utf8')) }
}

function suiteOf(cases) {
  const file = join(folder, `suite-${cases}.jsonl`)
  if (existsSync(file)) return file
  const lines = Array.from({ length: cases }, (_, index) =>
    JSON.stringify({ id: `case-${index}`, input: `Say ok, case ${index}`, assert: { type: 'contains', value: 'ok' } }),
  )
  writeFileSync(file, `${lines.join('\n')}\n`)
  return file
}

function millis(nanoseconds) {
  return Number(nanoseconds) / 1e6
}
