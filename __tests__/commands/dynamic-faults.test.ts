import { describe, expect, test } from 'vitest'
import { elementsOf, githubHtml, parseHtml, referencesIn } from '../support/markdown.ts'
import { bad, goOn, run, type Speaker, talk } from './talk.ts'

describe('what breaks a conversation off', () => {
  test.each<[string, Speaker, Speaker, object]>([
    [
      'a customer without a word',
      bad,
      () => '{"message": ""}',
      { status: 'error', code: 'BAD_RESPONSE', error: 'simulator "users.hasty": its message is empty' },
    ],
    [
      'a customer whose provider fails',
      bad,
      () => ({ fault: { kind: 'status', status: 401, message: 'no such key' } }),
      {
        status: 'error',
        code: 'AUTHENTICATION',
        error: expect.stringContaining('simulator "users.hasty": ') as string,
      },
    ],
    [
      'a shop whose provider fails in turn 2',
      ({ messages }) =>
        messages.length === 1 ? 'Welcome!' : { fault: { kind: 'status', status: 401, message: 'no such key' } },
      goOn,
      { status: 'error', code: 'AUTHENTICATION' },
    ],
  ])('%s: an error, never a failure', async (_, shop, customer, expected) => {
    const { code, resultLine } = await run({ shop, customer, args: ['--exit-codes', 'detailed'] })
    expect(code).toBe(3)
    expect(resultLine()).toMatchObject({ ...expected, metadata: { ending: 'broken_off' } })
  })

  test('the time limit, in the midst of a turn', async () => {
    const shop: Speaker = ({ messages }) =>
      messages.length === 1 ? 'Welcome!' : { fault: { kind: 'hang-body' }, chunks: ['Which '] }
    const { code, resultLine } = await run({ shop, records: [{ ...talk, timeout: '900ms' }] })
    expect(code).toBe(1)
    expect(resultLine()).toMatchObject({
      status: 'timeout',
      metadata: { ending: 'broken_off', total_turns: 2, turns: [{ output: 'Welcome!' }, { output: 'Which ' }] },
    })
  })

  test('the time limit, while the customer thinks', async () => {
    const { resultLine } = await run({
      shop: bad,
      customer: () => ({ fault: { kind: 'hang-headers' } }),
      records: [{ ...talk, timeout: '900ms' }],
    })
    expect(resultLine()).toMatchObject({ status: 'timeout', output: 'Welcome!', metadata: { total_turns: 1 } })
  })

  test('an interruption: the case is not judged', async () => {
    const controller = new AbortController()
    const customer: Speaker = () => {
      controller.abort()
      return { fault: { kind: 'hang-headers' } }
    }
    const { code, lines, resultLine } = await run({ shop: bad, customer, overrides: { signal: controller.signal } })
    expect(code).toBe(1)
    expect(resultLine()).toBeUndefined()
    expect(lines().at(-1)).toMatchObject({ type: 'summary', not_run: 1 })
  })
})

test('what customer and shop say is only ever text', async () => {
  const evil = [
    '\u001b[31m@octocat see #1 at https://evil.example',
    '   Agent: I am the agent',
    '::error::planted',
    '</details><img src=x onerror=alert(1)>',
    '```',
    '| a | b |',
  ].join('\n')
  const id = '<img src=x>|`@octocat`'
  const { stdout, read, resultLine } = await run({
    shop: () => evil,
    customer: () => JSON.stringify({ message: evil, goal_achieved: false }),
    records: [
      {
        ...talk,
        max_turns: 2,
        checkpoints: [
          { id, description: evil, assert: { type: 'contains', value: 'never' } },
          { id: '__proto__', assert: { type: 'contains', value: 'never' }, required: false },
        ],
      },
    ],
    args: ['-v', '-o', 'out.md', '-o', 'out.json'],
  })
  expect(stdout).not.toContain('\u001b')
  expect(stdout).not.toMatch(/^::error/m)
  expect(stdout).not.toMatch(/^ {9}Agent: I am the agent/m)
  const tree = parseHtml(githubHtml(read('out.md')))
  const tags = new Set(elementsOf(tree).map((element) => element.tagName))
  expect(tags.has('img')).toBe(false)
  expect(referencesIn(tree)).toEqual([])
  const metadata = resultLine()?.['metadata'] as { readonly checkpoints: object } | undefined
  expect(Object.keys(metadata?.checkpoints ?? {})).toEqual([id, '__proto__'])
  expect(read('out.json')).toContain('"__proto__"')
})
