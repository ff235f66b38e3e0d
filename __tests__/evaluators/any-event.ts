import fc from 'fast-check'
import type { KindConfig } from '../../src/core/kind.ts'
import type { TraceEvent } from '../../src/core/trace.ts'
import { evaluators } from '../../src/evaluators/index.ts'

/** Everything that they can be asked, so that every path is walked. */
export const ALL: readonly KindConfig[] = [
  ...evaluators.types.filter((type) => type !== 'custom').map((type) => ({ type })),
  {
    type: 'behavior',
    mustUseTools: ['read'],
    mustUseAnyOf: [['bash']],
    mustNotUseTools: ['write'],
    mustUseInOrder: [['read', 'write']],
    mustNotUseInFirstN: { tools: ['bash'], n: 3 },
    minToolCalls: 1,
    maxToolCalls: 3,
    mustUseDedicatedTools: true,
    requiresApproval: true,
    requiresContext: true,
    expectedContextFiles: ['a/b'],
    shouldDelegate: true,
    expectedResponse: { contains: ['x'], notContains: ['y'] },
    responseProvided: true,
    minMessages: 1,
    maxMessages: 3,
    minFilesWritten: 1,
    filesModified: ['a'],
    scratchpad: { required: true, forbidden: true, cleanup: true },
  },
  {
    type: 'approval-gate',
    approvalScope: 'per-call',
    minConfidence: 'high',
    approvalMustMention: ['x'],
    requireExplicitApproval: true,
  },
  { type: 'approval-gate', approvalMode: 'permission' },
  {
    type: 'delegation',
    subagentType: 'x',
    subagentMustUseTools: ['read'],
    subagentMinToolCalls: 1,
    subagentMustComplete: true,
  },
  { type: 'context-loading', expectedContextFiles: ['x'] },
  { type: 'tool-usage', maxExplorationCalls: 2 },
  { type: 'agent-model', expectedAgent: 'a', expectedModel: 'p/m' },
  { type: 'performance-metrics', maxDurationMs: 1, maxTokens: 1, maxCostUsd: 1, maxToolCalls: 1 },
]

const word = fc.constantFrom(
  'May I',
  'should I proceed?',
  'yes',
  'No,',
  'stop',
  'just do it',
  'approve',
  '`',
  '"',
  '```',
  '\n',
  '? ',
  '. ',
  '- ',
  'without asking',
  'error',
  'failed',
  '0',
  'let me fix',
)
const text = fc.oneof(
  fc.string(),
  fc.array(word).map((words) => words.join(' ')),
  fc.string({ unit: 'binary' }),
)
const command = fc
  .array(
    fc.constantFrom(
      'rm',
      '-rf',
      'cat',
      'a.txt',
      '|',
      '&&',
      ';',
      '\n',
      '$(',
      ')',
      '`',
      '"',
      "'",
      '\\',
      '<<EOF',
      'EOF',
      '>',
      '2>&1',
      '*',
      '#',
      '${',
      'sudo',
      'git',
      'clean',
      '-c',
      'bash',
      'xargs',
    ),
  )
  .map((words) => words.join(' '))
export const json = fc.json({ maxDepth: 3 }).map((value): unknown => JSON.parse(value))
const parameters = fc.oneof(
  json,
  fc.record(
    {
      command: fc.oneof(command, json),
      filePath: fc.oneof(text, json),
      path: json,
      subagent_type: json,
      patchText: text,
      questions: json,
    },
    { requiredKeys: [] },
  ),
)
const tool = fc.constantFrom(
  'bash',
  'write',
  'edit',
  'task',
  'read',
  'grep',
  'question',
  'apply_patch',
  '__proto__',
  'constructor',
  '',
)
const session = fc.constantFrom({ id: 's', depth: 0 }, { id: 't', parentId: 's', depth: 1 })
const base = {
  timestamp: fc.integer({ min: -1, max: 20 }),
  callId: fc.constantFrom('c1', 'c2'),
  session,
  agent: text,
  model: text,
  durationMs: fc.nat(),
}
/** Events of every kind, with words and commands that mean something among those that do not. */
export const event = fc.oneof(
  fc.record({ ...base, type: fc.constant('user_message'), text }, { requiredKeys: ['type', 'timestamp', 'text'] }),
  fc.record({ ...base, type: fc.constant('assistant_message'), text }, { requiredKeys: ['type', 'timestamp', 'text'] }),
  fc.record(
    {
      ...base,
      type: fc.constant('tool_call'),
      tool,
      parameters,
      result: fc.oneof(text, json),
      error: text,
      status: fc.constantFrom('failed', 'denied', 'running'),
      exitCode: fc.integer(),
    },
    { requiredKeys: ['type', 'timestamp', 'tool', 'parameters'] },
  ),
  fc.record(
    { ...base, type: fc.constant('approval_request'), id: fc.constantFrom('1', '2'), tool, parameters },
    { requiredKeys: ['type', 'timestamp', 'id', 'tool', 'parameters'] },
  ),
  fc.record(
    { ...base, type: fc.constant('approval_response'), id: fc.constantFrom('1', '2', ''), approved: fc.boolean() },
    { requiredKeys: ['type', 'timestamp', 'id', 'approved'] },
  ),
  fc.record(
    { ...base, type: fc.constant('patch'), files: fc.array(text) },
    { requiredKeys: ['type', 'timestamp', 'files'] },
  ),
  fc.record(
    {
      ...base,
      type: fc.constant('usage'),
      inputTokens: fc.nat(),
      outputTokens: fc.nat(),
      costUsd: fc.double({ noNaN: true }),
    },
    { requiredKeys: ['type', 'timestamp', 'inputTokens', 'outputTokens'] },
  ),
) as unknown as fc.Arbitrary<TraceEvent>
