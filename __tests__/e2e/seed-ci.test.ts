import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { ROOT } from '../support/bundle.ts'
import { suiteOf } from '../support/command-line.ts'
import { onMain } from '../support/github/events.ts'
import { createRepository, type Files, type GitRepository } from '../support/github/repository.ts'
import { type GitHub, startGitHub } from '../support/github/server.ts'
import { hasJq } from '../support/jq.ts'
import { type JobResult, runJob } from '../support/runner/mini-runner.ts'
import { type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts'

/** What the scripts of the expense assistant offer, and their tests as the seed writes them. */
const EXPENSE: Files = {
  'assistants/expense/package.yao': '{ "name": "Expense", "connector": "scripted" }',
  'assistants/expense/prompts.yml': '- role: system\n  content: You book expenses.\n',
  'assistants/expense/src/setup.ts': `
export function SystemReady(ctx: agent.Context) {
  return { success: true, status: "ready", data: { user: ctx.authorized.user_id } };
}
`,
  'assistants/expense/src/setup_test.ts': `
import { SystemReady } from "./setup";

export function TestSystemReady(t: testing.T, ctx: agent.Context) {
  const result = SystemReady(ctx);
  t.assert.True(result.success, "SystemReady should succeed");
  t.assert.Equal(result.status, "ready", "Status should be ready");
  t.assert.NotNil(result.data, "Data should not be nil");
}

export function TestSystemUser(t: testing.T, ctx: agent.Context) {
  t.Log("asked by " + ctx.authorized.user_id);
  t.assert.Equal(SystemReady(ctx).data.user, ctx.authorized.user_id);
}

export function TestOtherUser(t: testing.T, ctx: agent.Context) {
  t.assert.NotEqual(ctx.authorized.user_id, "auditor", "only the tests of the system know the auditor");
}
`,
  'assistants/expense/src/tools.ts':
    'export const total = (amounts: number[]) => amounts.reduce((sum, one) => sum + one, 0);\n',
  'assistants/expense/src/tools_test.ts': `
import { total } from "./tools";

export function TestTotal(t: testing.T, ctx: agent.Context) {
  t.assert.Equal(total([1, 2, 3.5]), 6.5, "the amounts are added up");
  t.assert.Len([1, 2], 2);
  t.assert.Contains("receipt-1", "receipt");
}
`,
  'tests/context.json': JSON.stringify({
    authorized: { user_id: 'auditor', team_id: 'audit' },
    metadata: { mode: 'test' },
  }),
}

const keywords = suiteOf(
  {
    id: 'T001',
    input: 'Extract keywords from: AI and machine learning',
    assert: { type: 'json_path', path: 'keywords[0]', value: 'AI' },
  },
  {
    id: 'T002',
    input: { role: 'user', content: 'Extract keywords from: tea' },
    assert: { type: 'contains', value: 'keywords' },
  },
  { id: 'T003', input: 'Not today', skip: true },
)

const APP: Files = {
  'app.yao': '{ "name": "Application of the example" }',
  'connectors/scripted.conn.yao': JSON.stringify({
    label: 'Scripted',
    type: 'openai',
    options: { host: '$ENV.MODEL_HOST', model: 'scripted', key: '$ENV.MODEL_KEY' },
  }),
  'assistants/keyword/package.yao': '{ "name": "Keyword", "connector": "scripted" }',
  'assistants/keyword/prompts.yml':
    '- role: system\n  content: Give keywords as JSON to $CTX.USER_ID of $CTX.TEAM_ID.\n',
  'assistants/keyword/tests/inputs.jsonl': keywords,
  ...EXPENSE,
}

/** The steps of the seed's example, as they stand there; each may get more keys. */
const EXAMPLE = {
  agent: `
agent-test -i assistants/keyword/tests/inputs.jsonl \\
  -u ci-user -t ci-team \\
  --runs 3 \\
  -o report.json
`,
  scripts: `
agent-test -i scripts.expense.setup -v
agent-test -i scripts.expense.tools -v
`,
  context: `
agent-test -i scripts.expense.setup \\
  --ctx tests/context.json \\
  --run "TestSystem.*" \\
  -v
`,
  stability: "jq -e '.results | all(.pass_rate >= 80)' report.json\n",
} as const

let github: GitHub
let repository: GitRepository
let model: ScriptedModel
let answer: (n: number) => string

beforeEach(async () => {
  answer = () => '```json\n{"keywords": ["AI", "tea"]}\n```'
  github = await startGitHub({ owner: 'octo', name: 'keyword' })
  ;[repository, model] = await Promise.all([
    createRepository(github, APP),
    startScriptedModel({ answer: (_, n) => answer(n) }),
  ])
})

afterEach(async () => {
  await Promise.all([github.close(), repository.remove(), model.close()])
})

interface NamedStep {
  readonly id: string
  readonly run: string
  readonly [key: string]: unknown
}

/** A job of these steps, on a machine where `agent-test` is a program. */
async function runSteps(...steps: readonly NamedStep[]): Promise<JobResult> {
  const install = [
    'mkdir -p "$HOME/bin"',
    'printf \'#!/bin/sh\\nexec "%s" "%s" "$@"\\n\' "$NODE" "$CLI" > "$HOME/bin/agent-test"',
    'chmod +x "$HOME/bin/agent-test"',
    'echo "$HOME/bin" >> "$GITHUB_PATH"',
  ].join('\n')
  const env = { NODE: process.execPath, CLI: inject('bundles').cli }
  const workflow = {
    name: 'Agent tests',
    on: 'push',
    jobs: {
      test: {
        'runs-on': 'ubuntu-latest',
        env: { MODEL_HOST: model.host, MODEL_KEY: 'key-of-the-scripted-model' },
        steps: [{ uses: 'actions/checkout@v5' }, { id: 'install', run: install, env }, ...steps],
      },
    },
  }
  return await runJob({
    github,
    trigger: onMain(github, 'push'),
    remote: repository.directory,
    workflow: JSON.stringify(workflow),
    action: { manifest: join(ROOT, 'action.yml'), bundle: inject('bundles').directory },
  })
}

function stepOf({ steps }: JobResult, id: string) {
  const step = steps.find((one) => one.id === id)
  if (!step) throw new Error(`there was no step ${id}`)
  return step
}

/** Ids of the steps that were run, with how each ended. */
function endings({ steps }: JobResult): Record<string, string> {
  return Object.fromEntries(steps.flatMap(({ id, outcome }) => (id === '' || id === 'install' ? [] : [[id, outcome]])))
}

describe.skipIf(!hasJq)("the seed's example for GitHub Actions (skipped without jq)", () => {
  test('all four steps pass when the agent and its scripts are right', async () => {
    const result = await runSteps(...Object.entries(EXAMPLE).map(([id, run]) => ({ id, run })))
    expect({ ...endings(result), log: result.log }).toMatchObject({
      agent: 'success',
      scripts: 'success',
      context: 'success',
      stability: 'success',
    })
    expect(stepOf(result, 'stability').log).toBe('true')
    expect(model.requests).toHaveLength(6)
    expect(JSON.stringify(model.requests[0]?.body)).toContain('to ci-user of ci-team')
  })

  test('script tests run each by itself; a pattern chooses, and the context says who asks', async () => {
    const result = await runSteps(
      { id: 'all', run: 'agent-test -i scripts.expense.setup -v' },
      { id: 'chosen', run: EXAMPLE.context },
      { id: 'every', run: 'agent-test -i scripts.expense.setup --ctx tests/context.json -v' },
    )
    expect(endings(result)).toEqual({ all: 'success', chosen: 'success', every: 'failure' })
    expect(stepOf(result, 'chosen').log).toContain('TestSystemUser')
    expect(stepOf(result, 'chosen').log).not.toContain('TestOtherUser')
    expect(stepOf(result, 'every').log).toContain('only the tests of the system know the auditor')
    expect(model.requests).toEqual([])
  })

  test.each<[string, (n: number) => boolean, { agent: string; stability: string }]>([
    ['every run is right', () => true, { agent: 'success', stability: 'success' }],
    ['one run in three is wrong', (n) => n !== 1, { agent: 'failure', stability: 'failure' }],
    ['no run is right', () => false, { agent: 'failure', stability: 'failure' }],
  ])('%s: what the job and the check of stability say', async (_, isRight, expected) => {
    answer = (n) => (isRight(n) ? '{"keywords": ["AI"]}' : '{"words": []}')
    const result = await runSteps(
      { id: 'agent', run: EXAMPLE.agent, 'continue-on-error': true },
      { id: 'stability', run: EXAMPLE.stability },
    )
    expect(endings(result)).toEqual(expected)
  })

  test('a rate that is high enough for the check passes it, though the run was red', async () => {
    answer = (n) => (n === 1 ? '{"words": []}' : '{"keywords": ["AI"]}')
    const result = await runSteps(
      { id: 'agent', run: EXAMPLE.agent.replace('--runs 3', '--runs 5'), 'continue-on-error': true },
      { id: 'stability', run: EXAMPLE.stability },
    )
    expect(endings(result)).toEqual({ agent: 'failure', stability: 'success' })
  })

  test('after a red step the next ones are not run', async () => {
    answer = () => 'nothing'
    const result = await runSteps(...Object.entries(EXAMPLE).map(([id, run]) => ({ id, run })))
    expect(result.conclusion).toBe('failure')
    expect(endings(result)).toEqual({ agent: 'failure', scripts: 'skipped', context: 'skipped', stability: 'skipped' })
  })
})

describe.skipIf(!hasJq)("the seed's recipes for CI (skipped without jq)", () => {
  const recipes = [
    {
      id: 'agent',
      run: 'agent-test -i tests/inputs.jsonl -o results.jsonl --fail-fast',
      'working-directory': 'assistants/keyword',
    },
    {
      id: 'summary',
      run: `cat results.jsonl | jq 'select(.type == "summary")'`,
      'working-directory': 'assistants/keyword',
      if: 'always()',
    },
  ]

  test.each<[string, string, string, object]>([
    ['all right', '{"keywords": ["AI"]}', 'success', { total: 3, passed: 2, failed: 0, skipped: 1, exit_code: 0 }],
    [
      'all wrong, stopped at the first',
      'nothing',
      'failure',
      { total: 3, passed: 0, failed: 1, not_run: 1, exit_code: 1 },
    ],
  ])('%s: exit code, and the summary that jq finds', async (_, text, outcome, summary) => {
    answer = () => text
    const result = await runSteps(...recipes)
    expect(endings(result)).toEqual({ agent: outcome, summary: 'success' })
    expect(JSON.parse(stepOf(result, 'summary').log)).toMatchObject({ type: 'summary', ...summary })
  })

  test('script tests stop at the first that fails', async () => {
    const sha = await repository.commit('main', {
      'assistants/expense/src/setup_test.ts': `
export function TestFirst(t: testing.T) { t.Error("the first is wrong"); }
export function TestSecond(t: testing.T) { t.Log("the second was run"); }
`,
    })
    github.state.branches.set('main', sha)
    const result = await runSteps({ id: 'scripts', run: 'agent-test -i scripts.expense.setup --fail-fast -v' })
    expect(endings(result)).toEqual({ scripts: 'failure' })
    expect(stepOf(result, 'scripts').log).toContain('the first is wrong')
    expect(stepOf(result, 'scripts').log).not.toContain('the second was run')
  })
})
