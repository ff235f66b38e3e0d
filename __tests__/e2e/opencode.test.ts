import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest'
import { commitAll, hasOpenCode, OPENCODE, openTestbed, type Testbed, write } from '../support/opencode/testbed.ts'
import { eventually } from '../support/processes.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

/** The bundled command line as a process of its own, on a real server. */
describe.skipIf(!hasOpenCode)('agent-test --target opencode (skipped where OpenCode is not installed)', () => {
  const { cli } = inject('bundles')
  let bed: Testbed
  beforeAll(async () => {
    bed = await openTestbed()
    const assert = [{ type: 'contains', value: 'Hello' }]
    write(bed.project, {
      'evals/text.jsonl': `${JSON.stringify({ id: 'greets', input: 'SCRIPT:text Say it.', assert })}\n`,
      'evals/long.jsonl': `${JSON.stringify({ id: 'waits', input: 'SCRIPT:long Wait.', assert })}\n`,
      'evals/typo.jsonl': `${JSON.stringify({ id: 'greets', input: 'SCRIPT:text Say it.', assert })}\n`,
    })
    commitAll(bed.project)
    symlinkSync(bed.temp, join(bed.project, '..', 'link'))
  })
  afterAll(async () => {
    await bed.close()
  })

  const left = () => ({ processes: bed.processes(), folders: readdirSync(bed.temp) })
  const nothing = { processes: [], folders: [] }

  function run(suite: string, settings: object = {}, args: readonly string[] = []) {
    const target = JSON.stringify({ type: 'opencode', bin: OPENCODE, catalogue: bed.catalogue, ...settings })
    const child = spawn(process.execPath, [cli, '-i', `evals/${suite}.jsonl`, '--target', target, ...args], {
      cwd: bed.project,
      stdio: ['ignore', 'pipe', 'pipe'],
      // `temp` by another name, for our own process must not be taken for one of the server's.
      env: { PATH: process.env['PATH'], RUNNER_TEMP: join(bed.project, '..', 'link') },
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
    const code = new Promise<number | null>((resolve) => child.once('close', resolve))
    return { child, code, output: () => output }
  }

  /** Until the agent's own command runs. */
  async function untilCommandRuns(): Promise<boolean> {
    const isCommand = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('sleep')
    return await eventually(() => bed.processes().some((pid) => isRunningCommand(pid, isCommand)), 60_000)
  }

  function end(child: ChildProcess, signal: NodeJS.Signals): void {
    child.kill(signal)
  }

  test('runs a suite, tells the result, and leaves nothing behind', async () => {
    const { code, output } = run('text', {}, ['-o', join(bed.project, '..', 'out.json')])
    expect([await code, output()]).toEqual([0, expect.stringContaining('greets')])
    const report = JSON.parse(readFileSync(join(bed.project, '..', 'out.json'), 'utf8')) as object
    expect(JSON.stringify(report)).toContain('Hello there.')
    expect(left()).toEqual(nothing)
  })

  test('a typo in the agent’s name is told before anything is asked, also by a dry run', async () => {
    const asked = bed.model.requests.length
    const { code, output } = run('typo', { agent: 'openagnt' }, ['--dry-run'])
    expect(await code).toBe(1)
    expect(output()).toContain('OpenCode has no agent "openagnt" here (did you mean "openagent"?)')
    const dry = run('text', {}, ['--dry-run'])
    expect([await dry.code, dry.output()]).toEqual([0, expect.stringContaining('"greets"')])
    expect(bed.model.requests.length).toBe(asked)
    expect(left()).toEqual(nothing)
  })

  test('cancelled in the middle of a command, it stops the agent, its command and the server', async () => {
    const { child, code } = run('long')
    expect(await untilCommandRuns()).toBe(true)
    end(child, 'SIGINT')
    expect(await code).toBe(1)
    expect(left()).toEqual(nothing)
  })

  test.each<NodeJS.Signals>(['SIGKILL'])('ended by %s, nothing of it stays either', async (signal) => {
    const { child, code } = run('long')
    expect(await untilCommandRuns()).toBe(true)
    end(child, signal)
    await code
    expect(await eventually(() => left().processes.length === 0 && left().folders.length === 0, 15_000)).toBe(true)
  })
})

function isRunningCommand(pid: number, isCommand: (pid: number) => boolean): boolean {
  try {
    return isCommand(pid)
  } catch {
    return false
  }
}
