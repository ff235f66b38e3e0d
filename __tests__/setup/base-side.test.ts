import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { answer, baseSideTestbed, bothAnswers, sideOf } from '../support/base-side-testbed.ts'
import { fakeHost } from '../support/fake-host.ts'
import { eventually } from '../support/processes.ts'

const { pull, open } = baseSideTestbed()

const SUITE = `${JSON.stringify({ id: 'a', input: 'Hello' })}\n`
const saying = (text: string) => `console.log(${JSON.stringify(text)})\n`
const OLD = { 'agent.mjs': saying('old'), 'evals/s.jsonl': SUITE }
const NEW = { 'agent.mjs': saying('new') }
const RAW = { input: ['evals/s.jsonl'], target: 'command:node agent.mjs' }

describe('a command', () => {
  test('answers as on the base commit there and as changed here, and nothing is left', async () => {
    const world = pull({ base: OLD, change: NEW })
    const both = await open(world, RAW)
    expect(await bothAnswers(both)).toEqual({ here: 'new', base: 'old' })
    const side = sideOf(both.opened)
    expect(side.commit).toBe(world.commits.base)
    const [planned] = both.prepared.plan.cases
    if (!planned) throw new Error('no case')
    const ofBase = await side.planned(planned)
    expect(ofBase).toMatchObject({ item: planned.item, target: { label: 'command:node agent.mjs' } })
    await side.dispose()
    expect(readdirSync(world.temp)).toEqual(['keep'])
    expect(world.clone.git('status', '--porcelain')).toBe('')
    expect(world.clone.git('worktree', 'list').split('\n')).toHaveLength(1)
  })

  test('is that of the same folder, with the paths that lie in the checkout', async () => {
    const base = { 'pkg/bot/agent.mjs': saying('old'), 'pkg/bot/s.jsonl': SUITE, 'pkg/lib.txt': 'x' }
    const world = pull({ base, change: { 'pkg/bot/agent.mjs': saying('new') } })
    const cwd = join(world.clone.path, 'pkg', 'bot')
    const host = fakeHost({ ...world.host, cwd })
    for (const target of ['command:node agent.mjs', `command:node ${join(cwd, 'agent.mjs')}`]) {
      expect(await bothAnswers(await open({ ...world, host }, { input: ['s.jsonl'], target }))).toEqual({
        here: 'new',
        base: 'old',
      })
    }
  })

  test('is found through a working directory that is a link, and a variable that names a place', async () => {
    const script =
      "import { readFileSync } from 'node:fs'\nconsole.log(readFileSync(process.env.PROMPTS + '/p.txt', 'utf8'))\n"
    const base = { 'agent.mjs': script, 'prompts/p.txt': 'old', 'evals/s.jsonl': SUITE }
    const world = pull({ base, change: { 'prompts/p.txt': 'new' } })
    const link = join(world.root, 'link')
    symlinkSync(world.clone.path, link)
    const env = { ...world.host.env, PROMPTS: join(link, 'prompts'), ELSEWHERE: `/nowhere:${join(link, 'missing')}` }
    const host = fakeHost({ ...world.host, cwd: link, env })
    expect(await bothAnswers(await open({ ...world, host }, RAW))).toEqual({ here: 'new', base: 'old' })
  })

  test('keeps the cases of the change', async () => {
    const asked = "process.stdin.on('data', (data) => console.log(JSON.parse(data).input + ' "
    const world = pull({
      base: { 'agent.mjs': `${asked}old'))`, 'evals/s.jsonl': SUITE },
      change: { 'agent.mjs': `${asked}new'))`, 'evals/s.jsonl': `${JSON.stringify({ id: 'a', input: 'Changed' })}\n` },
    })
    expect(await bothAnswers(await open(world, RAW))).toEqual({ here: 'Changed new', base: 'Changed old' })
  })

  test.each([
    { target: 'command:true', reason: 'nothing of the command lies in the repository' },
    { target: 'command:node -e 1', reason: 'nothing of the command lies in the repository' },
    { target: 'command:node new.mjs', reason: '"new.mjs" does not exist there: make it with control-setup' },
    { target: 'command:node agent.mjs --rules=extra/rules.txt', reason: '"extra/rules.txt" does not exist there' },
  ])('$target: $reason', async ({ target, reason }) => {
    const world = pull({ base: OLD, change: { ...NEW, 'new.mjs': saying('new'), 'extra/rules.txt': '' } })
    const { opened } = await open(world, { ...RAW, target })
    expect(opened).toEqual({ kind: 'unavailable', reason: expect.stringContaining(reason) })
    expect(readdirSync(world.temp)).toEqual(['keep'])
  })

  test.each(['make -s', 'sh -c "node agent.mjs"', 'env X=1 node ./agent.mjs', 'python3 -m agent'])(
    'of its own folder: %s',
    async (run) => {
      const files = { Makefile: 'all:\n\t@node agent.mjs\n', 'agent.py': "print('old', end='')\n" }
      const world = pull({ base: { ...OLD, ...files }, change: { ...NEW, 'agent.py': "print('new', end='')\n" } })
      const both = await open(world, { ...RAW, target: `command:${run}` })
      expect(await bothAnswers(both)).toEqual({ here: 'new', base: 'old' })
    },
  )

  test('is named where it cannot be told', async () => {
    const world = pull({ base: OLD, change: NEW })
    const both = await open(world, { ...RAW, target: 'command:echo new', 'control-target': 'command:node agent.mjs' })
    expect(await bothAnswers(both)).toEqual({ here: 'new', base: 'old' })
    const [planned] = both.prepared.plan.cases
    expect(planned && (await sideOf(both.opened).planned(planned))).toMatchObject({
      target: { label: 'command:echo new' },
    })
  })
})

describe('control-setup', () => {
  const needing = (text: string) => `import text from './made.mjs'\nconsole.log(text + ${JSON.stringify(text)})\n`
  const base = { 'agent.mjs': needing('old'), 'evals/s.jsonl': SUITE, '.gitignore': 'made.mjs\n' }
  const change = { 'agent.mjs': needing('new') }

  test('makes the base ready, in its folder and in a shell', async () => {
    const world = pull({ base, change })
    world.clone.write({ 'made.mjs': "export default 'here '" })
    const setup = `test -f agent.mjs && echo "export default 'made '" > made.mjs`
    const both = await open(world, { ...RAW, 'control-setup': setup })
    expect(await bothAnswers(both)).toEqual({ here: 'here new', base: 'made old' })
  })

  test('fails: the reason has its last words, without secrets', async () => {
    const world = pull({ base, change }, { env: { API_KEY: 'sk-the-secret' } })
    world.host.secrets.add('sk-the-secret')
    const setup = 'echo starting; echo "no such package: $API_KEY" >&2; exit 7'
    const { opened } = await open(world, { ...RAW, 'control-setup': setup })
    const reason = expect.stringMatching(/^control-setup failed with exit code 7: starting.*no such package: \*\*\*$/)
    expect(opened).toEqual({ kind: 'unavailable', reason })
    expect(readdirSync(world.temp)).toEqual(['keep'])
  })

  test('says more than anybody wants to read', async () => {
    const world = pull({ base, change })
    const { opened } = await open(world, { ...RAW, 'control-setup': 'yes | head -c 100000; echo; echo END; exit 1' })
    if (opened.kind === 'open') throw new Error('it was opened')
    expect(opened.reason.length).toBeLessThan(1_000)
    expect(opened.reason).toContain('END')
  })

  test('has nothing of the inputs of the action', async () => {
    const world = pull(
      { base, change },
      { env: { 'INPUT_GITHUB-TOKEN': 't1', ACTIONS_RUNTIME_TOKEN: 't2', MINE: 'yes' } },
    )
    const { opened } = await open(world, {
      ...RAW,
      'control-setup': 'env | grep -cE "INPUT_|ACTIONS_"; echo $MINE; exit 1',
    })
    expect(opened).toEqual({ kind: 'unavailable', reason: expect.stringMatching(/: 0 yes$/) })
  })

  test('is ended by an interruption, with all it has started', async () => {
    const interruption = new AbortController()
    const world = pull({ base, change }, { signal: interruption.signal })
    const pid = join(world.root, 'pid')
    const opening = open(world, { ...RAW, 'control-setup': `sleep 60 & echo $! > ${pid}; wait` })
    expect(await eventually(() => existsSync(pid), 10_000)).toBe(true)
    interruption.abort()
    expect((await opening).opened).toEqual({ kind: 'unavailable', reason: 'interrupted' })
    expect(readdirSync(world.temp)).toEqual(['keep'])
  })
})

describe('what cannot be run on a base commit says why', () => {
  test.each([
    { target: 'http:http://127.0.0.1:9/v1', reason: 'name the one of the base with control-target' },
    { target: 'yao-remote:http://127.0.0.1:9', reason: 'name the one of the base with control-target' },
    { target: '{"type":"http","cassette":"c.jsonl"}', reason: 'recorded answers are the same on every commit' },
    { target: 'replay:results.jsonl', reason: 'recorded answers are the same on every commit' },
  ])('$target, before anything is checked out', async ({ target, reason }) => {
    const files = {
      'c.jsonl': readFileSync('__tests__/fixtures/yao-app/cassettes/keyword.jsonl', 'utf8'),
      'results.jsonl': `${JSON.stringify({ type: 'run', schemaVersion: 1, agent: 'x', suite: 'evals/s.jsonl', id: 'a', run: 1, status: 'passed', output: 'x', events: [] })}\n`,
    }
    const env = target.startsWith('yao-remote') ? { YAO_TOKEN: 'token-of-yao' } : {}
    const world = pull({ base: { ...OLD, ...files }, change: NEW }, { env })
    const name = target.startsWith('yao-remote') ? { name: 'support' } : {}
    const { opened } = await open(world, { ...RAW, target, ...name })
    expect(opened).toEqual({ kind: 'unavailable', reason: expect.stringContaining(reason) })
  })

  test('a folder that the base commit does not have', async () => {
    const world = pull({ base: OLD, change: { 'fresh/agent.mjs': saying('new'), 'fresh/s.jsonl': SUITE } })
    const host = fakeHost({ ...world.host, cwd: join(world.clone.path, 'fresh') })
    const { opened } = await open({ ...world, host }, { input: ['s.jsonl'], target: 'command:node agent.mjs' })
    const reason = `there is no folder "fresh" in ${world.commits.base.slice(0, 7)}`
    expect(opened).toEqual({ kind: 'unavailable', reason })
  })

  test('a folder that is a link out of the base commit', async () => {
    const world = pull({ base: OLD, change: {} })
    symlinkSync('/tmp', join(world.author.path, 'way'))
    const linked = world.author.commit()
    world.author.git('push', '-q', 'origin', 'main')
    world.clone.write({ 'way/agent.mjs': saying('new'), 'way/s.jsonl': SUITE })
    const host = fakeHost({ ...world.host, cwd: join(world.clone.path, 'way') })
    const raw = { input: ['s.jsonl'], target: 'command:node agent.mjs', 'control-base': linked }
    const { opened } = await open({ ...world, host }, raw)
    expect(opened).toEqual({ kind: 'unavailable', reason: expect.stringContaining('there is no folder "way"') })
  })

  test('a checkout that is none', async () => {
    const world = pull({ base: OLD, change: NEW })
    world.host.secrets.add('x')
    const outside = fakeHost({ ...world.host, cwd: join(world.root, 'temp') })
    const { opened } = await open(
      { ...world, host: outside },
      { input: ['Hello there'], target: 'command:echo', 'control-target': 'command:echo x' },
    )
    expect(opened).toEqual({ kind: 'unavailable', reason: expect.stringContaining('no checkout of git') })
  })

  test('a commit that origin does not give', async () => {
    const world = pull({ base: OLD, change: NEW })
    world.clone.git('remote', 'set-url', 'origin', join(world.root, 'gone.git'))
    const { opened } = await open(world, RAW)
    expect(opened).toEqual({
      kind: 'unavailable',
      reason: expect.stringMatching(/cannot be checked out: .*fetch-depth: 0/),
    })
  })

  test('an agent that the base commit breaks', async () => {
    const broken = { 'agent.mjs': 'process.exit(3)\n', 'evals/s.jsonl': SUITE }
    const world = pull({ base: broken, change: NEW })
    const { base } = await bothAnswers(await open(world, RAW))
    expect(base).toContain('error: the program exited with code 3')
  })

  test('a mistaken control-target is told before anything is run', async () => {
    const world = pull({ base: OLD, change: NEW })
    const opening = open(world, { ...RAW, 'control-target': 'comand:node agent.mjs' })
    await expect(opening).rejects.toThrow('--control-target: unknown target type "comand"')
  })
})

test('the agents of several suites are each that of the base, and one that is new there is missing', async () => {
  const settings = (name: string) => JSON.stringify({ type: 'command', run: ['node', name] })
  const world = pull({ base: OLD, change: { ...NEW, 'other.mjs': saying('other') } })
  const { opened, prepared } = await open(world, { ...RAW, target: settings('agent.mjs') })
  const second = await open(world, { ...RAW, target: settings('other.mjs') })
  expect(second.opened).toMatchObject({ kind: 'unavailable' })
  const [known] = prepared.plan.cases
  const [foreign] = second.prepared.plan.cases
  if (!known || !foreign) throw new Error('no case')
  const side = sideOf(opened)
  expect(await side.planned(foreign)).toEqual({ missing: 'its target was not opened' })
  const ofBase = await side.planned(known)
  expect('missing' in ofBase ? ofBase : await answer(ofBase)).toBe('old')
})
