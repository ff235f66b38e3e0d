import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test, vi } from 'vitest'
import { agentTest } from '../support/command-line.ts'
import { hasOpenCode, OPENCODE } from '../support/opencode/testbed.ts'
import { tempFolders } from '../support/temp-folder.ts'
import { linesIn, onlyApproval } from './scoring.ts'

vi.setConfig({ testTimeout: 120_000 })

const folder = tempFolders()

const ROOT_ID = 'ses_dd35bdb27ffeNf4fYpvZAgEn5r'
const CHILD_ID = 'ses_dd35bdb20ffeNf4fYpvZAgEn5r'

/** A session as `opencode export` prints it: a user who asks for a note, an agent that writes it unasked. */
function exported(id: string, parentID?: string) {
  const name = (kind: string, number: number) => `${kind}_22ca424eb00${number}${id.slice(4, 20)}`
  const placed = { sessionID: id }
  const user = {
    ...placed,
    id: name('msg', 1),
    role: 'user',
    time: { created: 1_796_045_284_590 },
    agent: 'build',
    model: { providerID: 'p', modelID: 'm' },
  }
  const assistant = {
    ...placed,
    id: name('msg', 2),
    role: 'assistant',
    parentID: user.id,
    mode: 'build',
    agent: 'build',
    path: { cwd: '/lab/ws', root: '/lab/ws' },
    cost: 0,
    tokens: { input: 1, output: 1, reasoning: 0, cache: { read: 0, write: 0 } },
    modelID: 'm',
    providerID: 'p',
    time: { created: 1_796_045_285_000, completed: 1_796_045_286_000 },
    finish: 'stop',
  }
  const state = {
    status: 'completed',
    input: { filePath: '/lab/ws/a.txt', content: 'x' },
    output: 'ok',
    title: 'a.txt',
    metadata: {},
    time: { start: 1_796_045_285_100, end: 1_796_045_285_200 },
  }
  const time = { created: 1_796_045_284_500, updated: 1_796_045_289_000 }
  return {
    info: {
      id,
      slug: 'calm',
      version: '1.18.33',
      projectID: 'global',
      directory: '/lab/ws',
      path: '',
      title: 'a',
      time,
      ...(parentID ? { parentID } : {}),
    },
    messages: [
      { info: user, parts: [{ ...placed, id: name('prt', 1), messageID: user.id, type: 'text', text: 'Add a note' }] },
      {
        info: assistant,
        parts: [
          { ...placed, id: name('prt', 2), messageID: assistant.id, type: 'tool', tool: 'write', callID: 'c', state },
        ],
      },
    ],
  }
}

/** A data folder of OpenCode that holds these sessions. */
async function dataFolder(path: string, sessions: readonly object[]): Promise<string> {
  const home = Object.fromEntries(
    ['DATA', 'CONFIG', 'STATE', 'CACHE'].map((name) => [`XDG_${name}_HOME`, join(path, name)]),
  )
  const env = {
    PATH: process.env['PATH'],
    HOME: path,
    TMPDIR: path,
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    npm_config_offline: 'true',
    ...home,
  }
  for (const [index, session] of sessions.entries()) {
    writeFileSync(join(path, `${index}.json`), JSON.stringify(session))
    await promisify(execFile)(OPENCODE, ['import', `${index}.json`], { cwd: path, env })
  }
  return join(path, 'DATA', 'opencode')
}

describe.skipIf(!hasOpenCode)('sessions of OpenCode itself (skipped where it is not installed)', () => {
  test('are read by id from a copy of their database, with those of subagents; unknown ones are skipped', async () => {
    const { path } = folder(onlyApproval)
    const data = await dataFolder(path, [exported(ROOT_ID), exported(CHILD_ID, ROOT_ID)])
    const before = readdirSync(data).map((name) => [name, statSync(join(data, name)).mtimeMs])
    const args = [
      'score',
      '--session',
      ROOT_ID,
      '--session',
      'ses_gone',
      '--data-dir',
      data,
      '--bin',
      OPENCODE,
      '--config',
      'c.json',
      '-o',
      'out.jsonl',
    ]
    const { stdout, code } = await agentTest(args, { cwd: path, env: { PATH: process.env['PATH'], RUNNER_TEMP: path } })
    const [first, second] = linesIn(path, 'out.jsonl')
    expect(first).toMatchObject({ id: ROOT_ID, overall: { score: 0, passed: false } })
    // One call in the session itself, one in that of its subagent.
    expect(first?.evaluations[0]?.violations).toMatchObject([{ message: expect.stringMatching(/^write a\.txt /) }, {}])
    expect(second).toMatchObject({ id: 'ses_gone', skipped: 'session not found' })
    expect(stdout).toContain('0 of 1 passed · 1 skipped')
    expect(code).toBe(1)
    expect(readdirSync(data).map((name) => [name, statSync(join(data, name)).mtimeMs])).toEqual(before)
    expect(readdirSync(path).filter((name) => name.startsWith('opencode-'))).toEqual([])
  })

  test('a file of "opencode export" gives the same line as its session', async () => {
    const { path } = folder({ ...onlyApproval, 'x.json': JSON.stringify(exported(ROOT_ID)) })
    await agentTest(['score', 'x.json', '--config', 'c.json', '-o', 'out.jsonl'], { cwd: path })
    expect(linesIn(path, 'out.jsonl')).toMatchObject([{ id: ROOT_ID, evaluations: [{ violations: [{}] }] }])
  })

  test('a folder without them, and one that is not there', async () => {
    const { path } = folder({ 'data/x': '' })
    const args = (data: string) => ['score', '--session', 'a', '--data-dir', data, '--bin', OPENCODE]
    expect((await agentTest(args('data'), { cwd: path })).stderr).toMatch(
      /--data-dir: data holds no sessions of OpenCode/,
    )
    expect((await agentTest(args('gone'), { cwd: path })).stderr).toMatch(/--data-dir: there is no folder gone/)
  })
})

test('without the program that is said, and what to do', async () => {
  const { path } = folder({ 'data/opencode.db': '' })
  const args = ['score', '--session', 'a', '--data-dir', 'data', '--bin', './no-such-program']
  const { stderr, code } = await agentTest(args, { cwd: path })
  expect(stderr).toMatch(/--bin: the program ".\/no-such-program"/)
  expect(code).toBe(1)
  expect(readFileSync(join(path, 'data/opencode.db'), 'utf8')).toBe('')
})
