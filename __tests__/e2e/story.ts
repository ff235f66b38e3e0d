import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject } from 'vitest'
import { stringify } from 'yaml'
import { ROOT } from '../support/bundle.ts'
import type { Trigger } from '../support/github/events.ts'
import { createRepository, type Files, type GitRepository } from '../support/github/repository.ts'
import { type GitHub, startGitHub } from '../support/github/server.ts'
import { type JobOptions, type JobResult, runJob, type StepResult } from '../support/runner/mini-runner.ts'
import type { Values } from '../support/runner/workflow.ts'

export const SUITE = 'tests/support.jsonl'

/** Answer of the agent by case id: one for every run, or one after the other. */
export type Answers = Readonly<Record<string, string | readonly string[]>>

export interface CaseLine {
  readonly id: string
  readonly input?: string
  readonly expected?: string
}

interface JobRun extends JobResult {
  /** The step that runs agent-test. */
  readonly agent: StepResult
}

interface RunOptions extends Partial<Pick<JobOptions, 'node' | 'signal' | 'onLine' | 'matrix'>> {
  readonly inputs?: Values
  readonly permissions?: Values
  /** Variables of the job. */
  readonly env?: Values
}

/** A repository with an agent in it, on our GitHub; every event runs its workflow with the fresh bundle. */
export interface Story {
  readonly github: GitHub
  readonly repository: GitRepository
  run(trigger: Trigger, options?: RunOptions): Promise<JobRun>
  end(): Promise<void>
}

/** As the README asks for them. */
const PERMISSIONS = { contents: 'read', actions: 'read', checks: 'write', 'pull-requests': 'write' }

/** Answers by case id from answers.json, "ok" where it has none. `wait FILE` never answers and leaves its pid in the file. */
const AGENT = `
import { readFileSync, writeFileSync } from 'node:fs'

const { id, run } = JSON.parse(readFileSync(0, 'utf8'))
const answer = JSON.parse(readFileSync('answers.json', 'utf8'))[id] ?? 'ok'
const text = Array.isArray(answer) ? answer[(run - 1) % answer.length] : answer
if (text === 'crash') {
  console.error('the model is out of reach')
  process.exit(1)
}
if (text.startsWith('wait ')) {
  writeFileSync(text.slice(5), String(process.pid))
  setInterval(() => {}, 1000)
} else process.stdout.write(text)
`

export async function tell(files: Files): Promise<Story> {
  const github = await startGitHub({ owner: 'octo', name: 'support-bot' })
  const repository = await createRepository(github, { 'agent.mjs': AGENT, 'answers.json': '{}', ...files })
  // Steps may fetch more of the repository, as they can from GitHub.
  const settings = await mkdtemp(join(tmpdir(), 'agent-test-git-'))
  const gitConfig = join(settings, 'config')
  const address = `[url "file://${repository.directory}"]\n\tinsteadOf = https://github.com/octo/support-bot\n`
  await writeFile(gitConfig, address)
  return {
    github,
    repository,
    async run(trigger, { inputs = {}, permissions = PERMISSIONS, env = {}, ...options } = {}) {
      const job = await runJob({
        github,
        trigger,
        remote: repository.directory,
        workflow: workflowWith(inputs, permissions, { GIT_CONFIG_GLOBAL: gitConfig, ...env }),
        action: { manifest: join(ROOT, 'action.yml'), bundle: inject('bundles').directory },
        ...options,
      })
      const agent = job.steps.find((step) => step.id === 'agent')
      if (!agent) throw new Error('the workflow has no step "agent"')
      return { ...job, agent }
    },
    async end() {
      await Promise.all([github.close(), repository.remove(), rm(settings, { recursive: true, force: true })])
    },
  }
}

const EVENTS = [
  'push',
  'pull_request',
  'pull_request_target',
  'merge_group',
  'workflow_run',
  'issue_comment',
  'schedule',
  'workflow_dispatch',
]

function workflowWith(inputs: Values, permissions: Values, env: Values): string {
  return stringify({
    name: 'Agent tests',
    on: EVENTS,
    permissions,
    jobs: {
      agent: {
        'runs-on': 'ubuntu-latest',
        // Spares the tests the pauses that GitHub asks for between writes.
        env: { AGENT_TEST_GITHUB_PACE: 'instant', ...env },
        steps: [
          { uses: 'actions/checkout@v5' },
          {
            id: 'agent',
            uses: 'octo/agent-test@v1',
            // How long runs take on a busy machine is nobody's subject here.
            with: {
              input: SUITE,
              target: 'command:node agent.mjs',
              runs: '1',
              'max-latency-increase': '1000',
              ...inputs,
            },
          },
        ],
      },
    },
  })
}

/** One case a line; each must be answered with `expected`, "ok" unless given. */
export function suiteOf(cases: readonly CaseLine[]): string {
  const lines = cases.map(({ id, input = `Question ${id}`, expected = 'ok' }) =>
    JSON.stringify({ id, input, assert: [{ type: 'contains', value: expected }] }),
  )
  return `${lines.join('\n')}\n`
}

export function answering(answers: Answers): Files {
  return { 'answers.json': JSON.stringify(answers) }
}

/** Numbered ids, such as case-07. */
export function ids(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `case-${`${index + 1}`.padStart(2, '0')}`)
}

/** Answer of the same text to every case. */
export function everyone(cases: readonly string[], answer: string): Answers {
  return Object.fromEntries(cases.map((id) => [id, answer]))
}
