import { expect, test } from 'vitest'
import type { ContextFile } from '../../src/core/identity.ts'
import { environmentText } from '../../src/render/environment.ts'
import { aCase } from '../support/builders.ts'

const plain = aCase()
const other = aCase({ id: 'b', user: 'ann', team: 'ops' })
const skipped = aCase({ id: 'c', user: 'ann', skip: 'skipped in the suite' })

test.each<[string, Parameters<typeof environmentText>, string]>([
  ['defaults', [{ flags: {} }, [plain, skipped]], 'user test-user, team test-team, locale en-us'],
  [
    'cases of their own outrank defaults',
    [{ flags: {} }, [plain, other]],
    'user test-user (1 case with another), team test-team (1 case with another), locale en-us',
  ],
  [
    'flags outrank the cases',
    [{ flags: { user: 'bob', team: 'dev' } }, [other]],
    'user bob (given), team dev (given), locale en-us',
  ],
  [
    'so does the ctx file, whose words a flag outranks',
    [
      {
        flags: { team: 'dev' },
        context: {
          authorized: { user_id: 'eve', team_id: 'x' },
          locale: 'de-de',
          client: { type: 'web' },
        } satisfies ContextFile,
      },
      [other],
    ],
    'user eve (ctx file), team dev (given), locale de-de (ctx file), client web at 127.0.0.1 (ctx file)',
  ],
  [
    'also where the ctx file says what the default is',
    [{ flags: {}, context: { authorized: { user_id: 'test-user' } } }, [other]],
    'user test-user (ctx file), team test-team (1 case with another), locale en-us',
  ],
])('%s', (_, args, text) => {
  expect(environmentText(...args)).toBe(text)
})
