import { describe, expect, test } from 'vitest'
import { agentTest, suiteOf } from '../support/command-line.ts'
import { tempFolders } from '../support/temp-folder.ts'

const folderWith = tempFolders()

const CHECK = `export function Polite(output: string, input: any, value: any) {
  return { pass: output.includes(value ?? "please"), message: "not polite: " + input }
}
export function Broken() {
  return missing.member
}
`
const SAYS = "process.stdin.on('data', (line) => process.stdout.write(JSON.parse(line).input))"
const TARGET = ['--target', JSON.stringify({ type: 'command', run: ['node', '-e', SAYS] })]

async function run(...records: readonly object[]) {
  const { path } = folderWith({ 'app.yao': '{}', 'scripts/tests/check.ts': CHECK, 'suite.jsonl': suiteOf(...records) })
  return await agentTest(['-i', 'suite.jsonl', ...TARGET], { cwd: path })
}

const asserts = (script: string, more: object = {}) => ({ assert: { type: 'script', script, ...more } })

describe('the script assertion', () => {
  test('lets a function of the application judge', async () => {
    const { code, stdout } = await run(
      { id: 'good', input: 'please', ...asserts('scripts.tests.check.Polite') },
      { id: 'other', input: 'thanks', ...asserts('scripts.tests.check.Polite', { value: 'thank' }) },
      { id: 'bad', input: 'now', ...asserts('scripts.tests.check.Polite') },
      { id: 'negated', input: 'now', ...asserts('scripts.tests.check.Polite', { negate: true }) },
      { id: 'broken', input: 'x', ...asserts('scripts.tests.check.Broken', { negate: true }) },
    )
    expect(code).toBe(1)
    expect(stdout).toMatch(/PASSED +good/)
    expect(stdout).toMatch(/PASSED +other/)
    expect(stdout).toMatch(/FAILED +bad/)
    expect(stdout).toContain('scripts.tests.check.Polite: not polite: now')
    expect(stdout).toMatch(/PASSED +negated/)
    expect(stdout).toMatch(/FAILED +broken/)
    expect(stdout).toContain("ReferenceError: 'missing' is not defined (at Broken (scripts/tests/check.ts:5))")
  })

  test('names every unknown function before anything runs', async () => {
    const { code, stdout, stderr } = await run(
      { id: 'a', input: 'x', ...asserts('scripts.tests.check.Polit') },
      { id: 'b', input: 'x', assert: [{ type: 'equals', value: 'x' }, asserts('scripts.tests.chek.Polite').assert] },
      { id: 'c', input: 'x', ...asserts('check.Polite') },
      { id: 'd', input: 'x', ...asserts('scripts.gone.Fn'), skip: true },
    )
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain(
      'suite.jsonl:1: assert.script: there is no function "Polit" in scripts/tests/check.ts (did you mean "Polite"?)',
    )
    expect(stderr).toContain(
      'suite.jsonl:2: assert[1].script: there is no script "tests/chek" in scripts (did you mean "tests/check"?)',
    )
    expect(stderr).toContain('suite.jsonl:3: assert.script: "check.Polite" is not the name of a script\'s function')
    expect(stderr).not.toContain('gone')
  })
})
