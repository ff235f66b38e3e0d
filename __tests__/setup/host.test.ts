import { expect, test } from 'vitest'
import { createHost } from '../../src/setup/host.ts'

function hostWith(env: Record<string, string>) {
  const [printed, logged]: [string[], string[]] = [[], []]
  const host = createHost({
    cwd: '/',
    env,
    signal: new AbortController().signal,
    now: () => 0,
    sandboxProgram: '/sandbox.js',
    print: (text) => void printed.push(text),
    log: { info: (message) => void logged.push(message), warn: (message) => void logged.push(message) },
  })
  return { host, printed, logged }
}

test('what is logged cannot steer a terminal; what is printed is left to who prints it', () => {
  const { host, printed, logged } = hostWith({})
  const text = 'a\u001b[31mb\n\u0007c'
  host.print(text)
  host.log.info(text)
  host.log.warn(text)
  expect(printed).toEqual([text])
  expect(logged).toEqual(['ab\nc', 'ab\nc'])
})

test.each([
  { name: 'OPENAI_API_KEY', isSecret: true },
  { name: 'INPUT_GITHUB-TOKEN', isSecret: true },
  { name: 'ACTIONS_RUNTIME_TOKEN', isSecret: true },
  { name: 'INPUT_COMMENT-KEY', isSecret: false },
  { name: 'INPUT_TARGET', isSecret: false },
  { name: 'HOME', isSecret: false },
])('the value of $name is a secret: $isSecret', ({ name, isSecret }) => {
  const { host, printed, logged } = hostWith({ [name]: 'support-bot' })
  host.print('about support-bot')
  host.log.info('about support-bot')
  host.log.warn('about support-bot')
  const expected = isSecret ? 'about [redacted]' : 'about support-bot'
  expect([...printed, ...logged]).toEqual([expected, expected, expected])
})
