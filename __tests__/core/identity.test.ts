import { describe, expect, test } from 'vitest'
import { resolveIdentity } from '../../src/core/identity.ts'

const flags = { user: 'flag-user', team: 'flag-team' }
const context = {
  authorized: { user_id: 'ctx-user', team_id: 'ctx-team', sub: 'ctx-sub', tenant_id: 'ctx-tenant', scope: 'all' },
}
const record = { user: 'case-user', team: 'case-team' }

describe('who is asking', () => {
  test.each([
    ['nothing given', { flags: {} }, ['test-user', 'test-team', 'test-user', 'test-team']],
    ['the case', { flags: {}, case: record }, ['case-user', 'case-team', 'case-user', 'case-team']],
    [
      'the ctx file over the case',
      { flags: {}, context, case: record },
      ['ctx-user', 'ctx-team', 'ctx-sub', 'ctx-tenant'],
    ],
    ['flags over all', { flags, context, case: record }, ['flag-user', 'flag-team', 'flag-user', 'flag-team']],
    [
      'one flag, the rest from the ctx file',
      { flags: { user: 'u' }, context, case: record },
      ['u', 'ctx-team', 'u', 'ctx-tenant'],
    ],
    [
      'a ctx file that names only the user',
      { flags: {}, context: { authorized: { user_id: 'ctx-user' } }, case: record },
      ['ctx-user', 'case-team', 'ctx-user', 'case-team'],
    ],
    [
      'empty texts and other types in the ctx file count as not given',
      { flags: {}, context: { authorized: { user_id: '', team_id: 5, sub: null, tenant_id: [] } }, case: record },
      ['case-user', 'case-team', 'case-user', 'case-team'],
    ],
  ])('%s', (_, sources, [user, team, sub, tenant]) => {
    const identity = resolveIdentity(sources)
    expect(identity).toMatchObject({ user, team })
    expect(identity.authorized).toMatchObject({ sub, user_id: user, team_id: team, tenant_id: tenant })
  })

  test('what else the ctx file authorises is kept', () => {
    expect(resolveIdentity({ flags: {}, context }).authorized['scope']).toBe('all')
  })
})

describe('the rest of the environment', () => {
  test('has the defaults of the documentation', () => {
    expect(resolveIdentity({ flags: {} })).toEqual({
      user: 'test-user',
      team: 'test-team',
      locale: 'en-us',
      referer: 'test',
      accept: 'standard',
      client: { type: 'test', user_agent: 'yao-agent-test/1.0', ip: '127.0.0.1' },
      authorized: { sub: 'test-user', user_id: 'test-user', team_id: 'test-team', tenant_id: 'test-team' },
      metadata: {},
    })
  })

  test('is taken from the ctx file field by field', () => {
    const identity = resolveIdentity({
      flags: {},
      context: { locale: 'de', referer: 'web', chat_id: 'chat-1', client: { ip: '10.0.0.1' } },
    })
    expect(identity).toMatchObject({ locale: 'de', referer: 'web', chatId: 'chat-1' })
    expect(identity.client).toEqual({ type: 'test', user_agent: 'yao-agent-test/1.0', ip: '10.0.0.1' })
  })

  test('metadata: the ctx file over the case, and in it the options over the rest', () => {
    const { metadata } = resolveIdentity({
      flags: {},
      context: { metadata: { c: 'ctx' } },
      case: { metadata: { a: 'case', b: 'case', c: 'case' }, options: { metadata: { b: 'options', c: 'options' } } },
    })
    expect(metadata).toEqual({ a: 'case', b: 'options', c: 'ctx' })
  })

  test('a key called __proto__ in the ctx file stays a key', () => {
    const hostile = JSON.parse('{"authorized":{"__proto__":{"admin":true}},"metadata":{"__proto__":{"admin":true}}}')
    const identity = resolveIdentity({ flags: {}, context: hostile })
    expect('admin' in identity.authorized).toBe(false)
    expect('admin' in identity.metadata).toBe(false)
    expect('admin' in {}).toBe(false)
  })
})
