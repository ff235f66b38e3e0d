import { afterEach, describe, expect, test } from 'vitest'
import { onMain, onPull, openPull, push, pushToPull, startRun, type Trigger } from '../support/github/events.ts'
import type { Pull } from '../support/github/state.ts'
import { answering, type Story, SUITE, suiteOf, tell } from './story.ts'

let story: Story

afterEach(async () => {
  const { violations } = story.github
  await story.end()
  expect(violations).toEqual([])
})

const CASES = [{ id: 'greeting' }, { id: 'refund' }]

async function tellOfTwoCases(files: Record<string, string> = {}): Promise<Story> {
  return tell({ [SUITE]: suiteOf(CASES), ...files })
}

const warningsOf = ({ annotations }: Awaited<ReturnType<Story['run']>>['agent']) =>
  annotations.flatMap(({ level, message }) => (level === 'warning' ? [message] : []))

async function pullOf(answers: Record<string, string> = {}): Promise<Pull> {
  const { github, repository } = story
  return openPull(github, repository, { branch: 'change', files: { 'README.md': 'Hello.\n', ...answering(answers) } })
}

describe('the token', () => {
  test('is empty: one warning, the tests run, and main still saves what does not need it', async () => {
    story = await tellOfTwoCases()
    const inputs = { 'github-token': '', 'on-baseline-error': 'warn' }
    const { conclusion, agent } = await story.run(onMain(story.github, 'push'), { inputs })
    expect(conclusion).toBe('success')
    expect(warningsOf(agent)).toEqual([expect.stringContaining('there is no token for GitHub')])
    expect(agent.outputs).toMatchObject({ passed: '2', 'baseline-state': 'unreadable' })
    expect(story.github.state.artifacts.map(({ name }) => name)).toContain('agent-test-baseline')
    expect(story.github.requests.filter(({ path }) => path.startsWith('/repos/'))).toEqual([])
  })

  test('may not read earlier runs: the gate is closed, and the cure is named', async () => {
    story = await tellOfTwoCases()
    const { github, repository } = story
    Object.assign(github.state.repository, { private: true })
    const { conclusion, agent } = await story.run(await onPull(github, repository, await pullOf()), {
      permissions: { contents: 'read', checks: 'write', 'pull-requests': 'write' },
    })
    expect(conclusion).toBe('failure')
    expect(agent.outputs).toMatchObject({ passed: '2', 'exit-reason': 'error', 'baseline-state': 'unreadable' })
    expect(agent.outputs['gate-message']).toContain('"actions: read"')
    expect(github.state.comments[0]?.body).toContain('actions: read')
  })
})

describe('what a runner may lack', () => {
  test.each([
    {
      situation: 'GitHub Enterprise Server',
      env: { GITHUB_SERVER_URL: 'https://git.example.com' },
      named: 'Enterprise',
    },
    {
      situation: 'no event file',
      env: { GITHUB_EVENT_PATH: '' },
      named: 'GITHUB_EVENT_PATH',
      inputs: { baseline: 'b.json' },
    },
  ])('$situation is one warning on main, and the tests run', async ({ env, named, inputs = {} }) => {
    story = await tellOfTwoCases()
    const { conclusion, agent } = await story.run(onMain(story.github, 'push'), { env, inputs })
    expect(conclusion).toBe('success')
    expect(warningsOf(agent)).toEqual([expect.stringContaining(named)])
    expect(agent.outputs).toMatchObject({ passed: '2', 'exit-reason': 'passed' })
    expect(story.github.state.artifacts.filter(({ name }) => name === 'agent-test-baseline')).toEqual([])
  })
})

test('settings are no secrets: words of the comment-key stay readable everywhere', async () => {
  story = await tell({ 'support-bot/cases.jsonl': suiteOf([{ id: 'support-bot', expected: 'never' }]) })
  const { github, repository } = story
  const pull = await pullOf()
  const inputs = { input: 'support-bot/cases.jsonl', 'comment-key': 'support-bot' }
  const { agent } = await story.run(await onPull(github, repository, pull), { inputs })
  expect(github.state.comments[0]?.body).toContain('support-bot/cases.jsonl:1')
  expect([github.state.comments[0]?.body, agent.summary, agent.log].join('')).not.toContain('[redacted]')
})

test('a folder of a monorepo with blanks and umlauts: lines, links and the command to run it again', async () => {
  const folder = 'agents/Süß & co'
  story = await tell({
    [`${folder}/tests/fälle 1.jsonl`]: suiteOf(CASES),
    [`${folder}/agent.mjs`]: "process.stdout.write('no')",
  })
  const { github, repository } = story
  const inputs = { 'working-directory': folder, input: 'tests/fälle 1.jsonl', output: 'out.json' }
  const pull = await pullOf()
  const { agent } = await story.run(await onPull(github, repository, pull), { inputs })
  expect(agent.outputs['results-path']).toMatch(/\/agents\/Süß & co\/out\.json$/)
  const check = github.state.checkRuns[0]
  expect(check?.annotations.map(({ path, start_line }) => `${path}:${start_line}`)).toEqual([
    `${folder}/tests/fälle 1.jsonl:1`,
    `${folder}/tests/fälle 1.jsonl:2`,
  ])
  const body = github.state.comments[0]?.body ?? ''
  expect(body).toContain(`/blob/${pull.head.sha}/agents/S%C3%BC%C3%9F%20%26%20co/tests/f%C3%A4lle%201.jsonl#L1`)
  expect(body).toContain(`Run it in \`${folder}\``)
})

test('a job cancelled while GitHub does not answer has its outputs, results and summary', async () => {
  story = await tellOfTwoCases()
  const { github, repository } = story
  const trigger = await onPull(github, repository, await pullOf({ refund: 'no' }))
  github.fail({ method: 'POST', path: /\/check-runs$/, failure: 'hang', times: 9 })
  const controller = new AbortController()
  const { conclusion, agent } = await story.run(trigger, {
    signal: controller.signal,
    onLine: (line) => {
      if (line.startsWith('the gate exits')) setTimeout(() => controller.abort(), 500)
    },
  })
  expect(conclusion).toBe('cancelled')
  expect(agent.outputs).toMatchObject({ status: 'failed', passed: '1', failed: '1', 'exit-reason': 'failed' })
  expect(agent.summary).toContain('refund')
})

describe('events that are neither a push to main nor a pull request', () => {
  const event = (fields: Partial<Trigger> & Pick<Trigger, 'event' | 'payload' | 'sha' | 'ref'>): Trigger => ({
    ...onMain(story.github, 'push'),
    run: startRun(story.github, {
      event: fields.event,
      headBranch: 'x',
      headSha: fields.sha,
      headRepository: story.github.state.repository,
      pulls: [],
    }),
    ...fields,
  })
  const own = () => ({ id: story.github.state.repository.id, default_branch: 'main', name: 'support-bot' })

  test('a tag is compared with the commit before it as far as main has one, and saves nothing', async () => {
    story = await tellOfTwoCases()
    const { github, repository } = story
    await story.run(onMain(github, 'push'))
    await push(github, repository, { 'README.md': 'Hello.\n' })
    const sha = github.state.branches.get('main') ?? ''
    const payload = { repository: own(), before: '0'.repeat(40), after: sha }
    const { conclusion, agent } = await story.run(event({ event: 'push', payload, sha, ref: 'refs/tags/v1' }))
    expect([conclusion, agent.outputs['baseline-state']]).toEqual(['success', 'ok'])
    expect(github.state.artifacts.filter(({ name }) => name === 'agent-test-baseline')).toHaveLength(1)
    expect(github.state.checkRuns.at(-1)).toMatchObject({ headSha: sha })
  })

  interface Elsewhere {
    readonly name: string
    readonly payload: (pull: Pull) => object
    readonly sha: (pull: Pull, main: string) => string
    /** Where the check run stands; none where the tested commit is not told. */
    readonly checked: boolean
    readonly commented: boolean
  }
  const elsewhere: readonly Elsewhere[] = [
    {
      name: 'merge_group',
      payload: ({ head, base }) => ({
        merge_group: { head_sha: head.sha, base_sha: base.sha, base_ref: 'refs/heads/main' },
      }),
      sha: ({ head }) => head.sha,
      checked: true,
      commented: false,
    },
    {
      name: 'workflow_run',
      payload: ({ number, head, base }) => ({
        workflow_run: {
          head_sha: head.sha,
          head_repository: own(),
          pull_requests: [{ number, base: { ref: 'main', sha: base.sha } }],
        },
      }),
      sha: (_, main) => main,
      checked: true,
      commented: true,
    },
    {
      name: 'pull_request_target',
      payload: ({ number, head, base }) => ({
        pull_request: {
          number,
          head: { ref: head.branch, sha: head.sha, repo: own() },
          base: { ref: 'main', sha: base.sha, repo: own() },
        },
      }),
      sha: (_, main) => main,
      checked: true,
      commented: true,
    },
    {
      name: 'issue_comment',
      payload: ({ number }) => ({ issue: { number, pull_request: {} } }),
      sha: (_, main) => main,
      checked: false,
      commented: true,
    },
  ]
  test.each(elsewhere)('$name: compared with main, told where it belongs, saved nowhere', async (item) => {
    story = await tellOfTwoCases()
    const { github, repository } = story
    await story.run(onMain(github, 'push'))
    const pull = await pullOf()
    await pushToPull(github, repository, pull, { 'more.md': 'A second commit.\n' })
    const ref = item.name === 'merge_group' ? 'refs/heads/gh-readonly-queue/main/pr-1' : 'refs/heads/main'
    const sha = item.sha(pull, github.state.branches.get('main') ?? '')
    const payload = { repository: own(), ...item.payload(pull) }
    const before = github.state.checkRuns.length
    const { conclusion, agent } = await story.run(event({ event: item.name, payload, sha, ref }))
    expect([conclusion, agent.outputs['baseline-state'], warningsOf(agent)]).toEqual(['success', 'ok', []])
    expect(github.state.checkRuns.slice(before).map(({ headSha }) => headSha)).toEqual(
      item.checked ? [pull.head.sha] : [],
    )
    expect(github.state.comments).toHaveLength(item.commented ? 1 : 0)
    if (item.checked) expect(agent.summary).toContain('(merge base, ')
    expect(github.state.artifacts.filter(({ name }) => name === 'agent-test-baseline')).toHaveLength(1)
  })
})
