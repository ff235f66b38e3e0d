import { describe, expect, test } from 'vitest'
import { call, evaluationOf, type Line, verdictOf } from './story.ts'

const session = { id: 's2', parentId: 's1', depth: 1 }

describe('behavior', () => {
  test.each<[object, Line[], string]>([
    [{}, ['read a'], 'n/a'],
    [{ mustUseTools: [], mustUseAnyOf: [], mustNotUseTools: [] }, ['read a'], 'n/a'],
    [{ mustUseTools: ['read', 'write'] }, ['read a', 'write b'], '100'],
    [{ mustUseTools: ['read', 'write'] }, ['bash ls'], '0 missing-required-tool missing-required-tool'],
    [{ mustUseTools: ['Read'] }, ['read a'], '100'],
    [{ mustUseTools: ['find'] }, ['shop__find a'], '100'],
    [{ mustUseTools: ['find'] }, ['findings a'], '0 missing-required-tool'],
    [{ mustUseAnyOf: [['bash'], ['list', 'read']] }, ['read a', 'list b'], '100'],
    [{ mustUseAnyOf: [['bash'], ['list', 'read']] }, ['read a'], '0 missing-required-tool-set'],
    [{ mustNotUseTools: ['bash', 'write'] }, ['bash a', 'write b'], '0 forbidden-tool-used forbidden-tool-used'],
    [{ mustNotUseTools: ['write'] }, [call('write', 'a', { session })], '100'],
    [{ minToolCalls: 2 }, ['read a'], '0 insufficient-tool-calls'],
    [{ minToolCalls: 0 }, [], '100'],
    [{ maxToolCalls: 1 }, ['read a', 'read b'], '0 excessive-tool-calls~'],
    [{ maxToolCalls: 1 }, ['task a', call('read', 'a', { session })], '100'],
    [{ mustUseInOrder: [['read', 'write']] }, ['read a', 'bash b', 'write c'], '100'],
    [{ mustUseInOrder: [['read', 'write']] }, ['write c', 'read a'], '0 tools-out-of-order'],
    [{ mustNotUseInFirstN: { tools: ['write'], n: 2 } }, ['read a', 'write b'], '0 tool-used-too-early'],
    [{ mustNotUseInFirstN: { tools: ['write'], n: 1 } }, ['read a', 'write b'], '100'],
    [{ mustUseDedicatedTools: true }, ['bash cat a'], '0 bash-instead-of-dedicated-tool'],
    [{ mustUseDedicatedTools: true }, ['read a', 'bash npm ci'], '100'],
    [{ requiresApproval: true }, ['agent: May I?'], '100'],
    [{ requiresApproval: true }, ['user: May I?'], '0 missing-approval-request'],
    [{ requiresApproval: true }, ['agent: I will proceed.'], '0 missing-approval-request'],
    [{ requiresApproval: true }, [{ type: 'approval_request', id: 'p', tool: 'bash', parameters: {} }], '100'],
    [
      { requiresApproval: true, approvalMode: 'text' },
      [{ type: 'approval_request', id: 'p', tool: 'bash', parameters: {} }],
      '0 missing-approval-request',
    ],
    [{ requiresContext: true }, ['read /p/.opencode/context/a.md'], '100'],
    [{ requiresContext: true }, ['read .opencode/agent/a.md'], '100'],
    [{ requiresContext: true }, ['read /p/docs/a.md'], '100'],
    [{ requiresContext: true }, ['read README.md'], '0 missing-context-loading'],
    [{ requiresContext: true }, ['read standards/code.md'], '0 missing-context-loading'],
    [{ requiresContext: true, expectedContextFiles: ['standards/code.md'] }, ['read standards/code.md'], '100'],
    [{ shouldDelegate: true }, ['task a'], '100'],
    [{ shouldDelegate: true }, ['write a'], '0 missing-delegation~'],
    [{ expectedResponse: { contains: ['42'] } }, ['agent: It is 42.'], '100'],
    [{ expectedResponse: { contains: ['42'] } }, ['user: Is it 42?', 'agent: Yes.'], '0 missing-expected-content'],
    [{ expectedResponse: { notContains: ['42', '43'] } }, ['agent: It is 42.'], '0 forbidden-content-found'],
    [{ responseProvided: true }, ['agent:  '], '0 missing-response'],
    [{ minMessages: 3 }, ['user: a', 'agent: b'], '0 insufficient-messages'],
    [{ maxMessages: 1 }, ['user: a', 'agent: b'], '0 excessive-messages'],
    [{ minFilesWritten: 2 }, ['write a', 'edit a'], '0 insufficient-files'],
    [{ minFilesWritten: 2 }, ['write a', 'edit b'], '100'],
    [{ filesModified: ['src/a.ts'] }, ['edit /p/src/a.ts'], '100'],
    [{ filesModified: ['src/a.ts'] }, ['edit /p/src/b.ts'], '0 missing-file-change'],
    [{ scratchpad: { required: true } }, ['write .tmp/plan.md'], '100'],
    [{ scratchpad: { required: true } }, ['write plan.md'], '0 scratchpad-unused'],
    [{ scratchpad: { forbidden: true, dir: 'scratch/' } }, ['write /p/scratch/a'], '0 scratchpad-used'],
    [{ scratchpad: { cleanup: true } }, ['write .tmp/a', 'bash rm -r .tmp'], '100'],
    [{ scratchpad: { cleanup: true } }, ['bash rm -r .tmp', 'write .tmp/a'], '0 scratchpad-left-behind'],
    [{ scratchpad: { cleanup: true } }, ['write a'], '100'],
    [{ mustUseTools: ['write'], minToolCalls: 1 }, ['read a'], '33 missing-required-tool'],
    [{ mustUseTools: ['write'], shouldDelegate: true }, ['write a'], '57 missing-delegation~'],
    [{ requiresApproval: false, requiresContext: false, shouldDelegate: false }, ['task a'], 'n/a'],
    [{ mayUseTools: ['read'], expectedAgent: 'z', expectedModel: 'p/m' }, ['bash a'], 'n/a'],
  ])('%j by %j: %s', async (settings, lines, expected) => {
    expect(await verdictOf('behavior', lines, settings)).toBe(expected)
  })

  test('a wrong setting is a mistake', async () => {
    await expect(verdictOf('behavior', [], { mustUseTool: ['read'] })).rejects.toThrow(
      /did you mean \\"mustUseTools\\"/,
    )
    await expect(verdictOf('behavior', [], { severities: { bogus: 'error' } })).rejects.toThrow(/unknown setting/)
  })
})

describe('delegation', () => {
  const files = (count: number) => Array.from({ length: count }, (_, index) => `write f${index}.ts`)
  test.each<[string, Line[], string]>([
    ['no file', ['read a'], 'n/a'],
    ['three flat files', files(3), '100'],
    ['four files', files(4), '0 missing-delegation~'],
    ['four edits of one file', ['edit a', 'edit a', 'edit a', 'edit a'], '100'],
    ['four files and a task afterwards', [...files(4), 'task coder'], '100'],
    ['two files, however different', ['write app/components/X.tsx', 'write app/api/y.ts'], '100'],
    [
      'three, and complex',
      ['write app/components/Card.tsx', 'write app/api/cards.ts', 'write tests/Card.test.tsx'],
      '0 missing-delegation~',
    ],
    ['told not to', ["user: Don't delegate", ...files(4)], '100'],
    ['told so afterwards', [...files(4), "user: Don't delegate"], '0 missing-delegation~'],
    [
      'what the subagent wrote is delegated',
      ['task coder', ...files(4).map((line) => call('write', line.slice(6), { session }))],
      'n/a',
    ],
    [
      'a patch names its files',
      [
        call('apply_patch', '', {
          parameters: { patchText: '*** Add File: a\n+x\n*** Update File: b\n*** Delete File: c\n*** Add File: d' },
        }),
      ],
      '0 missing-delegation~',
    ],
    ['refused writes are none', files(4).map((line) => call('write', line.slice(6), { status: 'denied' })), 'n/a'],
  ])('%s', async (_, lines, expected) => {
    expect(await verdictOf('delegation', lines)).toBe(expected)
  })

  const task = ['task subagents/code/coder']
  const inner = call('write', 'a', { session })
  test.each<[object, Line[], string]>([
    [{ fileThreshold: 2 }, files(2), '0 missing-delegation~'],
    [{ complexityThreshold: 3 }, ['write a.ts', 'write b/b.ts', 'write c/c.test.ts'], '0 missing-delegation~'],
    [{ subagentType: 'coder' }, task, '100'],
    [{ subagentType: 'tester' }, task, '0 wrong-subagent'],
    [{ subagentType: 'coder' }, ['read a'], '0 wrong-subagent'],
    [{ subagentMustUseTools: ['write'] }, [...task, inner], '100'],
    [{ subagentMustUseTools: ['write', 'bash'] }, [...task, inner], '0 missing-subagent-tool'],
    [{ subagentMustUseTools: ['write'] }, task, '0 missing-data'],
    [{ subagentMinToolCalls: 2 }, [...task, inner], '0 insufficient-subagent-tool-calls'],
    [{ subagentMustComplete: true }, task, '100'],
    [{ subagentMustComplete: true }, [call('task', 'coder', { status: 'running' })], '0 incomplete-subagent'],
  ])('%j', async (settings, lines, expected) => {
    expect(await verdictOf('delegation', lines, settings)).toBe(expected)
  })

  test.each<[string[], object]>([
    [
      ['app/components/Card.tsx', 'app/api/cards.ts', 'tests/Card.test.tsx'],
      { fileCount: 3, complexityScore: 11, estimatedMinutes: 100 },
    ],
    [['app/main.ts', 'app/look.css', 'settings.json'], { fileCount: 3, complexityScore: 6, estimatedMinutes: 75 }],
    [['app/fmt.ts', 'tests/fmt.test.ts'], { fileCount: 2, complexityScore: 4, estimatedMinutes: 50 }],
    [['app/reconfigure.ts'], { fileCount: 1, complexityScore: 2, estimatedMinutes: 25 }],
  ])('the figures of %j', async (paths, facts) => {
    expect(
      await evaluationOf(
        'delegation',
        paths.map((path) => `write ${path}`),
      ),
    ).toMatchObject({ facts })
  })
})

describe('execution-balance', () => {
  test.each<[Line[], string]>([
    [['read a', 'read b'], 'n/a'],
    [['bash npm ci'], 'n/a'],
    [['glob *', 'bash npm ci'], 'n/a'],
    [['task coder'], 'n/a'],
    [['read a', 'write b'], '100'],
    [['write b', 'read a'], '50 execution-before-read'],
    [['read a', 'write b', 'write c'], '50 insufficient-read~'],
    [['write b'], '0 execution-before-read~ insufficient-read~'],
    [['edit b'], '0 execution-before-read insufficient-read~'],
    [['write b', 'edit b'], '0 execution-before-read~ insufficient-read~'],
    [['write b', 'edit c'], '0 execution-before-read insufficient-read~'],
    [[call('write', 'b', { result: { exists: true } })], '0 execution-before-read insufficient-read~'],
    [[call('write', 'b', { status: 'denied' })], 'n/a'],
  ])('%j: %s', async (lines, expected) => {
    expect(await verdictOf('execution-balance', lines)).toBe(expected)
  })
})

describe('agent-model', () => {
  const said = (agent?: string, model?: string, rest: object = {}): Line => ({
    type: 'assistant_message',
    text: 'x',
    ...(agent === undefined ? {} : { agent }),
    ...(model === undefined ? {} : { model }),
    ...rest,
  })
  test.each<[object, Line[], string]>([
    [{ expectedAgent: 'build' }, [said('build')], '100'],
    [{ expectedAgent: 'build' }, [said('plan')], '0 agent-mismatch'],
    [{ expectedAgent: 'build' }, [said('build'), said('plan')], '0 agent-mismatch'],
    [{ expectedAgent: 'build' }, [said('build'), said('coder', undefined, { session })], '100'],
    [{ expectedAgent: 'build' }, [], '0 agent-mismatch'],
    [{ expectedModel: 'p/m' }, [said('a', 'p/m')], '100'],
    [{ expectedModel: 'p/m' }, [said('a', 'm')], '100'],
    [{ expectedModel: 'm' }, [said('a', 'p/m')], '100'],
    [{ expectedModel: 'p/m' }, [said('a', 'q/m')], '0 model-mismatch'],
    [{ expectedModel: 'p/m' }, [said('a', 'p/mm')], '0 model-mismatch'],
    [{ expectedModel: 'p/m' }, [], '0 model-mismatch'],
    [{ expectedAgent: 'a', expectedModel: 'p/m' }, [], '50 agent-mismatch'],
    [{ expectedAgent: 'a', expectedModel: 'p/m' }, [said('b', 'p/n')], '0 agent-mismatch model-mismatch'],
  ])('%j by %j: %s', async (settings, lines, expected) => {
    expect(await verdictOf('agent-model', lines, settings)).toBe(expected)
  })

  test('without expectations it only tells', async () => {
    expect(await evaluationOf('agent-model', [said('build', 'p/m')])).toMatchObject({
      informational: true,
      score: 100,
      facts: { agents: ['build'], models: ['p/m'] },
    })
  })
})

describe('performance-metrics', () => {
  const usage: Line = { type: 'usage', inputTokens: 60, outputTokens: 40, costUsd: 0.25 }
  test.each<[object, Line[], string]>([
    [{ maxDurationMs: 2000 }, ['user: a', 'agent: b', 'agent: c'], '100'],
    [{ maxDurationMs: 1999 }, ['user: a', 'agent: b', 'agent: c'], '0 limit-exceeded'],
    [{ maxTokens: 100 }, [usage], '100'],
    [{ maxTokens: 99 }, [usage], '0 limit-exceeded'],
    [{ maxCostUsd: 0.2 }, [usage], '0 limit-exceeded'],
    [{ maxTokens: 100 }, ['agent: a'], '0 missing-data'],
    [{ maxCostUsd: 1, maxToolCalls: 1 }, ['read a', 'read b'], '0 missing-data limit-exceeded'],
  ])('%j by %j: %s', async (settings, lines, expected) => {
    expect(await verdictOf('performance-metrics', lines, settings)).toBe(expected)
  })

  test('without limits it only measures', async () => {
    const lines: Line[] = [
      { timestamp: 0, type: 'user_message', text: 'Hi' },
      call('read', 'a', { timestamp: 500 }),
      { timestamp: 2000, type: 'assistant_message', text: 'Done' },
      call('read', 'b', { timestamp: 2500, durationMs: 90 }),
      { timestamp: 2700, type: 'assistant_message', text: 'Bye' },
    ]
    expect(await evaluationOf('performance-metrics', lines)).toMatchObject({
      informational: true,
      facts: {
        metrics: {
          total_duration_ms: 2700,
          tool_latencies_ms: { read: { count: 2, avg_ms: 795, min_ms: 90, max_ms: 1500, total_ms: 1590 } },
          inference_time_ms: 2000,
          idle_time_ms: 1500,
          event_distribution: { user_message: 1, tool_call: 2, assistant_message: 2 },
          tool_count: 2,
          message_count: 3,
        },
      },
    })
  })
})
