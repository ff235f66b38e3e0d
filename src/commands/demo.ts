import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Config, resolveConfig } from '../config/config.ts'
import type { Host } from '../core/host.ts'
import type { Report } from '../core/report.ts'
import { describeReason, exitCodeOf } from '../core/verdict.ts'
import { runTests } from '../pipeline.ts'
import { renderSummary } from '../render/index.ts'
import { combineReporters, consoleReporter } from '../reporters/index.ts'
import { prepare } from '../setup/prepare.ts'
import type { Command, Terminal } from './command.ts'

const EXAMPLE = join('examples', 'support-bot')

/**
 * `agent-test demo`: the main job on the embedded example, which answers from a recorded cassette. Exits 0 when it
 * shows what it promises, a regression; the gate's own exit code is printed.
 */
export const demo: Command = {
  name: 'demo',
  async run(args, outer, terminal) {
    if (args.length > 0) {
      outer.log.warn(`error: demo takes no arguments, got ${JSON.stringify(args[0])}`)
      return 1
    }
    const folder = await mkdtemp(join(tmpdir(), 'agent-test-demo-'))
    try {
      const report = await runDemo({ ...outer, cwd: join(terminal.packageRoot, EXAMPLE) }, terminal, folder)
      outer.print(afterword(report))
      return report.verdict.exitReason === 'regression' ? 0 : 1
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  },
}

/** The settings of the action, on files. */
function demoConfig(folder: string): Config {
  return resolveConfig(
    {
      input: ['assistants/support/tests/inputs.jsonl'],
      output: [join(folder, 'results.jsonl')],
      baseline: 'baseline.json',
      'save-baseline': join(folder, 'baseline.json'),
    },
    'action',
  )
}

async function runDemo(host: Host, { colour }: Terminal, folder: string): Promise<Report> {
  const config = demoConfig(folder)
  const prepared = await prepare(config, host, { baselineMayBeMissing: false, warn: host.log.warn })
  const { baseline, saveTo, outputs, plan } = prepared
  return await runTests(prepared, config, host, {
    reporter: combineReporters([consoleReporter({ host, colour, config, plan }), ...outputs.reporters], host.log),
    origin: { id: 'demo' },
    ...(baseline ? { loadBaseline: () => Promise.resolve(baseline) } : {}),
    ...(saveTo ? { saveTo } : {}),
  })
}

function afterword(report: Report): string {
  const { exitReason, reasons } = report.verdict
  const comment = renderSummary(report, { heading: 'Agent tests · demo', links: {}, limit: { chars: 65_536 } })
  const [first] = reasons
  const because = first ? `because ${describeReason(first)}` : 'because nothing got worse'
  return `\nThe comment in the pull request:\n\n${comment}\n\nthe gate exits ${exitCodeOf(exitReason, 'seed')} ${because}\n`
}
