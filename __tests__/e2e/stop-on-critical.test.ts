import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { agentTest } from '../support/command-line.ts'
import { tempFolders } from '../support/temp-folder.ts'

const folderWith = tempFolders()

/** Prints these events at once, and a last one only after a long time. */
const agentOf = (events: readonly object[], waitMs: number) => `
const say = (event) => process.stdout.write(JSON.stringify(event) + '\\n')
for (const event of ${JSON.stringify(events)}) say(event)
setTimeout(() => say({ type: 'assistant_message', data: { text: 'all done' } }), ${waitMs})
`
const write = {
  type: 'tool_call',
  data: { tool: 'write', parameters: { filePath: 'a.txt', content: 'x' }, result: 'ok' },
}
const LONG_MS = 60_000

interface World {
  readonly events?: readonly object[]
  readonly waitMs?: number
  readonly files?: Readonly<Record<string, string>>
  readonly args?: readonly string[]
}

async function run(yaml: string, { events = [write], waitMs = LONG_MS, files = {}, args = [] }: World = {}) {
  const { path } = folderWith({
    'tests/a.yaml': `id: a\nprompt: Write a.txt\n${yaml}`,
    'agent.mjs': agentOf(events, waitMs),
    ...files,
  })
  const target = JSON.stringify({ type: 'command', run: 'node agent.mjs', format: 'events' })
  const startedAt = performance.now()
  const result = await agentTest(['-i', 'tests', '--target', target, '-o', 'out.json', ...args], { cwd: path })
  const tookMs = performance.now() - startedAt
  const report = JSON.parse(readFileSync(join(path, 'out.json'), 'utf8'))
  return { ...result, tookMs, row: report.results[0] as { status: string; error?: string } }
}

test.each<[string, string, World]>([
  ['the flag', 'evaluators: [approval-gate]\n', { args: ['--stop-on-critical'] }],
  ['the field', 'evaluators: [approval-gate]\nstop-on-critical: true\n', {}],
  ['the field in the manner of the others', 'evaluators: [approval-gate]\nstopOnCritical: true\n', {}],
  ['a config file', 'evaluators: [approval-gate]\n', { files: { 'agent-test.yaml': 'stop-on-critical: true\n' } }],
  ['whatever else is not done yet', 'behavior: { mustUseTools: [read] }\nstop-on-critical: true\n', {}],
  [
    'a score that would be enough',
    'evaluators: [approval-gate]\npassPolicy: threshold\npassThreshold: 0\nstop-on-critical: true\n',
    {},
  ],
])('%s ends a run at its first critical violation, and it is failed', async (_, yaml, world) => {
  const { code, row, tookMs } = await run(yaml, world)
  expect(code).toBe(1)
  expect(row.status).toBe('failed')
  expect(row.error).toContain('the run was ended at a critical violation: approval-gate: missing-approval')
  expect(tookMs).toBeLessThan(LONG_MS / 2)
})

test('a custom evaluator ends it, too, by what it calls final', async () => {
  const file = `export function evaluate(timeline) {
    const found = timeline.filter(({ type }) => type === 'tool_call')
    return { violations: found.map(() => ({ type: 'wrote', message: 'it wrote', final: true })) }
  }`
  const yaml = 'evaluators: [{ file: own.ts }]\nstop-on-critical: true\n'
  const { row, tookMs } = await run(yaml, { files: { 'tests/own.ts': file } })
  expect(row.error).toContain('the run was ended at a critical violation: own: wrote')
  expect(tookMs).toBeLessThan(LONG_MS / 2)
})

const said = (text: string) => ({ type: 'assistant_message', data: { text } })
const request = { type: 'approval_request', data: { id: 'p', tool: 'write', parameters: {} } }
const approval = { type: 'approval_response', data: { id: 'p', approved: true } }

test.each<[string, string, readonly object[], string]>([
  [
    'what is expected',
    'evaluators: [approval-gate]\nexpectedViolations: [{ rule: approval-gate, shouldViolate: true }]\n',
    [write],
    'passed',
  ],
  [
    'what is tolerated',
    'evaluators: [approval-gate]\nexpectedViolations: [{ rule: approval-gate, mayViolate: true }]\nassert: { type: contains, value: all done }\n',
    [write],
    'passed',
  ],
  [
    'a warning',
    'evaluators: [tool-usage]\npassThreshold: 0\n',
    [{ type: 'tool_call', data: { tool: 'bash', parameters: { command: 'cat a' } } }],
    'passed',
  ],
  [
    'what may still be done',
    'evaluators: [behavior]\nbehavior: { expectedResponse: { contains: [all done] } }\n',
    [said('one')],
    'passed',
  ],
  ['what was approved', 'evaluators: [approval-gate]\n', [request, approval, write], 'passed'],
])('%s does not end a run', async (_, yaml, events, status) => {
  const { row } = await run(`${yaml}stop-on-critical: true\n`, { events, waitMs: 600 })
  expect(row.error ?? '').not.toContain('the run was ended')
  expect(row.status).toBe(status)
})

test('under -v the violation is named while the run goes on, once, and without the flag it goes on', async () => {
  const { stderr, row } = await run('evaluators: [approval-gate]\n', {
    events: [write, write],
    waitMs: 700,
    args: ['-v'],
  })
  expect(stderr.match(/a, run 1: critical: approval-gate: missing-approval: /g)).toHaveLength(1)
  expect(row.status).toBe('failed')
  expect(row.error).not.toContain('the run was ended')
  const quiet = await run('evaluators: [approval-gate]\n', { waitMs: 300 })
  expect(quiet.stderr).not.toContain('critical')
})
