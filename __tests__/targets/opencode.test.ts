import { readdirSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { operationOf } from '../../src/core/approval.ts'
import { TargetError } from '../../src/core/errors.ts'
import type { ApprovalPolicy, SessionPlan, SmartApproval } from '../../src/core/session.ts'
import { eventsOf, type Trace } from '../../src/core/trace.ts'
import type { Target } from '../../src/targets/index.ts'
import { hasOpenCode, openTestbed, see, type Testbed } from '../support/opencode/testbed.ts'
import { collect } from '../support/run-request.ts'

// One server for the file: a start takes seconds, and every folder more of them.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const smart: SmartApproval = {
  kind: 'smart',
  allowedTools: [],
  deniedTools: [],
  approvePatterns: [],
  denyPatterns: [],
  defaultDecision: false,
  learn: false,
}

describe.skipIf(!hasOpenCode)('a real OpenCode server (skipped where it is not installed)', () => {
  let bed: Testbed
  let target: Target
  beforeAll(async () => {
    bed = await openTestbed()
    target = await bed.open()
    expect(await target.check?.(bed.item('text'))).toEqual([])
  })
  afterAll(async () => {
    await target.dispose?.()
    expect({ processes: bed.processes(), folders: readdirSync(bed.temp) }).toEqual({ processes: [], folders: [] })
    await bed.close()
  })

  const deny: ApprovalPolicy = { kind: 'deny' }
  test.each<[string, string, Partial<SessionPlan>, string[]]>([
    ['an answer', 'text', {}, ['agent: Hello there.']],
    ['a tool that needs no leave', 'read', {}, ['agent: Working.', 'read', 'agent: It says alpha.']],
    ['a search, with ripgrep found beside the server', 'grep', {}, ['agent: Working.', 'grep', 'agent: Found.']],
    ['a command that is approved', 'bash', {}, ['agent: Working.', 'asks bash', 'approved', 'bash', 'agent: Done.']],
    ['a command that is denied', 'bash', { approval: deny }, ['agent: Working.', 'asks bash', 'denied', 'bash denied']],
    [
      'a command that is denied with a reason, which the agent is told',
      'bash',
      { approval: { kind: 'deny', message: 'Use read.' } },
      ['agent: Working.', 'asks bash', 'denied', 'bash denied', 'agent: Done.'],
    ],
    ['a command that fails', 'exit', {}, ['agent: Working.', 'asks bash', 'approved', 'bash', 'agent: It failed.']],
    [
      'a file written and edited',
      'write',
      {},
      ['agent: Working.', 'write', 'patch out.txt', 'agent: Working.', 'edit', 'patch out.txt', 'agent: Written.'],
    ],
    [
      'a subagent with a question of its own',
      'task',
      {},
      [
        'agent: Working.',
        'task',
        '1: user: SCRIPT:childbash run it',
        '1: agent: Working.',
        '1: asks bash',
        '1: approved',
        '1: bash',
        '1: agent: Child done.',
        'agent: The subagent reported.',
      ],
    ],
    [
      'a subagent whose command is denied',
      'task',
      { approval: deny },
      [
        'agent: Working.',
        'task failed',
        '1: user: SCRIPT:childbash run it',
        '1: agent: Working.',
        '1: asks bash',
        '1: denied',
        '1: bash denied',
        'agent: The subagent reported.',
      ],
    ],
    [
      'a question, which gets its first option',
      'question',
      { agent: 'asker' },
      ['agent: Working.', 'question', 'agent: Thanks.'],
    ],
    [
      'a question to one who denies',
      'question',
      { agent: 'asker', approval: deny },
      ['agent: Working.', 'question failed'],
    ],
    [
      'smart rules: the most approvals',
      'three',
      { approval: { ...smart, maxApprovals: 1, defaultDecision: true } },
      ['agent: Working.', 'asks bash', 'approved', 'bash', 'agent: Working.', 'asks bash', 'denied', 'bash denied'],
    ],
    [
      'smart rules by what a command says: what is let through runs before a refusal ends the rest',
      'both',
      { approval: { ...smart, approvePatterns: ['^echo '], denyPatterns: ['rm -rf'] } },
      ['agent: Working.', 'asks bash', 'asks bash', 'approved', 'bash', 'denied', 'bash denied'],
    ],
    [
      'the same command again and again',
      'loop',
      {},
      [...Array.from({ length: 6 }, () => ['agent: Working.', 'asks bash', 'approved', 'bash']).flat(), 'agent: done'],
    ],
  ])('%s', async (_, script, plan, story) => {
    const seen = await see(target, bed.item(script, plan))
    expect(seen.error).toBeUndefined()
    expect(seen.story).toEqual([`user: SCRIPT:${script} Do it.`, ...story])
  })

  test('the same call many times in one step, which OpenCode takes for a loop and asks about', async () => {
    const { story, error } = await see(target, bed.item('doom'))
    expect({ error, last: story.at(-1) }).toEqual({ error: undefined, last: 'agent: Stopped.' })
    const count = (line: string) => story.filter((one) => one === line).length
    expect(count('asks doom_loop')).toBeGreaterThan(0)
    expect([count('read'), count('approved')]).toEqual([4, count('asks doom_loop')])
  })

  test('a command comes with its output, exit code, times and cost', async () => {
    const { events } = await see(target, bed.item('exit'))
    const trace = { events } as Trace
    const [request] = eventsOf(trace, 'approval_request')
    const [response] = eventsOf(trace, 'approval_response')
    const [call] = eventsOf(trace, 'tool_call')
    expect(request).toMatchObject({ tool: 'bash', parameters: { permission: 'bash', patterns: ['exit 3'] } })
    expect(call).toMatchObject({
      tool: 'bash',
      parameters: { command: 'exit 3' },
      exitCode: 3,
      agent: 'openagent',
      model: 'scripted/main',
      callId: request?.callId,
      session: { depth: 0 },
    })
    expect(call?.durationMs).toBeGreaterThanOrEqual(0)
    expect([request?.id, (response?.timestamp ?? 0) <= (call?.timestamp ?? 0)]).toEqual([response?.id, true])
    expect(eventsOf(trace, 'usage')[0]).toMatchObject({ inputTokens: 7, outputTokens: 3, costUsd: 0.000013 })
  })

  test('eight sessions at once hear nothing of one another', async () => {
    const scripts = ['text', 'bash', 'write', 'task', 'read', 'exit', 'bash', 'text']
    const runs = await Promise.all(scripts.map(async (script) => see(target, bed.item(script))))
    for (const [index, { story, error, events }] of runs.entries()) {
      expect({ error, first: story[0] }).toEqual({ error: undefined, first: `user: SCRIPT:${scripts[index]} Do it.` })
      const roots = new Set(events.flatMap(({ session }) => (session?.depth === 0 ? [session.id] : [])))
      expect(roots.size).toBe(1)
    }
  })

  test('several turns in one session; what is only said when asked is said when asked', async () => {
    const turns = [
      { text: 'SCRIPT:tell Look.' },
      { text: 'SCRIPT:text never', onlyWhenAsked: true },
      { text: 'SCRIPT:ask Delete it.', delayMs: 10 },
      { text: 'SCRIPT:bash Yes.', onlyWhenAsked: true },
    ]
    const asking = await bed.open({ inactivity: '4s' }, { asksApproval: (text) => text.includes('Should I') })
    try {
      const { story, error, events } = await see(asking, bed.item('text', { turns }))
      expect(error).toBeUndefined()
      expect(story).toEqual([
        'user: SCRIPT:tell Look.',
        'agent: Nothing to do.',
        'user: SCRIPT:ask Delete it.',
        'agent: I will delete the file. Should I proceed?',
        'user: SCRIPT:bash Yes.',
        'agent: Working.',
        'asks bash',
        'approved',
        'bash',
        'agent: Done.',
      ])
      expect(new Set(events.map(({ session }) => session?.id)).size).toBe(1)
      // Nothing at all, for the time that this target allows.
      expect((await see(asking, bed.item('hang'))).error).toMatchObject({
        code: 'TIMEOUT',
        message: 'nothing happened for 4.0s',
      })
      // The server asks the provider again and again meanwhile: it is not the agent that is slow.
      expect((await see(asking, bed.item('broken'))).error).toMatchObject({ code: 'PROVIDER_ERROR' })
    } finally {
      await asking.dispose?.()
    }
  })

  test('smart rules approve again what was approved on the base branch', async () => {
    const learned = new Set([operationOf({ permission: 'bash', patterns: ['exit 3'] })])
    const item = bed.item('exit', { approval: { ...smart, learn: true } })
    const { events } = await collect(target, { case: item, learned })
    expect(events.filter(({ type }) => type === 'approval_response')).toMatchObject([{ approved: true }])
    expect(events.find(({ type }) => type === 'log')).toMatchObject({
      text: 'permission bash for exit 3: approved, the same operation was approved on the base branch',
    })
    expect((await see(target, item)).story.at(-1)).toBe('bash denied')
  })

  test('agent and model are passed through as they are', async () => {
    const { events } = await see(target, bed.item('text', { agent: 'plan', model: 'scripted/org/other' }))
    expect(events.find(({ type }) => type === 'assistant_message')).toMatchObject({
      agent: 'plan',
      model: 'scripted/org/other',
    })
  })

  test.each<[string, Partial<SessionPlan>, object[]]>([
    [
      'an agent that is not there',
      { agent: 'openagnt' },
      [{ field: 'agent', message: 'OpenCode has no agent "openagnt" here', hint: 'did you mean "openagent"?' }],
    ],
    [
      'an agent that is nothing like any',
      { agent: 'zzz' },
      [
        {
          field: 'agent',
          message: 'OpenCode has no agent "zzz" here',
          hint: 'agents are asker, build, explore, general, helper, openagent, plan',
        },
      ],
    ],
    [
      'a model that is not there',
      { model: 'scripted/mian' },
      [
        {
          field: 'model',
          message: 'OpenCode knows no model "scripted/mian" here',
          hint: 'did you mean "scripted/main"?',
        },
      ],
    ],
    [
      'a model without its provider',
      { model: 'main' },
      [{ field: 'model', message: 'expected provider/model, got "main"' }],
    ],
    [
      'a workspace that is not there',
      { workspace: '/nowhere/at/all' },
      [{ field: 'workspace', message: 'the workspace "/nowhere/at/all" does not exist' }],
    ],
  ])('%s is known before anything is asked', async (_, plan, problems) => {
    const asked = bed.model.requests.length
    expect(await target.check?.(bed.item('text', plan))).toMatchObject(problems)
    expect(bed.model.requests.length).toBe(asked)
  })

  describe('failures that are not the agent’s', () => {
    test.each<[string, string, Partial<SessionPlan>, Partial<TargetError>]>([
      ['a request that is refused', 'refused', {}, { code: 'BAD_REQUEST' }],
      ['a key that is refused', 'key', {}, { code: 'AUTHENTICATION' }],
      ['too many calls, to the end of all attempts', 'limited', {}, { code: 'RATE_LIMITED' }],
      ['a failing provider, at the limit of the turn', 'broken', { turnTimeoutMs: 5_000 }, { code: 'PROVIDER_ERROR' }],
      ['a model that never answers', 'hang', { turnTimeoutMs: 4_000 }, { code: 'TIMEOUT' }],
      ['a command that does not end', 'long', { turnTimeoutMs: 8_000 }, { code: 'TIMEOUT' }],
    ])('%s', async (_, script, plan, failure) => {
      const { error, story } = await see(target, bed.item(script, plan))
      expect(error).toBeInstanceOf(TargetError)
      expect(error).toMatchObject({ ...failure, retryable: false })
      expect(story[0]).toBe(`user: SCRIPT:${script} Do it.`)
      const requests = bed.model.requests.length
      await new Promise((resolve) => setTimeout(resolve, 3_000))
      // Whatever was given up asks for nothing more.
      expect(bed.model.requests.length).toBe(requests)
    })
  })
})
