import { spawn } from 'node:child_process'
import { chmodSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { build } from 'vite'
import { afterEach, describe, expect, test } from 'vitest'
import { type Credentials, isBranchName, isSafeName, openRepository, type Repository } from '../../src/git/index.ts'
import { type FakeHost, fakeHost } from '../support/fake-host.ts'
import { type Checkout, originWith } from '../support/git-project.ts'
import { eventually } from '../support/processes.ts'
import { tempFolders } from '../support/temp-folder.ts'

const folder = tempFolders()
const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

function world(files: Record<string, string> = { 'agent.txt': 'one\n' }) {
  const { path, write } = folder({ 'temp/keep': '' })
  const { author, url } = originWith(path, files)
  const host = fakeHost({ env: { PATH: process.env['PATH'], RUNNER_TEMP: join(path, 'temp') } })
  return { author, url, host, write, at: (name: string) => join(path, name) }
}

async function open(path: string, host: FakeHost, credentials?: Credentials): Promise<Repository> {
  const repository = await openRepository(path, host, { credentials })
  if ('reason' in repository) throw new Error(repository.reason)
  closing.push(() => repository.dispose())
  return repository
}

/** All that is asked of a repository. */
async function useAll(author: Checkout, base: string, host: FakeHost): Promise<unknown[]> {
  const repository = await open(author.path, host)
  const made = await repository.addWorktree(base)
  return [
    made,
    await repository.resolve('main'),
    await repository.parentsOf(repository.head),
    await repository.fetchBranch('main'),
    await repository.fetchCommit('1'.repeat(40)),
    await repository.mergeBase(base, repository.head),
    await repository.changedFiles(base),
  ]
}

describe('nothing that a repository brings is run', () => {
  const HOOKS = [
    'post-checkout',
    'reference-transaction',
    'post-index-change',
    'fsmonitor',
    'pre-auto-gc',
    'post-merge',
  ]
  const COMMANDS = [
    'core.fsmonitor',
    'core.sshCommand',
    'core.askPass',
    'core.pager',
    'core.editor',
    'core.gitProxy',
    'core.alternateRefsCommand',
    'credential.helper',
    'diff.external',
    'remote.origin.uploadpack',
    'remote.origin.vcs',
    'filter.evil.smudge',
    'filter.evil.clean',
    'filter.evil.process',
    'filter.lfs.smudge',
    'filter.lfs.clean',
    'filter.lfs.process',
    'diff.evil.textconv',
    'diff.evil.command',
    'uploadpack.packObjectsHook',
  ]

  test('hooks, filters and helpers', async () => {
    const { author, host, at, write } = world({
      'agent.txt': 'one\n',
      'large.bin': 'version https://git-lfs.github.com/spec/v1\n',
      '.gitattributes': '*.txt filter=evil diff=evil\n*.bin filter=lfs\n',
      '.lfsconfig': '[lfs]\n\turl = https://lfs.example.com\n',
      '.gitmodules': '[submodule "x"]\n\tpath = x\n\turl = ext::sh -c evil\n\tupdate = !evil\n',
    })
    const base = author.git('rev-parse', 'HEAD')
    author.commit({ 'agent.txt': 'two\n' })
    author.git('push', '-q', 'origin', 'main')
    const evil = at('evil.sh')
    write({ 'evil.sh': `#!/bin/sh\necho "$0 $@" >> ${at('ran')}\nexit 1\n` })
    chmodSync(evil, 0o755)
    for (const name of HOOKS) {
      write({
        [`hooks/${name}`]: readFileSync(evil, 'utf8'),
        [`author/.git/hooks/${name}`]: readFileSync(evil, 'utf8'),
      })
      for (const place of [`hooks/${name}`, `author/.git/hooks/${name}`]) chmodSync(at(place), 0o755)
    }
    author.git('config', 'submodule.recurse', 'true')
    for (const name of COMMANDS) author.git('config', name, name === 'remote.origin.vcs' ? 'evil' : evil)
    author.git('config', 'core.hooksPath', at('hooks'))
    write({ 'author/agent.txt': 'three\n', 'author/large.bin': 'x\n' })
    const [made, ...rest] = await useAll(author, base, host)
    expect(existsSync(at('ran'))).toBe(false)
    const path = (made as { path: string }).path
    expect(readFileSync(join(path, 'agent.txt'), 'utf8')).toBe('one\n')
    expect(readFileSync(join(path, 'large.bin'), 'utf8')).toContain('git-lfs')
    expect(existsSync(join(path, 'x'))).toBe(false)
    expect(rest.at(-1)).toEqual({ files: expect.arrayContaining(['agent.txt', 'large.bin']) })
    // The trap is one: git left to itself goes into it.
    try {
      author.git('checkout', '-q', '--force', base)
    } catch {
      // The filters fail as well.
    }
    expect(readFileSync(at('ran'), 'utf8')).toContain('evil.sh')
  })

  test.each(['ext::sh -c "touch RAN"', '--upload-pack=touch RAN', '-oProxyCommand=touch RAN', 'evil::x'])(
    'an origin of %j',
    async (url) => {
      const { author, host, at } = world()
      author.git('config', 'remote.origin.url', url.replace('RAN', at('ran')))
      const repository = await open(author.path, host)
      expect(await repository.fetchCommit('1'.repeat(40))).toEqual({ reason: expect.any(String) })
      expect(existsSync(at('ran'))).toBe(false)
    },
  )

  test('a host that is an option of ssh', async () => {
    const { author, host, at } = world()
    author.git('config', 'remote.origin.url', `ssh://-oProxyCommand=touch%20${at('ran')}/x`)
    const repository = await open(author.path, host)
    expect(await repository.fetchCommit('1'.repeat(40))).toEqual({ reason: expect.any(String) })
    expect(existsSync(at('ran'))).toBe(false)
  })
})

describe('names', () => {
  test.each([
    '--upload-pack=touch x',
    '-n',
    '',
    'a b',
    'a\nb',
    'a\u0000b',
    'a..b',
    ':/fix',
    'main:refs/heads/other',
    '+main',
    'x*',
    '@{u}',
    'a@{1}',
    'a//b',
    'a.lock',
    'a?b',
    'a[b',
    'a\\b',
    'a\u007fb',
    'x'.repeat(251),
  ])('%j is asked of nobody', async (name) => {
    const { author, host } = world()
    const repository = await open(author.path, host)
    if (name !== '+main') expect(isSafeName(name)).toBe(false)
    expect(await repository.resolve(name)).toBe(undefined)
    expect(await repository.fetchBranch(name)).toEqual({ reason: expect.any(String) })
    expect(await repository.fetchCommit(name)).toEqual({ reason: 'it is no commit id' })
    expect(await repository.addWorktree(name)).toEqual({ reason: 'it is no commit id' })
    expect(await repository.mergeBase(name, repository.head)).toEqual({ reason: 'it is no commit id' })
  })

  test.each(['main', 'feature/ünïcode-$(touch)', "a'b", 'a"b', 'release-1.x', '@x', 'a;b', 'a|b', 'a`b`'])(
    'a branch may be called %j',
    async (name) => {
      const { author, host } = world()
      if (name !== 'main') author.git('branch', name)
      author.git('push', '-q', 'origin', name)
      expect(isBranchName(name)).toBe(true)
      const repository = await open(author.path, host)
      expect(await repository.fetchBranch(name)).toEqual({ commit: repository.head })
      expect(await repository.resolve(name)).toBe(repository.head)
    },
  )
})

describe('a token', () => {
  const TOKEN = 'ghs_the_token_of_this_job'
  const BASIC = Buffer.from(`x-access-token:${TOKEN}`).toString('base64')

  async function serve(answer: (headers: Record<string, unknown>) => { status: number; location?: string }) {
    const seen: (string | undefined)[] = []
    const server: Server = createServer(({ headers }, response) => {
      seen.push(headers.authorization)
      const { status, location } = answer(headers)
      response.writeHead(status, location === undefined ? {} : { location }).end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    closing.push(() => new Promise((resolve) => server.close(resolve)))
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen }
  }

  async function fetchFrom(origin: string, serverUrl: string, kept?: string) {
    const { author, host } = world()
    author.git('config', 'remote.origin.url', `${origin}/o/r`)
    if (kept !== undefined) author.git('config', `http.${origin}/.extraheader`, `AUTHORIZATION: basic ${kept}`)
    const repository = await open(author.path, host, { serverUrl, token: TOKEN })
    const found = await repository.fetchCommit('1'.repeat(40))
    return { found, host }
  }

  test('goes to the server it is for, and is known as a secret', async () => {
    const { url, seen } = await serve(() => ({ status: 404 }))
    const { found, host } = await fetchFrom(url, url)
    expect(seen).toEqual([`basic ${BASIC}`])
    expect(found).toEqual({ reason: expect.stringContaining('not found') })
    expect(host.secrets.redact(`${TOKEN} ${BASIC}`)).toBe('*** ***')
  })

  test('goes nowhere else', async () => {
    const { url, seen } = await serve(() => ({ status: 401 }))
    await fetchFrom(url, 'http://127.0.0.1:9')
    expect(seen).toEqual([undefined])
  })

  test('does not follow where it is sent on to', async () => {
    const other = await serve(() => ({ status: 404 }))
    const { url } = await serve(() => ({ status: 302, location: `${other.url}/o/r/info/refs?service=git-upload-pack` }))
    await fetchFrom(url, url)
    expect(other.seen).toEqual([])
  })

  test('is not needed where the checkout has kept its own', async () => {
    const { url, seen } = await serve(() => ({ status: 404 }))
    const { host } = await fetchFrom(url, url, 'a2VwdDprZXB0')
    expect(seen).toEqual(['basic a2VwdDprZXB0'])
    expect(host.secrets.redact('a2VwdDprZXB0')).toBe('***')
  })
})

test('what was made is gone when the process is killed', async () => {
  const { author, at, write } = world()
  const options = { entryFileNames: 'git.mjs' }
  const output = { ssr: 'src/git/index.ts', outDir: at('built'), rolldownOptions: { output: options } }
  await build({ configFile: false, logLevel: 'silent', build: output })
  write({
    'program.mjs': `
      import { openRepository } from './built/git.mjs'
      const env = { PATH: process.env.PATH, RUNNER_TEMP: ${JSON.stringify(at('temp'))} }
      const secrets = { add() {}, redact: (text) => text }
      const host = { env, secrets, signal: new AbortController().signal }
      const repository = await openRepository(${JSON.stringify(author.path)}, host)
      await repository.addWorktree(repository.head)
      console.log('ready')
      setInterval(() => {}, 1000)
    `,
  })
  const child = spawn(process.execPath, [at('program.mjs')], { stdio: ['ignore', 'pipe', 'inherit'] })
  closing.push(() => child.kill('SIGKILL'))
  await new Promise((resolve) => child.stdout.once('data', resolve))
  expect(readdirSync(at('temp'))).toHaveLength(2)
  child.kill('SIGKILL')
  expect(await eventually(() => readdirSync(at('temp')).length === 1, 10_000)).toBe(true)
})
