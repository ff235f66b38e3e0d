import { describe, expect, test } from 'vitest'
import { createRedactor, secretsOfEnvironment } from '../../src/lib/redact.ts'

const SECRET = 'correct horse/battery'

describe('redactor', () => {
  test.each([
    ['itself', `key is ${SECRET}.`, 'key is [redacted].'],
    ['more than once', `${SECRET}${SECRET}`, '[redacted][redacted]'],
    ['in a URL', `https://x.test/?k=${encodeURIComponent(SECRET)}`, 'https://x.test/?k=[redacted]'],
    ['in Base64', Buffer.from(SECRET).toString('base64'), '[redacted]'],
    ['not there', 'nothing to hide', 'nothing to hide'],
  ])('replaces a known secret: %s', (_, text, expected) => {
    const redactor = createRedactor()
    redactor.add(SECRET)
    expect(redactor.redact(text)).toBe(expected)
  })

  test.each([
    ['an OpenAI key', 'sk-proj-abcdefghijklmnop1234'],
    ['a GitHub token', `ghp_${'a1B2'.repeat(9)}`],
    ['a fine-grained GitHub token', `github_pat_${'a1B2_'.repeat(8)}`],
    ['a Slack token', 'xoxb-1234567890-abcdef'],
    ['an AWS key id', 'AKIAIOSFODNN7EXAMPLE'],
    ['a JWT', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N'],
    ['a private key', '-----BEGIN RSA PRIVATE KEY-----\nMIIabc\n-----END RSA PRIVATE KEY-----'],
  ])('replaces what has the shape of %s, unknown to us', (_, key) => {
    expect(createRedactor().redact(`before ${key} after`)).toBe('before [redacted] after')
  })

  test.each(['short', '', '   ', undefined])('does not take %j for a secret', (value) => {
    const redactor = createRedactor()
    redactor.add(value)
    expect(redactor.redact('a short word')).toBe('a short word')
  })

  test('leaves nothing of a secret that contains another', () => {
    const redactor = createRedactor()
    redactor.add('passphrase')
    redactor.add('passphrase-and-more')
    expect(redactor.redact('passphrase-and-more')).toBe('[redacted]')
  })

  test('stays linear on a megabyte of almost-keys', () => {
    const started = performance.now()
    createRedactor().redact(`${'sk-abc '.repeat(150_000)}-----BEGIN ${'A '.repeat(50_000)}`)
    expect(performance.now() - started).toBeLessThan(2_000)
  })
})

test('takes the values of variables whose names say secret', () => {
  const env = {
    OPENAI_API_KEY: 'k1',
    GITHUB_TOKEN: 't1',
    PATH: '/bin',
    DB_PASSWORD: 'p1',
    KEYBOARD: 'kb',
    EMPTY: undefined,
  }
  expect(secretsOfEnvironment(env)).toEqual(['k1', 't1', 'p1', 'kb'])
})
