import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { openRepository, type Repository } from '../../src/git/index.ts'
import { fakeHost } from '../support/fake-host.ts'
import { type Checkout, checkoutAt, originWith, pullRequest, shallowCheckout } from '../support/git-project.ts'
import { tempFolders } from '../support/temp-folder.ts'

const folder = tempFolders()
const opened: Repository[] = []
afterEach(async () => {
  for (const repository of opened.splice(0)) await repository.dispose()
})

interface World {
  readonly temp: string
  readonly url: string
  readonly author: Checkout
  readonly at: (name: string) => string
}

function world(files: Record<string, string> = { 'agent.txt': 'one\n' }): World {
  const { path, write } = folder()
  write({ 'temp/keep': '' })
  return { ...originWith(path, files), temp: join(path, 'temp'), at: (name) => join(path, name) }
}

async function open(path: string, { temp }: World): Promise<Repository> {
  const host = fakeHost({ env: { PATH: process.env['PATH'], RUNNER_TEMP: temp } })
  const repository = await openRepository(path, host)
  if ('reason' in repository) throw new Error(repository.reason)
  opened.push(repository)
  return repository
}

function given<T extends object>(found: T | { readonly reason: string }): T {
  if ('reason' in found) throw new Error(String(found.reason))
  return found
}

describe('a shallow clone of the merge commit that GitHub makes', () => {
  test('tells its parents, fetches the base and checks it out, and changes nothing of the checkout', async () => {
    const it = world()
    const { head, base, ref } = pullRequest(it.author, { 'agent.txt': 'two\n' }, { onMain: { 'other.txt': 'x\n' } })
    const clone = shallowCheckout(it.at('clone'), { url: it.url, ref })
    const before =
      clone.git('for-each-ref') + clone.git('count-objects', '-v') + readdirSync(it.at('clone/.git')).join()
    const repository = await open(clone.path, it)
    expect(repository.isShallow).toBe(true)
    expect(await repository.parentsOf(repository.head)).toEqual([base, head])
    expect(() => clone.git('cat-file', '-e', base)).toThrow()
    const { path } = given(await repository.addWorktree(base))
    expect(readFileSync(join(path, 'agent.txt'), 'utf8')).toBe('one\n')
    expect(readFileSync(join(path, 'other.txt'), 'utf8')).toBe('x\n')
    expect(basename(path)).toBe('clone')
    expect(checkoutAt(path).git('rev-parse', 'HEAD')).toBe(base)
    expect(checkoutAt(path).git('status', '--porcelain')).toBe('')
    await repository.dispose()
    expect(readdirSync(it.temp)).toEqual(['keep'])
    const after = clone.git('for-each-ref') + clone.git('count-objects', '-v') + readdirSync(it.at('clone/.git')).join()
    expect(after).toBe(before)
  })

  test.each([{ commits: 3 }, { commits: 90 }])(
    'of a head $commits commits away finds where it parted',
    async ({ commits }) => {
      const it = world()
      const { author } = it
      const forked = author.git('rev-parse', 'main')
      author.git('checkout', '-q', '-b', 'change')
      for (let n = 0; n < commits; n += 1) author.commit({}, `step ${n}`)
      author.git('checkout', '-q', 'main')
      const tip = author.commit({ 'other.txt': 'x' })
      author.git('push', '-q', 'origin', 'main', 'change')
      const clone = shallowCheckout(it.at('clone'), { url: it.url, ref: 'refs/heads/change' })
      const repository = await open(clone.path, it)
      expect(await repository.mergeBase(tip, repository.head)).toEqual({ commit: forked })
    },
  )
})

describe('a whole clone', () => {
  test('knows where it parted without asking anybody, also on a detached head', async () => {
    const it = world()
    const { head, forkedAt } = pullRequest(it.author, { 'a.txt': 'a' }, { onMain: { 'b.txt': 'b' } })
    it.author.git('checkout', '-q', '--detach', head)
    it.author.git('remote', 'remove', 'origin')
    const repository = await open(it.author.path, it)
    expect(repository).toMatchObject({ head, isShallow: false, top: it.author.path })
    const main = given({ commit: await repository.resolve('main') }).commit
    expect(await repository.mergeBase(String(main), head)).toEqual({ commit: forkedAt })
  })

  test('fetches what the base branch has got since', async () => {
    const it = world()
    checkoutAt(it.at('.')).git('clone', '-q', it.url, 'clone')
    const forked = it.author.git('rev-parse', 'main')
    const tip = it.author.commit({ 'new.txt': 'n' })
    it.author.git('push', '-q', 'origin', 'main')
    const clone = checkoutAt(it.at('clone'))
    const own = clone.commit({ 'mine.txt': 'm' })
    const repository = await open(clone.path, it)
    // In either order.
    expect(await repository.mergeBase(tip, own)).toEqual({ commit: forked })
    expect(await repository.fetchBranch('main')).toEqual({ commit: tip })
    expect(await repository.mergeBase(own, tip)).toEqual({ commit: forked })
    expect(clone.git('rev-parse', 'origin/main')).toBe(forked)
  })

  test('in a worktree of its own is as good as the first one', async () => {
    const it = world()
    it.author.git('worktree', 'add', '-q', '--detach', it.at('second'))
    const repository = await open(it.at('second'), it)
    const { path } = given(await repository.addWorktree(repository.head))
    expect(readFileSync(join(path, 'agent.txt'), 'utf8')).toBe('one\n')
    expect(it.author.git('worktree', 'list').split('\n')).toHaveLength(2)
  })

  test('without its files (partial) is checked out by what origin has', async () => {
    const it = world()
    const base = it.author.git('rev-parse', 'main')
    it.author.commit({ 'agent.txt': 'two\n' })
    it.author.git('push', '-q', 'origin', 'main')
    checkoutAt(it.at('.')).git('clone', '-q', '--filter=blob:none', it.url, 'clone')
    const repository = await open(it.at('clone'), it)
    const { path } = given(await repository.addWorktree(base))
    expect(readFileSync(join(path, 'agent.txt'), 'utf8')).toBe('one\n')
  })

  test('takes a worktree away again', async () => {
    const it = world()
    const repository = await open(it.author.path, it)
    const { path } = given(await repository.addWorktree(repository.head))
    await repository.removeWorktree(path)
    expect(existsSync(path)).toBe(false)
    expect(await repository.addWorktree(repository.head)).toEqual({ path })
  })
})

describe('what cannot be had is a reason', () => {
  test('a folder outside of git, and one without a commit', async () => {
    const { path } = folder()
    expect(await openRepository(path, fakeHost())).toEqual({ reason: expect.stringContaining('no checkout of git') })
    checkoutAt(path).git('init', '-q')
    expect(await openRepository(path, fakeHost())).toEqual({ reason: 'there is no commit yet' })
    expect(await openRepository(join(path, 'missing'), fakeHost())).toEqual({ reason: expect.any(String) })
  })

  test('a commit that nobody has', async () => {
    const it = world()
    const repository = await open(it.author.path, it)
    const reason = expect.stringContaining('it cannot be fetched')
    expect(await repository.addWorktree('1'.repeat(40))).toEqual({ reason })
    expect(await repository.fetchBranch('nowhere')).toEqual({ reason })
    it.author.git('remote', 'remove', 'origin')
    const alone = await open(it.author.path, it)
    expect(await alone.addWorktree('1'.repeat(40))).toEqual({ reason: expect.stringContaining('no remote "origin"') })
  })

  test('histories that have nothing in common', async () => {
    const it = world()
    const first = it.author.git('rev-parse', 'HEAD')
    it.author.git('checkout', '-q', '--orphan', 'other')
    const second = it.author.commit({ 'x.txt': 'x' })
    it.author.git('push', '-q', 'origin', 'other')
    const repository = await open(it.author.path, it)
    expect(await repository.mergeBase(first, second)).toEqual({ reason: expect.stringContaining('more than 1024') })
  })
})

describe('what was changed', () => {
  test.each<{ situation: string; change: (it: Checkout) => void; files: string[] }>([
    { situation: 'nothing', change: () => undefined, files: [] },
    { situation: 'a commit', change: (it) => void it.commit({ 'new.txt': 'n' }), files: ['new.txt'] },
    { situation: 'an edit', change: (it) => it.write({ 'agent.txt': 'edited and longer\n' }), files: ['agent.txt'] },
    { situation: 'a new file', change: (it) => it.write({ 'a b/ä\n.txt': 'n' }), files: ['a b/ä\n.txt'] },
    {
      situation: 'a staged one',
      change: (it) => {
        it.write({ 'staged.txt': 's' })
        it.git('add', '-A')
      },
      files: ['staged.txt'],
    },
    { situation: 'a removed one', change: (it) => void it.git('rm', '-q', 'agent.txt'), files: ['agent.txt'] },
    {
      situation: 'a moved one',
      change: (it) => {
        it.git('mv', 'agent.txt', 'moved.txt')
        it.commit()
      },
      files: ['agent.txt', 'moved.txt'],
    },
    {
      situation: 'an ignored one',
      change: (it) => void it.commit({ '.gitignore': 'out\n', out: 'x' }),
      files: ['.gitignore'],
    },
  ])('$situation', async ({ change, files }) => {
    const it = world({ 'agent.txt': 'one\n' })
    const base = it.author.git('rev-parse', 'HEAD')
    change(it.author)
    const repository = await open(it.author.path, it)
    expect(await repository.changedFiles(base)).toEqual({ files })
  })

  test('is told against a base that a shallow clone has to fetch', async () => {
    const it = world()
    const { base, ref } = pullRequest(it.author, { 'agent.txt': 'two\n' })
    const clone = shallowCheckout(it.at('clone'), { url: it.url, ref })
    const repository = await open(clone.path, it)
    expect(await repository.changedFiles(base)).toEqual({ files: ['agent.txt'] })
  })
})
