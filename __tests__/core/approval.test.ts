import { describe, expect, test } from 'vitest'
import { type ApprovalRequest, decide, operationOf } from '../../src/core/approval.ts'
import type { ApprovalPolicy, SmartApproval } from '../../src/core/session.ts'

function request(overrides: Partial<ApprovalRequest> = {}): ApprovalRequest {
  return { tool: 'bash', permission: 'bash', patterns: ['npm test'], metadata: { command: 'npm test' }, ...overrides }
}

function smart(overrides: Partial<SmartApproval> = {}): SmartApproval {
  const none = { allowedTools: [], deniedTools: [], approvePatterns: [], denyPatterns: [] }
  return { kind: 'smart', ...none, defaultDecision: false, learn: false, ...overrides }
}

describe('an approval policy decides', () => {
  const chain = request({ patterns: ['npm test', 'rm -rf .'], metadata: { command: 'npm test && rm -rf .' } })
  const write = request({
    tool: 'write',
    permission: 'edit',
    patterns: ['src/a.ts'],
    metadata: { filepath: 'src/a.ts' },
  })
  const all = { allowedTools: ['bash'], deniedTools: ['bash'], maxApprovals: 1, defaultDecision: true }
  test.each<[string, ApprovalPolicy, ApprovalRequest, number, boolean, string]>([
    ['approve: everything', { kind: 'approve' }, request(), 99, true, 'everything is approved'],
    ['deny: everything', { kind: 'deny' }, request(), 0, false, 'everything is denied'],
    ['1. the most approvals, before all else', smart(all), request(), 1, false, '1 approvals are the most'],
    [
      '   and not before they are reached',
      smart({ ...all, deniedTools: [] }),
      request(),
      0,
      true,
      'the tool bash is allowed',
    ],
    [
      '   none at all may be given',
      smart({ maxApprovals: 0, defaultDecision: true }),
      request(),
      0,
      false,
      '0 approvals are the most',
    ],
    [
      '2. a denied tool, before an allowed one',
      smart({ ...all, maxApprovals: 9 }),
      request(),
      0,
      false,
      'the tool bash is denied',
    ],
    [
      '3. an allowed tool, before a deny pattern',
      smart({ allowedTools: ['bash'], denyPatterns: ['rm'] }),
      chain,
      0,
      true,
      'the tool bash is allowed',
    ],
    [
      '   by the name of its permission as well',
      smart({ deniedTools: ['edit'], defaultDecision: true }),
      write,
      0,
      false,
      'the tool edit is denied',
    ],
    ['   by the name of the tool', smart({ allowedTools: ['write'] }), write, 0, true, 'the tool write is allowed'],
    [
      '4. a deny pattern, before an approve pattern',
      smart({ denyPatterns: ['rm -rf'], approvePatterns: ['.'] }),
      chain,
      0,
      false,
      'it matches the deny pattern rm -rf',
    ],
    [
      '   in the metadata, however deep',
      smart({ denyPatterns: ['secret'], defaultDecision: true }),
      request({ metadata: { more: [{ text: 'a secret' }] } }),
      0,
      false,
      'it matches the deny pattern secret',
    ],
    [
      '   in the title',
      smart({ denyPatterns: ['^Run'], defaultDecision: true }),
      request({ title: 'Run it' }),
      0,
      false,
      'it matches the deny pattern ^Run',
    ],
    [
      '5. an approve pattern',
      smart({ approvePatterns: ['^npm '] }),
      request(),
      0,
      true,
      'it matches the approve pattern ^npm ',
    ],
    [
      '   does not cover a second command',
      smart({ approvePatterns: ['^npm '] }),
      chain,
      0,
      false,
      'by default it is denied',
    ],
    [
      '   where nothing is listed, in title or metadata',
      smart({ approvePatterns: ['docs/'] }),
      request({ patterns: [], metadata: { path: 'docs/a.md' } }),
      0,
      true,
      'it matches the approve pattern docs/',
    ],
    ['6. the default', smart({ defaultDecision: true }), request(), 0, true, 'by default it is approved'],
    [
      '   a pattern that would take others ages',
      smart({ denyPatterns: ['(a+)+$'] }),
      request({ patterns: [`${'a'.repeat(5_000)}!`] }),
      0,
      false,
      'by default it is denied',
    ],
  ])('%s', (_, policy, asked, approvals, approved, because) => {
    expect(decide(policy, asked, { approvals })).toEqual({ approved, because })
  })

  test.each<[string, Partial<SmartApproval>, boolean]>([
    ['what was approved on the base branch is approved again', { learn: true }, true],
    ['only when that is asked for', { learn: false }, false],
    ['not against a rule', { learn: true, denyPatterns: ['npm'] }, false],
    ['not past the most approvals', { learn: true, maxApprovals: 0 }, false],
  ])('learned: %s', (_, policy, approved) => {
    const learned = new Set([operationOf(request())])
    expect(decide(smart(policy), request(), { approvals: 0, learned }).approved).toBe(approved)
  })

  test('an operation is known by what is asked, in any order, and by nothing else', () => {
    const asked = { permission: 'bash', patterns: ['a', 'b'] }
    expect(operationOf({ permission: 'bash', patterns: ['b', 'a'] })).toBe(operationOf(asked))
    expect(operationOf({ permission: 'bash', patterns: ['a'] })).not.toBe(operationOf(asked))
    expect(operationOf({ permission: 'edit', patterns: ['a', 'b'] })).not.toBe(operationOf(asked))
  })
})
