import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type RawSettings, resolveConfig } from '../../src/config/config.ts'
import type { BaselineRun, LoadedBaseline } from '../../src/core/baseline.ts'
import { gather } from '../../src/runner/gather.ts'
import { firstStage, plannedRuns } from '../../src/runner/plan.ts'
import type { BaseRef } from '../../src/setup/base-side.ts'
import { spareUnchanged, unchangedSuites } from '../../src/setup/changed-suites.ts'
import type { Prepared } from '../../src/setup/prepare.ts'
import { baseSideTestbed, type PullWorld } from '../support/base-side-testbed.ts'
import type { Checkout } from '../support/git-project.ts'

const { pull, prepared } = baseSideTestbed()

const suite = (more: object = {}) => `${JSON.stringify({ id: 'a', input: 'Hello', ...more })}\n`

async function unchanged(world: PullWorld, raw: RawSettings, more: BaseRef = {}) {
  const settings = { 'changed-only': true, ...raw }
  const ready = await prepared(world.host, settings)
  const config = resolveConfig(settings, 'cli')
  const found = await unchangedSuites(ready, { config, host: world.host, base: { ...world.base, ...more } })
  return { names: [...found.keys()].sort(), found, ready }
}

/** One run of every case on the base branch. */
function baselineOf({ plan }: Prepared, changes: Partial<BaselineRun> = {}): LoadedBaseline {
  const cases = plan.cases.map(({ item, target, fingerprint = item.fingerprint }) => {
    const run: BaselineRun = { session: 0, status: 'passed', durationMs: 1, fingerprint, ...changes }
    return { key: item.key, target: target.label, runs: [run] }
  })
  const createdAt = '2026-03-01T00:00:00Z'
  const sessions = [{ id: 's', createdAt }]
  return { kind: 'ok', source: 'a file', baseline: { schemaVersion: 2, createdAt, sessions, cases } }
}

type Change = Readonly<Record<string, string>>

describe('of two agents of one application, a change of', () => {
  const agent = (id: string, prompt = `I am ${id}.`) => ({
    [`assistants/${id}/package.yao`]: `{ "name": "${id}", "connector": "plain" }`,
    [`assistants/${id}/prompts.yml`]: `- role: system\n  content: "${prompt}"\n`,
    [`assistants/${id}/tests/s.jsonl`]: suite(),
  })
  const APPLICATION = {
    'README.md': 'Read me.',
    'package.json': '{}',
    'app/app.yao': '{}',
    'app/connectors/plain.conn.yao': JSON.stringify({
      type: 'openai',
      options: { host: 'http://127.0.0.1:9', model: 'm', key: 'local-secret' },
    }),
    ...below('app', { ...agent('alpha'), ...agent('beta'), ...agent('gamma', 'I ask beta.') }),
    'other/tool.ts': 'export {}',
    'files/letter.png': 'PNG',
  }
  const ALL = ['alpha', 'beta', 'gamma']

  function below(folder: string, files: Change): Change {
    return Object.fromEntries(Object.entries(files).map(([name, text]) => [`${folder}/${name}`, text]))
  }

  test.each<{ situation: string; base?: Change; change: Change; spared: string[] }>([
    { situation: 'nothing', change: {}, spared: ALL },
    { situation: 'a readme', change: { 'README.md': 'Read it.' }, spared: ALL },
    { situation: 'code beside the application', change: { 'other/tool.ts': 'export const a = 1' }, spared: ALL },
    {
      situation: 'the prompts of one',
      change: { 'app/assistants/alpha/prompts.yml': '- role: system\n  content: "x"\n' },
      spared: ['beta', 'gamma'],
    },
    {
      situation: 'the prompts of one that another one names',
      change: { 'app/assistants/beta/prompts.yml': '- role: system\n  content: "x"\n' },
      spared: ['alpha'],
    },
    {
      situation: 'the readme of an agent',
      change: { 'app/assistants/alpha/README.md': 'x' },
      spared: ['beta', 'gamma'],
    },
    {
      situation: 'one suite',
      change: { 'app/assistants/alpha/tests/s.jsonl': suite({ id: 'b' }) },
      spared: ['beta', 'gamma'],
    },
    { situation: 'a connector', change: { 'app/connectors/x.conn.yao': '{}' }, spared: [] },
    { situation: 'the list of packages', change: { 'package.json': '{"a":1}' }, spared: [] },
    { situation: 'the workflow', change: { '.github/workflows/w.yml': 'on: push' }, spared: [] },
    { situation: 'a template of GitHub', change: { '.github/ISSUE_TEMPLATE/a.md': 'x' }, spared: ALL },
    {
      situation: 'an agent, where another one has code that may call any',
      base: { 'app/assistants/alpha/src/index.ts': 'export function Create() {}' },
      change: { 'app/assistants/beta/package.yao': '{ "name": "b", "connector": "plain" }' },
      spared: [],
    },
    {
      situation: 'what a case attaches',
      base: {
        'app/assistants/alpha/tests/s.jsonl': suite({
          input: { role: 'user', content: [{ type: 'image', source: 'file://../../../../files/letter.png' }] },
        }),
      },
      change: { 'files/letter.png': 'PNG2' },
      spared: ['beta', 'gamma'],
    },
    {
      situation: 'what judges a case, or what that may import',
      base: {
        'checks/own.ts': 'export function check() { return { passed: true } }',
        'app/assistants/alpha/tests/s.jsonl': suite({
          assert: [{ type: 'custom', file: '../../../../checks/own.ts' }],
        }),
      },
      change: { 'other/tool.ts': 'export const b = 2' },
      spared: ['beta', 'gamma'],
    },
    {
      situation: 'an agent that a judge of a case is',
      base: {
        'app/assistants/alpha/tests/s.jsonl': suite({ assert: { type: 'agent', use: 'agents:gamma', value: 'ok' } }),
      },
      change: { 'app/assistants/gamma/prompts.yml': '- role: system\n  content: "x"\n' },
      spared: ['beta'],
    },
  ])('$situation', async ({ base = {}, change, spared }) => {
    const world = pull({ base: { ...APPLICATION, ...base }, change })
    const { names } = await unchanged(world, { input: ['app/assistants/*/tests/s.jsonl'] })
    expect(names).toEqual(spared.map((id) => `app/assistants/${id}/tests/s.jsonl`))
  })

  test('prompts that a link leads to: in doubt all are run', async () => {
    const world = pull({ base: APPLICATION, change: {} })
    const { author, clone } = world
    symlinkSync('../beta/prompts.yml', join(author.path, 'app/assistants/alpha/extra.yml'))
    const base = author.commit()
    author.git('push', '-q', 'origin', 'main')
    clone.git('fetch', '-q', '--depth=1', 'origin', 'main')
    clone.git('checkout', '-q', 'FETCH_HEAD')
    clone.write({ 'app/assistants/beta/prompts.yml': '- role: system\n  content: "x"\n' })
    const { names } = await unchanged(world, { input: ['app/assistants/*/tests/s.jsonl'], 'control-base': base })
    expect(names).toEqual([])
  })

  test('options that name files', async () => {
    const ctx = { 'ctx.json': '{}', '.env.test': 'A=b\n', 'deep/gates.yml': 'suites: []\n' }
    const raw = {
      input: ['app/assistants/*/tests/s.jsonl'],
      ctx: 'ctx.json',
      env: '.env.test',
      'gates-file': 'deep/gates.yml',
    }
    for (const change of [
      { 'ctx.json': '{"locale":"de"}' },
      { '.env.test': 'A=c\n' },
      { 'deep/gates.yml': 'suites: [ ]\n' },
    ]) {
      const world = pull({ base: { ...APPLICATION, ...ctx }, change })
      expect((await unchanged(world, raw)).names).toEqual([])
    }
  })
})

describe('of suites of a command, a change of', () => {
  const BASE = {
    'README.md': 'x',
    'agent.mjs': 'console.log(1)',
    'evals/a.jsonl': suite(),
    'evals/b.jsonl': suite(),
    'docs/handbook.md': 'x',
    'web/page.ts': 'x',
  }
  const RAW = { input: ['evals'], target: 'command:node agent.mjs' }
  const BOTH = ['evals/a.jsonl', 'evals/b.jsonl']

  test.each<{ situation: string; change: Change; spared: string[] }>([
    { situation: 'nothing', change: {}, spared: BOTH },
    { situation: 'the readme and the licence', change: { 'README.md': 'y', LICENSE: 'z' }, spared: BOTH },
    { situation: 'one suite', change: { 'evals/a.jsonl': suite({ id: 'b' }) }, spared: ['evals/b.jsonl'] },
    { situation: 'what is let through', change: { 'agent-test.accept.yml': '[]\n' }, spared: BOTH },
    { situation: 'the program', change: { 'agent.mjs': 'console.log(2)' }, spared: [] },
    { situation: 'anything that it may read', change: { 'web/page.ts': 'y' }, spared: [] },
    { situation: 'what it may answer from', change: { 'docs/handbook.md': 'y' }, spared: [] },
    { situation: 'a readme further below', change: { 'web/README.md': 'y' }, spared: [] },
  ])('$situation', async ({ change, spared }) => {
    expect((await unchanged(pull({ base: BASE, change }), RAW)).names).toEqual(spared)
  })

  test.each<{ situation: string; local: (clone: Checkout) => void }>([
    { situation: 'an edit', local: (clone) => clone.write({ 'agent.mjs': 'console.log(2, 3)' }) },
    { situation: 'a new file', local: (clone) => clone.write({ 'lib/new.mjs': 'x' }) },
    { situation: 'a removed one', local: ({ path }) => rmSync(join(path, 'web/page.ts')) },
  ])('$situation that is not committed', async ({ local }) => {
    const world = pull({ base: BASE, change: {} })
    local(world.clone)
    expect((await unchanged(world, RAW)).names).toEqual([])
  })

  test('nothing: the reason is told with the commit, the runner spares the cases, and reports say so', async () => {
    const world = pull({ base: BASE, change: { 'evals/a.jsonl': suite({ id: 'b' }) } })
    const { found, ready } = await unchanged(world, RAW)
    const reason = `nothing it depends on was changed since ${world.commits.base.slice(0, 7)}`
    expect(found).toEqual(new Map([['evals/b.jsonl', reason]]))
    const spare = (baseline: LoadedBaseline | undefined) => {
      const config = resolveConfig({ ...RAW, 'changed-only': true }, 'cli')
      return spareUnchanged(ready, { config, host: world.host, base: world.base, baseline })
    }
    const { plan } = await spare(baselineOf(ready))
    expect([...firstStage(plan)].map(({ item, run }) => `${item.key} ${run}`)).toEqual(['evals/a.jsonl/b 1'])
    expect(plannedRuns(plan)).toBe(1)
    const reports = gather(plan, world.host.secrets).reports()
    expect(reports.map(({ unchanged: why }) => why)).toEqual([undefined, reason])
    // Without runs that stand for it a case is run all the same.
    const others = [undefined, baselineOf(ready, { status: 'errored' }), baselineOf(ready, { fingerprint: 'other' })]
    for (const baseline of others) expect(plannedRuns((await spare(baseline)).plan)).toBe(2)
  })

  test.each<{ situation: string; raw?: RawSettings; more?: BaseRef }>([
    { situation: 'on the base branch', more: { isBaseBranch: true } },
    { situation: 'where it is not asked for', raw: { 'changed-only': false } },
    { situation: 'where a baseline is to be written', raw: { 'save-baseline': 'b.json' } },
    { situation: 'of a direct message', raw: { input: ['Hello there'] } },
  ])('nothing, but all are run $situation', async ({ raw = {}, more = {} }) => {
    const world = pull({ base: BASE, change: {} })
    expect((await unchanged(world, { ...RAW, ...raw }, more)).names).toEqual([])
  })

  test('what is not known is told once, and all are run', async () => {
    const world = pull({ base: BASE, change: {} })
    world.clone.git('remote', 'remove', 'origin')
    expect((await unchanged(world, RAW)).names).toEqual([])
    expect(world.host.warnings).toEqual([
      expect.stringMatching(/^changed-only: every suite is run, .*no remote "origin"/),
    ])
  })

  test('a suite outside of the repository is run', async () => {
    const world = pull({ base: BASE, change: {} })
    mkdirSync(join(world.root, 'out'))
    world.clone.write({ '../out/s.jsonl': suite() })
    const { names } = await unchanged(world, { ...RAW, input: ['evals/a.jsonl', '../out/s.jsonl'] })
    expect(names).toEqual(['evals/a.jsonl'])
  })
})
