import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { SessionPlan } from '../../src/core/session.ts'
import { confinedPath, pathFault } from '../../src/targets/opencode/confined.ts'
import { envProblems, serverEnvironment } from '../../src/targets/opencode/environment.ts'
import { planProblems } from '../../src/targets/opencode/plan.ts'
import { makeWorkspace } from '../../src/targets/opencode/workspace.ts'
import { aCase } from '../support/builders.ts'
import { fakeHost } from '../support/fake-host.ts'
import { commitAll, write } from '../support/opencode/testbed.ts'
import { tempFolders } from '../support/temp-folder.ts'

const folder = tempFolders()
const plan: SessionPlan = { turns: [{ text: 'x' }], inherit: true, setup: [], approval: { kind: 'approve' }, files: [] }

describe('what a server sees', () => {
  const host = fakeHost({
    env: {
      PATH: '/bin',
      LANG: 'C',
      OPENAI_API_KEY: 'sk-of-openai',
      MY_KEY: 'my-own-key',
      GITHUB_TOKEN: 'ghs_x',
      HOME: '/root',
    },
  })
  const around = { root: '/r', id: 'id', password: 'secret-password', network: false, programs: ['/rg'] }

  test('the keys of known providers, or those that are named; never the workflow’s', () => {
    const known = serverEnvironment(host, { ...around, names: undefined })
    expect(known).toMatchObject({ PATH: '/rg:/bin', LANG: 'C', HOME: '/r/home', OPENAI_API_KEY: 'sk-of-openai' })
    expect(Object.keys(known)).not.toContain('GITHUB_TOKEN')
    expect(Object.keys(known)).not.toContain('MY_KEY')
    const named = serverEnvironment(host, { ...around, names: ['MY_KEY'] })
    expect([named['MY_KEY'], named['OPENAI_API_KEY']]).toEqual(['my-own-key', undefined])
    expect(host.secrets.redact('my-own-key secret-password')).toBe('*** ***')
  })

  test('no network unless it is allowed', () => {
    const off = { OPENCODE_DISABLE_MODELS_FETCH: '1', npm_config_offline: 'true' }
    expect(serverEnvironment(host, { ...around, names: [] })).toMatchObject(off)
    expect(Object.keys(serverEnvironment(host, { ...around, names: [], network: true }))).not.toContain(
      'npm_config_offline',
    )
  })

  test.each<[string, string]>([
    ['GITHUB_TOKEN', 'GITHUB_TOKEN belongs to the workflow and is not given to agents'],
    ['ACTIONS_RUNTIME_TOKEN', 'ACTIONS_RUNTIME_TOKEN belongs to the workflow and is not given to agents'],
    ['HOME', 'HOME is set by agent-test itself'],
    ['NOT_THERE', 'the environment variable NOT_THERE is not set'],
  ])('%s cannot be named', (name, message) => {
    expect(envProblems([name], host)).toMatchObject([{ field: 'target.env', message }])
  })
})

describe('workspaces', () => {
  async function copy(source: Parameters<typeof makeWorkspace>[0]) {
    const host = fakeHost()
    const workspace = await makeWorkspace(source, { folder: folder().path, host })
    return { ...workspace, host, files: filesIn(workspace.path) }
  }

  function filesIn(path: string): string[] {
    return readdirSync(path, { recursive: true, encoding: 'utf8' })
      .filter((name) => name !== '.git' && !name.startsWith('.git/'))
      .sort()
  }

  test('a copy of what git tracks, as it lies there; the diff tells what was done to it, and ignores OpenCode’s own', async () => {
    const { path: directory } = folder()
    write(directory, { 'a.txt': 'one\n', 'sub/b.txt': 'b\n', '.gitignore': 'ignored\n', '.opencode/agent/x.md': 'x' })
    commitAll(directory)
    write(directory, {
      'a.txt': 'changed\n',
      ignored: 'no',
      'new.txt': 'no',
      '.opencode/node_modules/p/index.js': 'no',
    })
    const { path, files, diff, remove } = await copy({ directory, inherit: true, setup: [] })
    expect(files).toEqual([
      '.gitignore',
      '.opencode',
      '.opencode/agent',
      '.opencode/agent/x.md',
      'a.txt',
      'sub',
      'sub/b.txt',
    ])
    expect(readFileSync(join(path, 'a.txt'), 'utf8')).toBe('changed\n')
    expect(await diff()).toBe('')
    write(path, {
      'a.txt': 'by the agent\n',
      ignored: 'made\n',
      '.opencode/.gitignore': 'node_modules',
      '.opencode/package.json': '{}',
    })
    // An agent that breaks the repository does not hide what it did.
    write(path, { '.git/config': 'broken [' })
    const text = await diff()
    expect(text.match(/^diff --git a\/(\S+)/gm)).toEqual(['diff --git a/a.txt', 'diff --git a/ignored'])
    expect(text).toContain('-changed\n+by the agent')
    await remove()
    expect(existsSync(path)).toBe(false)
    // Nothing of it reached the original.
    expect(readFileSync(join(directory, 'a.txt'), 'utf8')).toBe('changed\n')
  })

  test('an empty folder where there is no git', async () => {
    const { path: directory } = folder({ 'a.txt': 'a' })
    expect((await copy({ directory, inherit: true, setup: [] })).files).toEqual([])
    expect((await copy({ inherit: true, setup: [] })).files).toEqual([])
  })

  test.each([true, false])('a fixture, with the agents of the project laid over it: %s', async (inherit) => {
    const { path: directory } = folder({
      'AGENTS.md': 'theirs',
      'opencode.json': '{}',
      'src/a.ts': 'a',
      '.opencode/agent/x.md': 'x',
    })
    const { path: fixture } = folder({ 'AGENTS.md': 'own', 'f.txt': 'f', '.git/HEAD': 'not ours' })
    const { path, files } = await copy({ directory, fixture, inherit, setup: [] })
    const laid = ['.opencode', '.opencode/agent', '.opencode/agent/x.md', 'AGENTS.md', 'f.txt', 'opencode.json']
    expect(files).toEqual(inherit ? laid : ['AGENTS.md', 'f.txt'])
    expect(readFileSync(join(path, 'AGENTS.md'), 'utf8')).toBe(inherit ? 'theirs' : 'own')
  })

  test('links inside are kept, links that lead out are left out and told of', async () => {
    const { path: outside } = folder({ 'secret.txt': 'secret' })
    const { path: fixture } = folder({ 'real/a.txt': 'a' })
    symlinkSync('real/a.txt', join(fixture, 'inside'))
    symlinkSync(join(outside, 'secret.txt'), join(fixture, 'absolute'))
    symlinkSync('../../../etc/hostname', join(fixture, 'up'))
    symlinkSync(outside, join(fixture, 'folder'))
    const { path, files, host } = await copy({ fixture, inherit: true, setup: [] })
    expect(files).toEqual(['inside', 'real', 'real/a.txt'])
    expect(readlinkSync(join(path, 'inside'))).toBe('real/a.txt')
    expect(host.warnings).toEqual([expect.stringContaining('they lead out of it')])
  })

  test('steps are taken before the first turn, and not through a link', async () => {
    const setup = [
      { action: 'mkdir', file: 'made/deep' },
      { action: 'write', file: 'made/deep/a.txt', content: 'a' },
      { action: 'write', file: 'b.txt', content: 'b' },
      { action: 'delete', file: 'b.txt' },
      { action: 'delete', file: 'never/there' },
    ] as const
    const { files, diff } = await copy({ inherit: true, setup })
    expect(files).toEqual(['made', 'made/deep', 'made/deep/a.txt'])
    expect(await diff()).toBe('')
    await expect(
      copy({ inherit: true, setup: [{ action: 'write', file: '../x', content: '' }] }),
    ).rejects.toMatchObject({
      code: 'BAD_REQUEST',
    })
  })

  test.each(['/etc/passwd', '../x', 'a/../../x', '..', '', ' ', '.git/hooks/post-checkout', 'C:\\x', 'a\0b'])(
    'the path %j is none inside',
    async (file) => {
      expect(pathFault(file)).toBeDefined()
      expect(await confinedPath(folder().path, file)).toBeUndefined()
      const item = aCase({
        session: {
          ...plan,
          setup: [{ action: 'delete', file }],
          files: [{ filePath: file, mustContain: [], mustNotContain: [] }],
        },
      })
      expect(planProblems(item).map(({ field }) => field)).toEqual(['setup[0].file', 'contentExpectations[0].filePath'])
    },
  )

  test('a path through a link, to a link or to a link that leads nowhere is none inside', async () => {
    const { path } = folder({ 'real/a.txt': 'a' })
    mkdirSync(join(path, 'sub'))
    symlinkSync('/etc', join(path, 'out'))
    symlinkSync('real', join(path, 'in'))
    symlinkSync('/nowhere/at/all', join(path, 'dead'))
    const seen = await Promise.all(
      ['real/a.txt', 'sub/new/deep.txt', 'out/x', 'in/a.txt', 'dead', 'dead/x'].map((file) => confinedPath(path, file)),
    )
    expect(seen.map((one) => one !== undefined)).toEqual([true, true, false, false, false, false])
  })
})

describe('cases', () => {
  test.each<[string, Parameters<typeof aCase>[0], string[]]>([
    ['one with a text', { input: 'hi' }, []],
    [
      'a history',
      {
        messages: [
          { role: 'user', content: 'a' },
          { role: 'assistant', content: 'b' },
        ],
      },
      ['an OpenCode session takes what the user says, no history'],
    ],
    [
      'an image',
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:' } }] }] },
      ['an OpenCode session takes text alone'],
    ],
    ['nothing to say', { messages: [] }, ['there is nothing to say']],
  ])('%s', (_, item, problems) => {
    expect(planProblems(aCase(item)).map(({ message }) => message)).toEqual(problems)
  })
})
