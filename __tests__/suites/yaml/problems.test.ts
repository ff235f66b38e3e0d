import { describe, expect, test } from 'vitest'
import { loadYaml } from './load.ts'

const HEAD = 'id: a\nprompt: x\n'

/** Each row: what is wrong, the lines from line 3 on, every problem without the file. */
async function problemsIn(yaml: string): Promise<string[]> {
  const { problems, cases } = await loadYaml(yaml)
  expect(cases).toEqual([])
  return problems.map((problem) => problem.replace('tests/test.yaml:', ''))
}

describe('a field that is not right', () => {
  test.each<[string, string, string[]]>([
    ['an unknown field', 'behaviour: {}', ['3: behaviour: unknown field (did you mean "behavior"?)']],
    ['a field in another case', 'Tags: [a]', ['3: Tags: unknown field (did you mean "tags"?)']],
    [
      'an unknown field of behavior',
      'behavior:\n  minToolCalls: 1\n  mustUseTool: [read]',
      ['5: behavior.mustUseTool: unknown field (did you mean "mustUseTools"?)'],
    ],
    [
      'wrong types, all at once',
      'behavior:\n  mustUseTools: read\n  minToolCalls: "2"\n  requiresApproval: yes\n  mustNotUseTools: [1]',
      [
        '4: behavior.mustUseTools: expected a list, got "read"',
        '5: behavior.minToolCalls: expected a number, got "2"',
        '6: behavior.requiresApproval: expected true or false, got "yes"',
        '7: behavior.mustNotUseTools[0]: expected a text that is not empty, got 1',
      ],
    ],
    [
      'half a call',
      'behavior:\n  maxToolCalls: 1.5',
      ['4: behavior.maxToolCalls: expected a whole number from 0, got 1.5'],
    ],
    [
      'fewer than none',
      'behavior:\n  minToolCalls: -1',
      ['4: behavior.minToolCalls: expected a whole number from 0, got -1'],
    ],
    [
      'an empty set',
      'behavior:\n  mustUseAnyOf:\n    - []',
      ['5: behavior.mustUseAnyOf[0]: expected a list of names such as [read, grep], got a list'],
    ],
    [
      'a category',
      'category: content',
      ['3: category: expected one of "developer", "business", "creative", "edge-case", got "content"'],
    ],
    [
      'a model without provider',
      'model: gpt',
      ['3: model: expected a model as PROVIDER/MODEL, got "gpt" (such as anthropic/claude-sonnet-4-5)'],
    ],
    [
      'a negative timeout',
      'timeout: -5',
      ['3: timeout: expected milliseconds above zero, up to a day, or a text such as "30s", got -5'],
    ],
    [
      'a timeout without unit',
      'timeout: "60000"',
      ['3: timeout: expected milliseconds above zero, up to a day, or a text such as "30s", got "60000"'],
    ],
    ['a threshold over 100', 'passThreshold: 101', ['3: passThreshold: expected a number from 0 to 100, got 101']],
    [
      'a threshold by both of its names',
      'passThreshold: 50\npass_threshold: 60',
      ['4: pass_threshold: cannot be given beside "passThreshold" (they mean the same)'],
    ],
    ['a policy', 'passPolicy: mean', ['3: passPolicy: expected one of "conjunction", "threshold", got "mean"']],
    [
      'an approval mode',
      'approvalMode: txt',
      ['3: approvalMode: expected one of "text", "permission", "either", got "txt" (did you mean "text"?)'],
    ],
    [
      'a manual strategy',
      'approvalStrategy:\n  type: manual',
      [
        '4: approvalStrategy.type: expected one of "auto-approve", "auto-deny", "smart", got "manual" (nobody is there to answer: auto-deny stops the agent where it asks)',
      ],
    ],
    [
      'a strategy without type',
      'approvalStrategy:\n  config: {}',
      ['3: approvalStrategy.type: required (one of "auto-approve", "auto-deny", "smart")'],
    ],
    [
      'patterns that are no RE2',
      'approvalStrategy:\n  type: smart\n  config:\n    approvePatterns: ["a(?=b)"]\n    denyPatterns:\n      - ok\n      - "["',
      [
        '6: approvalStrategy.config.approvePatterns[0]: not an RE2 pattern: error parsing regexp: invalid or unsupported Perl syntax: `(?=`',
        '9: approvalStrategy.config.denyPatterns[1]: not an RE2 pattern: error parsing regexp: missing closing ]: `[`',
      ],
    ],
    [
      'settings of a strategy that has none',
      'approvalStrategy:\n  type: auto-approve\n  config: {maxApprovals: 1}',
      ['5: approvalStrategy.config: only the type "smart" has settings'],
    ],
    [
      'an evaluator',
      'evaluators: [approval-gates]',
      ['3: evaluators[0]: there is no evaluator "approval-gates" (did you mean "approval-gate"?)'],
    ],
    ['no evaluators', 'evaluators: []', ['3: evaluators: expected at least one evaluator, got an empty list']],
    ['a weight', 'weights: {delegation: -1}', ['3: weights.delegation: expected a number from 0 to 1000000, got -1']],
    ['no weight at all', 'weights: {delegation: 0}', ['3: weights: at least one weight must be above zero']],
    [
      'a setting of an evaluator',
      'evaluators:\n  - type: stop-on-failure\n    comands: [npm]',
      ['5: evaluators[0].comands: unknown setting (did you mean "commands"?)'],
    ],
    [
      'a value of a setting',
      'evaluators:\n  delegation:\n    options:\n      fileThreshold: 0',
      [expect.stringMatching(/^6: evaluators\.delegation\.options\.fileThreshold: /)],
    ],
    [
      'expected violations',
      'expectedViolations:\n  - rule: approval\n    shouldViolate: false\n  - shouldViolate: true\n  - rule: delegation\n  - {rule: delegation, shouldViolate: true, mayViolate: true}\n  - {rule: delegation, shouldViolate: true, severity: fatal}',
      [
        '4: expectedViolations[0].rule: there is no evaluator "approval" (known: "behavior", "approval-gate", "context-loading", "delegation", "tool-usage", "stop-on-failure", "report-first", "cleanup-confirmation", "performance-metrics", "agent-model", "execution-balance")',
        '6: expectedViolations[1].rule: required (the name of an evaluator, such as approval-gate)',
        '7: expectedViolations[2].shouldViolate: required (shouldViolate: true must be found, false must not; mayViolate: true is fine either way)',
        '8: expectedViolations[3].mayViolate: cannot be given beside "shouldViolate" (choose must, must not or may)',
        '9: expectedViolations[4].severity: expected one of "error", "warning", "info", got "fatal"',
      ],
    ],
    [
      'a type that the evaluator does not find',
      'expectedViolations:\n  - {rule: approval-gate, violationType: missing-aproval, shouldViolate: true}',
      [
        '4: expectedViolations[0].violationType: approval-gate finds no "missing-aproval" (did you mean "missing-approval"?)',
      ],
    ],
    [
      'an expectation of the simple shape',
      'expected:\n  behavior:\n    - approval_requestd\n    - {tool_used: true}',
      [
        '5: expected.behavior[0]: unknown expectation "approval_requestd" (did you mean "approval_requested"?)',
        '6: expected.behavior[1].tool_used: expected what is meant (such as "tool_used: write")',
      ],
    ],
    [
      'paths that lead out of the workspace',
      'behavior:\n  contentExpectations:\n    - filePath: ../../etc/passwd\n    - filePath: /etc/passwd\n    - filePath: .git/config\nsetup:\n  - {action: write, file: "C:\\\\a", content: x}',
      [
        '5: behavior.contentExpectations[0].filePath: "../../etc/passwd" leads out of the workspace (paths start at the workspace of the run)',
        '6: behavior.contentExpectations[1].filePath: "/etc/passwd" leads out of the workspace (paths start at the workspace of the run)',
        '7: behavior.contentExpectations[2].filePath: ".git/config" lies in .git, which belongs to the run',
        '9: setup[0].file: "C:\\\\a" leads out of the workspace (paths start at the workspace of the run)',
      ],
    ],
    [
      'steps of setup',
      'setup:\n  - {action: run, file: a}\n  - {action: write, file: a}\n  - {action: mkdir, file: a, content: x}\n  - x',
      [
        '4: setup[0].action: expected one of "write", "delete", "mkdir", got "run"',
        '5: setup[1].content: required',
        '6: setup[2].content: means nothing to the action "mkdir"',
        '7: setup[3]: expected a step such as {action: write, file: a.txt, content: Hello}, got "x"',
      ],
    ],
    [
      'a workspace that is not there',
      'workspace: nowhere',
      ['3: workspace: folder "nowhere" not found (the path starts in the folder "tests")'],
    ],
    [
      'attachments',
      'attachments: [a.png]',
      [
        '3: attachments: are not sent to an agent in a session (put the files into the workspace and name them in the prompt)',
      ],
    ],
    [
      'an assertion',
      'assert:\n  - {type: contain, value: x}',
      ['4: assert[0].type: unknown assertion type "contain" (did you mean "contains"?)'],
    ],
  ])('%s', async (_, yaml, problems) => {
    expect(await problemsIn(HEAD + yaml)).toEqual(problems)
  })
})

describe('what is asked', () => {
  test.each<[string, string, string[]]>([
    ['no id', 'prompt: x', ['1: id: required']],
    [
      'an id that is a number',
      'id: 7\nprompt: x',
      ['1: id: expected a text that is not empty, got 7 (write "7" in quotes)'],
    ],
    ['no prompt', 'id: a\nbehavior: {}', ['1: prompt: required']],
    [
      'a prompt by another name',
      'id: a\npromt: x\nbehavior: {}',
      [
        '2: promt: unknown field (did you mean "prompt"?)',
        '1: prompt: required (found "promt": did you mean "prompt"?)',
      ],
    ],
    ['an empty prompt', 'id: a\nprompt: ""', ['2: prompt: expected a text that is not empty, got ""']],
    ['no turns', 'id: a\nprompts: []', ['2: prompts: expected at least one turn, got an empty list']],
    [
      'prompt and prompts',
      'id: a\nprompt: x\nprompts: [{text: y}]',
      ['2: prompt: cannot be given beside "prompts" (choose one of them)'],
    ],
    [
      'turns',
      'id: a\nprompts:\n  - {txt: x}\n  - {text: x, delayMs: -1}\n  - 5\n  - {text: [x]}',
      [
        '3: prompts[0].txt: unknown field (did you mean "text"?)',
        '3: prompts[0].text: required (found "txt": did you mean "text"?)',
        '4: prompts[1].delayMs: expected milliseconds from 0 up to a day, or a text such as "30s", got -1',
        '5: prompts[2]: expected a turn such as {text: Hello}, got 5',
        '6: prompts[3].text: expected a text that is not empty, got a list',
      ],
    ],
    [
      'a first turn that waits',
      'id: a\nprompts: [{text: x, onlyWhenAsked: true}]',
      ['2: prompts[0].onlyWhenAsked: nobody has asked before the first turn'],
    ],
  ])('%s', async (_, yaml, problems) => {
    expect(await problemsIn(yaml)).toEqual(problems)
  })
})

describe('a list of tests', () => {
  test('an id that is there twice, and a test with mistakes that hides no other', async () => {
    const { problems, cases } = await loadYaml(
      'tests:\n  - {id: a, prompt: x}\n  - id: a\n    prompt: y\n  - id: b\n    promt: z\n  - {id: c, prompt: z}\n  - 7\n',
    )
    expect(problems).toEqual([
      'tests/test.yaml:8: tests[4]: expected a test, got 7',
      'tests/test.yaml:3: tests[1].id: "a" is already the id of the test in line 2 (ids must be unique in a file)',
      'tests/test.yaml:6: tests[2].promt: unknown field (did you mean "prompt"?)',
      'tests/test.yaml:5: tests[2].prompt: required (found "promt": did you mean "prompt"?)',
    ])
    expect(cases.map(({ id }) => id)).toEqual(['a', 'c'])
  })

  test.each<[string, string, string]>([
    ['an empty list', 'tests: []', 'tests/test.yaml:1: tests: expected at least one test, got an empty list'],
    ['no list', 'tests: {a: 1}', 'tests/test.yaml:1: tests: expected a list, got an object'],
    [
      'fields that belong to a test',
      'agent: build\ntests: [{id: a, prompt: x}]',
      'tests/test.yaml:1: agent: unknown field (known fields: name, description, tests, test_cases, critical, gate)',
    ],
  ])('%s', async (_, yaml, problem) => {
    expect((await loadYaml(yaml)).problems).toEqual([problem])
  })
})

test('what is known and means nothing here is told of', async () => {
  const { warnings, problems } = await loadYaml(`${HEAD}behavior:\n  debug: {logToolDetails: true}`)
  expect(problems).toEqual([])
  expect(warnings).toEqual([
    'tests/test.yaml:4: behavior.debug: not used here (use --verbose, and the session that is kept beside the results)',
  ])
})
