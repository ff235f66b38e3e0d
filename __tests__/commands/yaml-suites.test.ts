import { expect, test } from 'vitest'
import { folderWith } from '../suites/folder.ts'
import { agentTest } from '../support/command-line.ts'

const ECHO = '--target=command:node echo.mjs'
const program = {
  '.git/HEAD': '',
  'echo.mjs': [
    "import { readFileSync } from 'node:fs'",
    "process.stdout.write('You said: ' + JSON.parse(readFileSync(0, 'utf8')).input)",
  ].join('\n'),
  'tests/a.yaml': 'id: hello\nprompt: Hello\ntags: [smoke]\nassert: {type: contains, value: Hello}\n',
  'tests/b.yaml': 'id: bye\nprompt: Bye\ntags: [slow]\nassert: {type: contains, value: Hello}\n',
  'tests/c.yaml': 'id: talk\nprompts: [{text: One}, {text: Two}]\ntags: [talk]\napprovalStrategy: auto-deny\n',
}

test('a case with one prompt runs on any target, and tags choose', async () => {
  const cwd = folderWith(program)
  const smoke = await agentTest(['-i', 'tests', '--tag', 'smoke', ECHO], { cwd })
  expect(smoke).toMatchObject({ code: 0 })
  expect(smoke.stdout).toContain('hello')
  expect(smoke.stdout).not.toContain('bye')
  const both = await agentTest(['-i', 'tests', '--tag', 'smoke', '--tag', 'slow', ECHO], { cwd })
  expect(both).toMatchObject({ code: 1 })
})

test('a case that needs more than its first prompt does not run as if it needed no more', async () => {
  const { code, stderr } = await agentTest(['-i', 'tests', '--tag', 'talk', ECHO], { cwd: folderWith(program) })
  expect(code).toBe(1)
  expect(stderr).toContain('tests/c.yaml:1: prompts: case "talk" talks in 2 turns, and command:')
  expect(stderr).toContain('approvalStrategy: case "talk" answers requests for approval')
})

test('a tag that no case has', async () => {
  const { code, stderr } = await agentTest(['-i', 'tests', '--tag', 'smok', ECHO], { cwd: folderWith(program) })
  expect(code).toBe(1)
  expect(stderr).toContain('--tag: no case has the tag "smok" (did you mean "smoke"?)')
})

test('YAML is for OpenCode where nothing is said; a suite of lines beside it is not', async () => {
  const cwd = folderWith({ ...program, 'tests/d.jsonl': '{"id":"d","input":"x"}' })
  const { stderr } = await agentTest(['-i', 'tests/a.yaml', '-i', 'tests/d.jsonl', '--dry-run'], {
    cwd,
    env: { PATH: '' },
  })
  expect(stderr).toContain('tests/d.jsonl: no agent found')
  expect(stderr).not.toContain('tests/a.yaml: no agent found')
})

test('contradictions are warnings, and errors under --strict', async () => {
  const cwd = folderWith({
    ...program,
    'tests/a.yaml': 'id: a\nprompt: x\nbehavior: {mustUseTools: [read], forbiddenTools: [read]}\n',
  })
  const lax = await agentTest(['-i', 'tests/a.yaml', '--dry-run', ECHO], { cwd })
  expect(lax).toMatchObject({ code: 0 })
  expect(lax.stderr).toContain('contradiction: "read" must be used and must not be used')
  const strict = await agentTest(['-i', 'tests/a.yaml', '--dry-run', '--strict', ECHO], { cwd })
  expect(strict).toMatchObject({ code: 1 })
})
