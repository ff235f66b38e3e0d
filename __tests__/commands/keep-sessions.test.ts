import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { agentTest } from '../support/command-line.ts'
import { hasOpenCode, OPENCODE, openTestbed, type Testbed, write } from '../support/opencode/testbed.ts'
import { linesIn } from './scoring.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const SUITE = `tests:
  - {id: asks, prompt: "SCRIPT:bash Do it.", evaluators: [approval-gate]}
  - {id: reads, prompt: "SCRIPT:read Do it.", evaluators: [approval-gate, behavior], behavior: {mustUseTools: [read]}}
`

describe.skipIf(!hasOpenCode)('sessions that a test run keeps (skipped where OpenCode is not installed)', () => {
  let bed: Testbed
  beforeAll(async () => {
    bed = await openTestbed()
    write(bed.project, { 'evals/note.yaml': SUITE })
  })
  afterAll(() => bed.close())

  const run = (...args: readonly string[]) => {
    const target = JSON.stringify({ type: 'opencode', bin: OPENCODE, catalogue: bed.catalogue })
    return agentTest(['-i', 'evals/note.yaml', '--target', target, ...args], { cwd: bed.project, env: bed.host.env })
  }
  const score = (...args: readonly string[]) =>
    agentTest(['score', ...args, '-o', 'scores.jsonl'], { cwd: bed.project })
  const scores = () => linesIn(bed.project, 'scores.jsonl')

  test('lie beside the results, and both are judged again to the same end', async () => {
    const tested = await run('-o', 'out.jsonl')
    expect(tested.stderr).not.toContain('error:')
    expect(readdirSync(join(bed.project, 'out-sessions')).sort()).toEqual(['asks', 'reads'])
    const kept = await score('out-sessions')
    expect(scores().map(({ id, overall }) => [id, overall.passed])).toEqual([
      ['asks', true],
      ['reads', true],
    ])
    expect(kept.code).toBe(0)
    const fromKept = scores().map(({ id, evaluations }) => [id, evaluations])
    await score('out.jsonl', '-i', 'evals/note.yaml')
    expect(scores().map(({ id, evaluations }) => [id, evaluations])).toEqual(fromKept)
  })

  test('a JSON report holds their timeline as data', async () => {
    await run('-o', 'out.json', '--run', 'reads')
    const { results } = JSON.parse(readFileSync(join(bed.project, 'out.json'), 'utf8')) as {
      readonly results: readonly {
        readonly timeline?: { readonly sessions: readonly object[]; readonly events: readonly object[] }
      }[]
    }
    expect(results[0]?.timeline?.sessions).toMatchObject([
      { depth: 0, agents: ['openagent'], tool_calls: 1, children: [] },
    ])
    expect(results[0]?.timeline?.events[0]).toMatchObject({ type: 'user_message', session: { depth: 0 } })
  })

  test('lie where --keep-sessions says, or nowhere', async () => {
    await run('-o', 'other.jsonl', '--keep-sessions', 'kept', '--run', 'reads')
    expect(readdirSync(join(bed.project, 'kept'))).toEqual(['reads'])
    await run('-o', 'none.jsonl', '--keep-sessions', 'off', '--run', 'reads')
    expect(readdirSync(bed.project).filter((name) => /^(?:other|none)-sessions$|^off$/.test(name))).toEqual([])
  })

  test('never over what is not theirs', async () => {
    write(bed.project, { 'mine/reads/notes.md': 'mine' })
    const { stderr, code } = await run('-o', 'mine.jsonl', '--keep-sessions', 'mine')
    expect(stderr).toMatch(/--keep-sessions: mine\/reads would be written over/)
    expect(code).toBe(1)
    expect(existsSync(join(bed.project, 'mine/reads/notes.md'))).toBe(true)
  })
})
