import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

type Files = Readonly<Record<string, string>>

/** A checkout on disk, driven by the real git. */
export interface Checkout {
  readonly path: string
  git(...args: string[]): string
  write(files: Files): void
  /** Everything that is there; gives the commit. */
  commit(files?: Files, message?: string): string
}

const IDENTITY = ['-c', 'user.name=a', '-c', 'user.email=a@example.com', '-c', 'commit.gpgsign=false']

export function checkoutAt(path: string): Checkout {
  const git = (...args: string[]) => {
    const env = { PATH: process.env['PATH'], GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', LC_ALL: 'C' }
    return execFileSync('git', [...IDENTITY, ...args], { cwd: path, env, stdio: 'pipe', encoding: 'utf8' }).trim()
  }
  const write = (files: Files) => {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(path, name)), { recursive: true })
      writeFileSync(join(path, name), text)
    }
  }
  return {
    path,
    git,
    write,
    commit(files = {}, message = 'change') {
      write(files)
      git('add', '-A')
      git('commit', '-q', '--allow-empty', '-m', message)
      return git('rev-parse', 'HEAD')
    },
  }
}

/** A bare origin in `folder` and a checkout that has pushed `files` to its branch main. */
export function originWith(folder: string, files: Files): { readonly url: string; readonly author: Checkout } {
  const bare = join(folder, 'origin.git')
  const work = join(folder, 'author')
  mkdirSync(bare, { recursive: true })
  mkdirSync(work, { recursive: true })
  checkoutAt(bare).git('init', '-q', '--bare', '-b', 'main')
  checkoutAt(bare).git('config', 'uploadpack.allowFilter', 'true')
  const author = checkoutAt(work)
  author.git('init', '-q', '-b', 'main')
  author.git('remote', 'add', 'origin', bare)
  author.commit(files, 'start')
  author.git('push', '-q', 'origin', 'main')
  return { url: pathToFileURL(bare).href, author }
}

/** As actions/checkout does it: one commit of one ref, its parents cut off. */
export function shallowCheckout(path: string, { url, ref }: { readonly url: string; readonly ref: string }): Checkout {
  mkdirSync(path, { recursive: true })
  const checkout = checkoutAt(path)
  checkout.git('init', '-q')
  checkout.git('remote', 'add', 'origin', url)
  checkout.git('fetch', '-q', '--no-tags', '--depth=1', 'origin', `+${ref}:refs/remotes/pull/merge`)
  checkout.git('checkout', '-q', '--force', 'refs/remotes/pull/merge')
  return checkout
}

/** What GitHub tests of a pull request: the merge of its head into the base branch. Gives both sides. */
export function pullRequest(
  author: Checkout,
  files: Files,
  { onMain = {} }: { readonly onMain?: Files } = {},
): { readonly head: string; readonly base: string; readonly forkedAt: string; readonly ref: string } {
  const forkedAt = author.git('rev-parse', 'main')
  author.git('checkout', '-q', '-b', 'change', 'main')
  const head = author.commit(files, 'the change')
  author.git('checkout', '-q', 'main')
  const base = Object.keys(onMain).length === 0 ? forkedAt : author.commit(onMain, 'meanwhile')
  author.git('checkout', '-q', '--detach', 'main')
  author.git('merge', '-q', '--no-ff', '-m', 'Merge change into main', 'change')
  author.git('push', '-q', 'origin', 'main', 'change', '+HEAD:refs/pull/1/merge', '+change:refs/pull/1/head')
  author.git('checkout', '-q', 'main')
  return { head, base, forkedAt, ref: 'refs/pull/1/merge' }
}
