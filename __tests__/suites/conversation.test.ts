import { describe, expect, test } from 'vitest'
import { casesOf, described, jsonLines, loadText } from './folder.ts'

const assert = { type: 'contains', value: 'x' }
const simulator = { use: 'users.hasty' }
const one = { id: 'one', assert }
const good = { id: 'a', input: 'Hello', simulator, checkpoints: [one] }

describe('a conversation', () => {
  test('is read whole', async () => {
    const record = {
      ...good,
      simulator: { use: 'users.hasty', options: { metadata: { persona: 'p', goal: 'g', mood: 1 }, connector: 'fast' } },
      checkpoints: [
        {
          id: 'two',
          description: 'd',
          assert: [assert, { type: 'regex', value: 'y' }],
          after: ['one'],
          required: false,
        },
        one,
      ],
      max_turns: 7,
    }
    const loaded = await loadText(jsonLines(record))
    expect(described(loaded)).toEqual([])
    expect(loaded.suites[0]?.warnings).toEqual([])
    expect(casesOf(loaded)[0]?.conversation).toEqual({
      simulator: { agent: 'users.hasty', metadata: { persona: 'p', goal: 'g', mood: 1 }, connector: 'fast' },
      checkpoints: [
        {
          id: 'two',
          description: 'd',
          assertions: [assert, { type: 'regex', value: 'y' }],
          after: ['one'],
          required: false,
        },
        { id: 'one', assertions: [assert], after: [], required: true },
      ],
      maxTurns: 7,
    })
  })

  test('has its defaults, and takes the id of the agent with its prefix, too', async () => {
    const loaded = await loadText(jsonLines({ ...good, simulator: { use: 'agents:users.hasty' } }))
    expect(casesOf(loaded)[0]?.conversation).toEqual({
      simulator: { agent: 'users.hasty', metadata: {} },
      checkpoints: [{ id: 'one', assertions: [assert], after: [], required: true }],
      maxTurns: 20,
    })
  })

  test('is none where nothing of it is set', async () => {
    const loaded = await loadText('{"id":"a","input":"x","simulator":null,"checkpoints":null,"max_turns":null}')
    expect(described(loaded)).toEqual([])
    expect(loaded.suites[0]?.warnings).toEqual([])
    expect(casesOf(loaded)[0]?.conversation).toBeUndefined()
  })

  test('resolves the files of its input', async () => {
    const input = { content: [{ type: 'file', source: 'file://a.txt' }] }
    const loaded = await loadText(jsonLines({ ...good, input }), { 'a.txt': 'text' })
    expect(casesOf(loaded)[0]).toMatchObject({
      messages: [{ content: [{ type: 'file', file: { url: 'data:text/plain;base64,dGV4dA==' } }] }],
      conversation: { maxTurns: 20 },
    })
  })
})

describe('mistakes', () => {
  const NO_SIMULATOR = '(such as {"use": "ID OF THE AGENT THAT PLAYS THE USER"})'
  const point = (rest: object) => ({ checkpoints: [{ ...one, ...rest }] })

  test.each<[string, object, string[]]>([
    ['no simulator', { simulator: undefined }, [`simulator: required beside "checkpoints" ${NO_SIMULATOR}`]],
    [
      'no checkpoints',
      { checkpoints: undefined },
      [
        'checkpoints: required beside "simulator" (such as [{"id": "greeted", "assert": {"type": "contains", "value": "hello"}}])',
      ],
    ],
    ['empty checkpoints', { checkpoints: [] }, ['checkpoints: expected at least one checkpoint, got an empty list']],
    ['checkpoints that are no list', { checkpoints: 'c' }, ['checkpoints: expected a list, got "c"']],
    [
      'a checkpoint that is no object',
      { checkpoints: ['c'] },
      ['checkpoints[0]: expected a checkpoint (an object), got "c"'],
    ],
    ['a simulator that is no object', { simulator: 's' }, ['simulator: expected an object, got "s"']],
    [
      'a simulator that names nobody',
      { simulator: {} },
      ['simulator.use: required (the id of the agent that plays the user)'],
    ],
    ['an empty name', { simulator: { use: '' } }, ['simulator.use: expected the id of an agent, got ""']],
    [
      'a prefix without a name',
      { simulator: { use: 'agents: ' } },
      ['simulator.use: expected the id of an agent, got "agents: "'],
    ],
    ['a name that is no text', { simulator: { use: 5 } }, ['simulator.use: expected the id of an agent, got 5']],
    [
      'options that are no object',
      { simulator: { ...simulator, options: 1 } },
      ['simulator.options: expected an object, got 1'],
    ],
    [
      'options of wrong types',
      { simulator: { ...simulator, options: { connector: 1, metadata: { persona: 1, goal: [] } } } },
      [
        'simulator.options.connector: expected a string, got 1',
        'simulator.options.metadata.persona: expected a string, got 1',
        'simulator.options.metadata.goal: expected a string, got a list',
      ],
    ],
    ['no id', point({ id: undefined }), ['checkpoints[0].id: required']],
    ['an empty id', point({ id: '' }), ['checkpoints[0].id: expected a string that is not empty, got ""']],
    ['an id that is no text', point({ id: 1 }), ['checkpoints[0].id: expected a string that is not empty, got 1']],
    [
      'an id in the wrong case',
      { checkpoints: [{ ID: 'one', assert }] },
      ['checkpoints[0].id: required (found "ID": field names are lower case)'],
    ],
    [
      'an id twice',
      { checkpoints: [one, { id: 'two', assert }, one] },
      ['checkpoints[2].id: "one" is already the id of checkpoints[0]'],
    ],
    ['no assertion', point({ assert: undefined }), ['checkpoints[0].assert: required']],
    [
      'an empty list',
      point({ assert: [] }),
      ['checkpoints[0].assert: expected at least one assertion, got an empty list'],
    ],
    [
      'a bad assertion',
      point({ assert: { type: 'contain', value: 'x' } }),
      ['checkpoints[0].assert.type: unknown assertion type "contain" (did you mean "contains"?)'],
    ],
    [
      'a bad assertion in a list',
      { checkpoints: [one, { id: 'two', assert: [assert, { type: 'regex', value: '(?<=x)' }] }] },
      ['checkpoints[1].assert[1].value: not an RE2 pattern: error parsing regexp: invalid named capture: `(?<=x)`'],
    ],
    [
      'a description that is no text',
      point({ description: 1 }),
      ['checkpoints[0].description: expected a string, got 1'],
    ],
    [
      'required that is no boolean',
      point({ required: 'yes' }),
      ['checkpoints[0].required: expected true or false, got "yes"'],
    ],
    [
      'after that is no list',
      point({ after: 'two' }),
      ['checkpoints[0].after: expected a list of ids, got "two" (write ["two"])'],
    ],
    [
      'after of something else',
      point({ after: [1] }),
      ['checkpoints[0].after[0]: expected the id of a checkpoint, got 1'],
    ],
    [
      'after an id that there is not',
      {
        checkpoints: [
          { id: 'greeting', assert },
          { id: 'two', assert, after: ['greting', 'zzzzzz'] },
        ],
      },
      [
        'checkpoints[1].after[0]: there is no checkpoint "greting" (did you mean "greeting"?)',
        'checkpoints[1].after[1]: there is no checkpoint "zzzzzz" (ids are greeting, two)',
      ],
    ],
    [
      'after itself',
      point({ after: ['one'] }),
      ['checkpoints[0].after: can never be reached, for it comes after itself: one, after one'],
    ],
    [
      'a ring, and one that only waits for it',
      {
        checkpoints: [
          { id: 'waits', assert, after: ['b'] },
          { id: 'a', assert, after: ['c'] },
          { id: 'b', assert, after: ['a'] },
          { id: 'c', assert, after: ['free', 'b'] },
          { id: 'free', assert },
        ],
      },
      ['checkpoints[1].after: can never be reached, for it comes after itself: a, after c, after b, after a'],
    ],
    ['max_turns that is no number', { max_turns: '3' }, ['max_turns: expected a number, got "3"']],
    ...[0, -1, 1.5, 101, 1e300].map((turns): [string, object, string[]] => [
      `max_turns ${turns}`,
      { max_turns: turns },
      [`max_turns: expected a whole number from 1 to 100, got ${turns}`],
    ]),
    [
      'more checkpoints than anybody reads',
      { checkpoints: Array.from({ length: 101 }, (_, index) => ({ id: `c${index}`, assert })) },
      ['checkpoints: expected at most 100 checkpoints, got 101'],
    ],
  ])('%s', async (_, rest, problems) => {
    const loaded = await loadText(`\n${jsonLines({ ...good, ...rest })}`)
    expect(described(loaded)).toEqual(problems.map((text) => `cases.jsonl:2: ${text}`))
    expect(casesOf(loaded)).toEqual([])
  })

  test('all at once, also those of a case that is skipped', async () => {
    const bad = { simulator: { use: 1 }, checkpoints: [{ id: 'a', assert: 'x', after: ['b'] }], max_turns: 0 }
    const loaded = await loadText(
      jsonLines({ ...good, ...bad, skip: true }, { ...good, id: 'b', simulator: undefined }),
    )
    expect(loaded.problems.map(({ line, field }) => [line, field])).toEqual([
      [1, 'max_turns'],
      [1, 'simulator.use'],
      [1, 'checkpoints[0].assert'],
      [1, 'checkpoints[0].after[0]'],
      [2, 'simulator'],
    ])
  })
})

describe('warnings', () => {
  test.each<[string, object, string]>([
    [
      'an unknown field of the simulator',
      { simulator: { ...simulator, uses: 1 } },
      'simulator.uses: unknown field, ignored (did you mean "use"?)',
    ],
    [
      'an unknown option',
      { simulator: { ...simulator, options: { conector: 'x' } } },
      'simulator.options.conector: unknown field, ignored (did you mean "connector"?)',
    ],
    [
      'an unknown field of a checkpoint',
      { checkpoints: [{ ...one, requred: true }] },
      'checkpoints[0].requred: unknown field, ignored (did you mean "required"?)',
    ],
    [
      'a check that cannot fail',
      { checkpoints: [{ ...one, assert: { type: 'contains', value: '' } }] },
      'checkpoints[0].assert: an empty text is contained in every output',
    ],
    [
      'nothing that is required',
      { checkpoints: [{ ...one, required: false }] },
      'checkpoints: none is required, so that no conversation can fail by them',
    ],
    [
      'checkpoints of nobody',
      { simulator: undefined, checkpoints: [] },
      'checkpoints: an empty list: nothing to reach',
    ],
    [
      'turns of nobody',
      { simulator: undefined, checkpoints: undefined, max_turns: 3 },
      'max_turns: means nothing without a simulator',
    ],
  ])('%s', async (_, rest, warning) => {
    const loaded = await loadText(jsonLines({ ...good, ...rest }))
    expect(described(loaded)).toEqual([])
    expect(loaded.suites[0]?.warnings).toEqual([`cases.jsonl:1: ${warning}`])
  })
})

test('a chain of as many checkpoints as may be is read in good time', async () => {
  const checkpoints = Array.from({ length: 100 }, (_, index) => ({
    id: `c${index}`,
    assert,
    ...(index < 99 ? { after: [`c${index + 1}`] } : {}),
  }))
  const loaded = await loadText(jsonLines({ ...good, checkpoints }))
  expect(described(loaded)).toEqual([])
})
