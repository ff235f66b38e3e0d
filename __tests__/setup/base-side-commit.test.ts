import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openRepository } from '../../src/git/index.ts'
import { githubContext } from '../../src/github/context.ts'
import { type BaseRef, findBaseCommit } from '../../src/setup/base-side/base-commit.ts'
import { baseRefOf } from '../../src/setup/base-side.ts'
import { fakeHost } from '../support/fake-host.ts'
import { checkoutAt, originWith, pullRequest, shallowCheckout } from '../support/git-project.ts'

type Names = Readonly<Record<'base' | 'forkedAt' | 'head' | 'merge' | 'unknown', string>>

interface Row {
  readonly situation: string
  /** What is checked out in place of the merge commit. */
  readonly ref?: string
  /** With its whole history. */
  readonly whole?: boolean
  readonly known: (it: Names) => BaseRef
  readonly named?: (it: Names) => string
  readonly expected: keyof Names | RegExp
}

const pullRef = ({ head, forkedAt }: Names): BaseRef => {
  return { eventName: 'pull_request', headSha: head, baseSha: forkedAt, baseBranch: 'main' }
}
const HEAD_OF_PULL = 'refs/pull/1/head'

describe('the commit that a change is compared with', () => {
  let [root, checkouts] = ['', 0]
  let origin: ReturnType<typeof originWith>
  let commits: ReturnType<typeof pullRequest>
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'agent-test-'))
    origin = originWith(root, { 'a.txt': 'a' })
    commits = pullRequest(origin.author, { 'a.txt': 'b' }, { onMain: { 'm.txt': 'm' } })
  })
  afterAll(() => rmSync(root, { recursive: true, force: true }))

  test.each<Row>([
    { situation: 'the other parent of the merge commit, whatever the event says', known: pullRef, expected: 'base' },
    {
      situation: 'the same without a base in the event',
      known: ({ head }) => ({ eventName: 'pull_request', headSha: head }),
      expected: 'base',
    },
    { situation: 'where the head itself parted', ref: HEAD_OF_PULL, known: pullRef, expected: 'forkedAt' },
    {
      situation: 'where it parted, of a base branch that went on',
      ref: HEAD_OF_PULL,
      known: ({ head, base }) => ({ eventName: 'pull_request', headSha: head, baseSha: base }),
      expected: 'forkedAt',
    },
    {
      situation: 'where it parted, of a branch by its name alone',
      ref: HEAD_OF_PULL,
      known: ({ head }) => ({ eventName: 'pull_request', headSha: head, baseBranch: 'main' }),
      expected: 'forkedAt',
    },
    {
      situation: 'the same in a whole clone',
      ref: HEAD_OF_PULL,
      whole: true,
      known: ({ head }) => ({ eventName: 'pull_request', headSha: head, baseBranch: 'main' }),
      expected: 'forkedAt',
    },
    {
      situation: 'the base of a merge queue, a parent of what is tested',
      known: ({ base, merge }) => ({ eventName: 'merge_group', headSha: merge, baseSha: base, baseBranch: 'main' }),
      expected: 'base',
    },
    {
      situation: 'the commit before a push, though the two have nothing between them',
      ref: 'refs/heads/main',
      known: ({ forkedAt, base }) => ({ eventName: 'push', headSha: base, baseSha: forkedAt, baseBranch: 'main' }),
      expected: 'forkedAt',
    },
    {
      situation: 'the baseline, where nothing was changed on the base branch (schedule)',
      ref: 'refs/heads/main',
      known: ({ base, forkedAt }) => {
        return { eventName: 'schedule', headSha: base, baseBranch: 'main', baselineCommit: forkedAt }
      },
      expected: 'forkedAt',
    },
    { situation: 'the baseline, outside of GitHub', known: ({ base }) => ({ baselineCommit: base }), expected: 'base' },
    {
      situation: 'none: the baseline is of this very commit',
      known: ({ merge }) => ({ baselineCommit: merge }),
      expected: /name one with control-base/,
    },
    { situation: 'none is known', known: () => ({}), expected: /name one with control-base/ },
    {
      situation: 'none: the tested one is the tip of its base',
      ref: 'refs/heads/main',
      known: ({ base }) => ({ eventName: 'schedule', headSha: base, baseBranch: 'main' }),
      expected: /itself the one/,
    },
    {
      situation: 'the baseline, where the event names a commit that nobody has',
      ref: HEAD_OF_PULL,
      known: ({ head, unknown, base }) => ({ headSha: head, baseSha: unknown, baselineCommit: base }),
      expected: 'base',
    },
    {
      situation: 'none: the event names a commit that nobody has',
      ref: HEAD_OF_PULL,
      known: ({ head, unknown }) => ({ headSha: head, baseSha: unknown }),
      expected: /its history cannot be fetched/,
    },
    {
      situation: 'none: the branch has the name of an option',
      ref: HEAD_OF_PULL,
      known: ({ head }) => ({ headSha: head, baseBranch: '--upload-pack=touch x' }),
      expected: /"--upload-pack=touch x" is no name of a branch/,
    },
    { situation: 'the one that is named', known: pullRef, named: ({ forkedAt }) => forkedAt, expected: 'forkedAt' },
    {
      situation: 'the one that is named in capitals',
      known: pullRef,
      named: ({ forkedAt }) => forkedAt.toUpperCase(),
      expected: 'forkedAt',
    },
    { situation: 'a branch that is named', known: pullRef, named: () => 'main', expected: 'base' },
    {
      situation: 'a branch that is named, in a whole clone',
      whole: true,
      known: pullRef,
      named: () => 'main',
      expected: 'base',
    },
    {
      situation: 'an ancestor that is named',
      whole: true,
      known: pullRef,
      named: () => 'HEAD^2~1',
      expected: 'forkedAt',
    },
    {
      situation: 'a short name of a commit',
      whole: true,
      known: pullRef,
      named: ({ forkedAt }) => forkedAt.slice(0, 9),
      expected: 'forkedAt',
    },
    {
      situation: 'a branch that is not there',
      known: pullRef,
      named: () => 'nowhere',
      expected: /"nowhere" is not known/,
    },
    { situation: 'no name at all', known: pullRef, named: () => '-x', expected: /"-x" is not known/ },
  ])('$situation', async ({ ref, whole, known, named, expected }) => {
    checkouts += 1
    const path = join(root, `checkout-${checkouts}`)
    if (whole) checkoutAt(root).git('clone', '-q', origin.url, path)
    const at = ref ?? 'refs/pull/1/merge'
    const checkout = whole ? checkoutAt(path) : shallowCheckout(path, { url: origin.url, ref: at })
    if (whole) {
      checkout.git('fetch', '-q', 'origin', at)
      checkout.git('checkout', '-q', '--detach', 'FETCH_HEAD')
    }
    const names: Names = { ...commits, merge: checkout.git('rev-parse', 'HEAD'), unknown: '1'.repeat(40) }
    const repository = await openRepository(path, fakeHost())
    if ('reason' in repository) throw new Error(repository.reason)
    const found = await findBaseCommit(repository, known(names), named?.(names))
    await repository.dispose()
    if (expected instanceof RegExp) expect(found).toEqual({ reason: expect.stringMatching(expected) })
    else expect(found).toEqual({ commit: names[expected] })
  })
})

describe('what GitHub tells', () => {
  const sha = (digit: string) => digit.repeat(40)
  const baseline = {
    kind: 'ok' as const,
    source: 'x',
    baseline: { schemaVersion: 2 as const, createdAt: '', commit: sha('c'), sessions: [], cases: [] },
  }
  const env = { GITHUB_REPOSITORY: 'o/r', GITHUB_SHA: sha('d') }

  test.each([
    {
      situation: 'a pull request',
      env: { GITHUB_EVENT_NAME: 'pull_request', GITHUB_REF: 'refs/pull/1/merge' },
      event: { pull_request: { number: 1, head: { ref: 'x', sha: sha('A') }, base: { ref: 'dev', sha: sha('b') } } },
      expected: { headSha: sha('a'), baseSha: sha('b'), baseBranch: 'dev', isBaseBranch: false },
    },
    {
      situation: 'a push to the default branch',
      env: { GITHUB_EVENT_NAME: 'push', GITHUB_REF: 'refs/heads/main' },
      event: { before: sha('b'), repository: { default_branch: 'main' } },
      expected: { headSha: sha('d'), baseSha: sha('b'), baseBranch: 'main', isBaseBranch: true },
    },
    {
      situation: 'a push to another branch, its first',
      env: { GITHUB_EVENT_NAME: 'push', GITHUB_REF: 'refs/heads/x' },
      event: { before: sha('0'), repository: { default_branch: 'main' } },
      expected: { headSha: sha('d'), baseBranch: 'main', isBaseBranch: false },
    },
  ])('of $situation', ({ env: more, event, expected }) => {
    const context = githubContext({ ...env, ...more }, event)
    const common = { eventName: more.GITHUB_EVENT_NAME, serverUrl: 'https://github.com', baselineCommit: sha('c') }
    expect(baseRefOf(context, baseline)).toEqual({ ...common, ...expected })
  })

  test('and the baseline alone elsewhere, where its commit is one', () => {
    expect(baseRefOf(undefined, baseline)).toEqual({ baselineCommit: sha('c') })
    const hostile = { ...baseline, baseline: { ...baseline.baseline, commit: '--upload-pack=x' } }
    expect(baseRefOf(undefined, hostile)).toEqual({})
    expect(baseRefOf(undefined, { kind: 'none', detail: '' })).toEqual({})
  })
})
