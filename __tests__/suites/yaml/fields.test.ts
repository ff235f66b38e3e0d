import { describe, expect, test } from 'vitest'
import type { EvaluationPlan } from '../../../src/core/evaluation.ts'
import { loadYaml, settingsOf } from './load.ts'

describe('fields of single public files, and ours', () => {
  test.each<[string, string, string, Record<string, unknown>]>([
    ['forbiddenTools', 'behavior: {forbiddenTools: [bash, write]}', 'behavior', { mustNotUseTools: ['bash', 'write'] }],
    [
      'forbiddenTools beside mustNotUseTools',
      'behavior: {mustNotUseTools: [bash], forbiddenTools: [bash, task]}',
      'behavior',
      { mustNotUseTools: ['bash', 'task'] },
    ],
    [
      'mustContain and shouldContainInAnyMessage',
      'behavior: {mustContain: [a], shouldContainInAnyMessage: [b], mustNotContain: [c]}',
      'behavior',
      { expectedResponse: { contains: ['a', 'b'], notContains: ['c'] } },
    ],
    [
      'mustUseInOrder',
      'behavior: {mustUseInOrder: [[read], [write, edit]]}',
      'behavior',
      { mustUseInOrder: [['read'], ['write', 'edit']] },
    ],
    [
      'mustNotUseInFirstN',
      'behavior: {mustNotUseInFirstN: {tools: [write], n: 2}}',
      'behavior',
      { mustNotUseInFirstN: { tools: ['write'], n: 2 } },
    ],
    [
      'the old toolCalls, minMessages and maxMessages',
      'expected: {pass: true, toolCalls: [bash], filesModified: [src/a.ts], minMessages: 2, maxMessages: 9, notes: x}',
      'behavior',
      { mustUseTools: ['bash'], filesModified: ['src/a.ts'], minMessages: 2, maxMessages: 9 },
    ],
    [
      'approvalExpectations',
      'behavior: {approvalExpectations: {minConfidence: high, approvalMustMention: [math], requireExplicitApproval: true}}',
      'approval-gate',
      { minConfidence: 'high', approvalMustMention: ['math'], requireExplicitApproval: true },
    ],
    [
      'delegationExpectations',
      'behavior: {delegationExpectations: {subagentType: coder, subagentMustUseTools: [write], subagentMinToolCalls: 1, subagentMustComplete: true}}',
      'delegation',
      { subagentType: 'coder', subagentMustUseTools: ['write'], subagentMinToolCalls: 1, subagentMustComplete: true },
    ],
    [
      'a working area',
      'behavior: {scratchpad: {dir: .tmp/, required: true}}',
      'behavior',
      { scratchpad: { dir: '.tmp/', required: true } },
    ],
    [
      'expectations',
      'expectations: [{type: context_loaded, contexts: [a.md]}, {type: tool_usage, tools: [write, todowrite], min_count: 1}]',
      'behavior',
      { requiresContext: true, expectedContextFiles: ['a.md'], mustUseAnyOf: [['write'], ['todowrite']] },
    ],
    [
      'a needed tool of expectations',
      'expectations: [{type: tool_usage, tools: [write]}]',
      'behavior',
      { mustUseTools: ['write'] },
    ],
    ['approvalMode', 'approvalMode: text', 'approval-gate', { approvalMode: 'text' }],
    [
      'a map of evaluators',
      'evaluators: {approval-gate: {options: {tools: [bash]}}}',
      'approval-gate',
      { tools: ['bash'] },
    ],
    [
      'one severity for all that an evaluator finds',
      'evaluators: {agent-model: {severity: warning}}',
      'agent-model',
      { severities: { 'agent-mismatch': 'warning', 'model-mismatch': 'warning' } },
    ],
  ])('%s', async (_, yaml, evaluator, settings) => {
    const { cases, problems } = await loadYaml(`id: a\nprompt: x\n${yaml}`)
    expect(problems).toEqual([])
    expect(settingsOf(cases[0], evaluator)).toEqual(settings)
  })

  test.each<[string, string, Partial<EvaluationPlan>]>([
    ['a threshold', 'passThreshold: 60', { passThreshold: 60 }],
    ['the rule of the seed alone', 'passPolicy: threshold', { passPolicy: 'threshold' }],
    ['the rule by its older name', 'pass_policy: threshold', { passPolicy: 'threshold' }],
    ['the other project', 'compat: openagents', { compat: 'openagents' }],
    ['weights', 'weights: {approval_gate: 3}', { weights: { 'approval-gate': 3 } }],
    [
      'a preset of weights',
      'weights: openagent',
      { weights: { 'approval-gate': 40, 'context-loading': 40, delegation: 10, 'tool-usage': 10 } },
    ],
    ['a weight beside its evaluator', 'evaluators: {delegation: {weight: 0.5}}', { weights: { delegation: 0.5 } }],
    ['a test that is to fail', 'expected: {pass: false}', { expectedPass: false }],
    [
      'no_violations',
      'expectations: [{type: specific_evaluator, evaluator: tool_usage}, {type: specific_evaluator, evaluator: delegation, should_pass: false}]',
      {
        expectedViolations: [
          { evaluator: 'tool-usage', state: 'must_not' },
          { evaluator: 'delegation', state: 'must' },
        ],
      },
    ],
  ])('%s', async (_, yaml, plan) => {
    const { cases, problems } = await loadYaml(`id: a\nprompt: x\n${yaml}`)
    expect(problems).toEqual([])
    expect(cases[0]?.evaluations).toMatchObject(plan)
  })

  test('assertions: ours, and those of two dialects', async () => {
    const { cases, problems } = await loadYaml(
      [
        'id: a',
        'prompt: x',
        'assert: [{type: contains, value: hello}, {type: tool_called, value: read}]',
        'assertions: [{type: tool_called, tool: task, with_args: {subagent_type: Scout}}, {type: output_contains, value: evals.md}]',
        'expectedOutput: [{type: contains, text: done}]',
      ].join('\n'),
    )
    expect(problems).toEqual([])
    expect(cases[0]?.assertions).toEqual([
      { type: 'contains', value: 'hello' },
      { type: 'tool_called', value: 'read' },
      { type: 'tool_called', value: { name: 'task', arguments: { subagent_type: 'Scout' } } },
      { type: 'contains', value: 'evals.md' },
      { type: 'contains', value: 'done' },
    ])
  })

  test('setup, workspace, skip and metadata', async () => {
    const { cases, problems, cwd } = await loadYaml(
      [
        'id: a',
        'prompt: x',
        'workspace: ../fixtures/app',
        'inherit: false',
        'skip: not yet',
        'metadata: {phase: routing}',
        'setup:',
        '  - {action: write, file: test_a.py, content: "assert False"}',
        '  - {action: mkdir, file: out}',
        '  - {action: delete, file: old.txt}',
      ].join('\n'),
      { files: { 'fixtures/app/a.txt': 'A' } },
    )
    expect(problems).toEqual([])
    expect(cases[0]).toMatchObject({ skip: 'not yet', metadata: { phase: 'routing' } })
    expect(cases[0]?.session).toMatchObject({
      workspace: `${cwd}/fixtures/app`,
      inherit: false,
      setup: [
        { action: 'write', file: 'test_a.py', content: 'assert False' },
        { action: 'mkdir', file: 'out' },
        { action: 'delete', file: 'old.txt' },
      ],
    })
  })

  test.each<[string, string, unknown]>([
    ['an object', 'approvalStrategy: {type: auto-deny}', { kind: 'deny' }],
    ['a text', 'approvalStrategy: auto-deny', { kind: 'deny' }],
    ['a reason', 'approvalStrategy: {type: auto-deny, message: not now}', { kind: 'deny', message: 'not now' }],
    [
      'smart without settings',
      'approvalStrategy: smart',
      {
        kind: 'smart',
        allowedTools: [],
        deniedTools: [],
        approvePatterns: [],
        denyPatterns: [],
        defaultDecision: true,
        learn: false,
      },
    ],
  ])('an approval strategy: %s', async (_, yaml, approval) => {
    const { cases } = await loadYaml(`id: a\nprompt: x\n${yaml}`)
    expect(cases[0]?.session?.approval).toEqual(approval)
  })

  test.each<[string, number]>([
    ['1500', 1_500],
    ['"30s"', 30_000],
    ['2m30s', 150_000],
  ])('timeout %s', async (written, ms) => {
    const { cases } = await loadYaml(`id: a\nprompt: x\ntimeout: ${written}`)
    expect(cases[0]?.session?.turnTimeoutMs).toBe(ms)
  })

  test('aliases and merge keys', async () => {
    const { cases, problems } = await loadYaml(
      'tests:\n  - &base {id: a, prompt: x, agent: build, tags: &tags [one]}\n  - {<<: *base, id: b, tags: *tags}\n',
    )
    expect(problems).toEqual([])
    expect(cases.map(({ id, tags, session }) => [id, session?.agent, tags])).toEqual([
      ['a', 'build', ['one']],
      ['b', 'build', ['one']],
    ])
  })
})

describe('the fingerprint', () => {
  const fingerprint = async (yaml: string, files: Record<string, string> = {}) =>
    (await loadYaml(`id: a\nprompt: x\n${yaml}`, { files })).cases[0]?.fingerprint

  test.each([
    ['another turn', 'behavior: {}', 'approvalStrategy: auto-deny'],
    ['another expectation', 'behavior: {mustUseTools: [read]}', 'behavior: {mustUseTools: [write]}'],
    ['another threshold', 'passThreshold: 75', 'passThreshold: 80'],
    ['another agent', 'agent: build', 'agent: plan'],
  ])('%s is another question', async (_, one, other) => {
    expect(await fingerprint(one)).not.toBe(await fingerprint(other))
  })

  test('another limit, place, name or tag is not', async () => {
    const plain = await fingerprint('')
    expect(await fingerprint('timeout: 5s')).toBe(plain)
    expect(await fingerprint('name: N\ntags: [t]\ndescription: D')).toBe(plain)
  })

  test('the files of the workspace count, wherever it lies', async () => {
    const yaml = 'workspace: ../app'
    const one = await fingerprint(yaml, { 'app/a.txt': '1' })
    expect(await fingerprint(yaml, { 'app/a.txt': '1' })).toBe(one)
    expect(await fingerprint(yaml, { 'app/a.txt': '2' })).not.toBe(one)
    expect(await fingerprint(yaml, { 'app/b.txt': '1' })).not.toBe(one)
  })
})
