import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compilePattern } from '../../src/lib/regex.ts'
import { rerunCommand } from '../../src/render/rerun.ts'
import { aCaseReport } from '../support/builders.ts'
import { hostileText } from '../support/markdown.ts'

const run = promisify(execFile)
const threeRuns = { runsPerCase: 3 }

test.each([
  ['a plain id', { id: 'refund-03' }, "-i tests/support.jsonl --run '^refund-03$' --runs 3"],
  ['marks of a pattern', { id: 'a.b (c)' }, "-i tests/support.jsonl --run '^a\\.b \\(c\\)$' --runs 3"],
  ['a quote', { id: "it's" }, "-i tests/support.jsonl --run '^it'\\''s$' --runs 3"],
  ['letters of other scripts', { id: '退款' }, "-i tests/support.jsonl --run '^退款$' --runs 3"],
  ['a line break', { id: 'a\nb' }, "-i tests/support.jsonl --run '^a\\x{a}b$' --runs 3"],
  ['a folder with a blank', { suite: 'my tests/a.jsonl' }, "-i 'my tests/a.jsonl' --run '^greet-01$' --runs 3"],
  ['a suite that looks like a flag', { suite: '-x.jsonl' }, "--input=-x.jsonl --run '^greet-01$' --runs 3"],
  ['a direct message', { suite: 'message', id: 'T001', input: 'Say $HOME' }, "-i 'Say $HOME' --runs 3"],
])('the command that runs %s again', (_title, overrides, wanted) => {
  expect(rerunCommand(aCaseReport(overrides), threeRuns)).toBe(`npx --yes github:org/agent-test#v1 ${wanted}`)
})

test('arguments the run was given are given again', () => {
  const command = rerunCommand(aCaseReport(), threeRuns, ['--target', 'command:node agent.mjs'])
  expect(command).toMatch(/ --runs 3 --target 'command:node agent\.mjs'$/)
})

/** What a program called by the command would get; `printf` stands in for npx. */
async function argumentsIn(commands: readonly string[]): Promise<string[][]> {
  const script = commands.map((command) => `${command.replace('npx', "printf '%s\\0'")}; printf '\\0'`).join('\n')
  const { stdout } = await run('bash', ['--norc', '-c', script], { maxBuffer: 64 * 1024 * 1024 })
  return stdout
    .split('\0\0')
    .slice(0, -1)
    .map((line) => line.split('\0'))
}

// A process argument can hold neither NUL nor half a character.
const isTypable = (text: string) => !/\0|\p{Surrogate}/u.test(text)

test('a shell hands over exactly the suite and a pattern that matches exactly the id', async () => {
  const names = fc.sample(fc.tuple(hostileText, hostileText), 300).filter(([suite]) => isTypable(suite))
  const items = names.map(([suite, id]) => aCaseReport({ suite: `s${suite}`, id: `c${id}` }))
  const commands = items.map((item) => rerunCommand(item, threeRuns))
  expect(commands.filter((command) => /\p{Cc}|\p{Cf}|[\u2028\u2029]/u.test(command))).toEqual([])
  const given = await argumentsIn(commands)
  expect(given).toHaveLength(items.length)
  for (const [index, { suite, id }] of items.entries()) {
    const [, , flag, source, filter, pattern, ...rest] = given[index] ?? []
    expect([flag, source, filter, ...rest]).toEqual(['-i', suite, '--run', '--runs', '3'])
    const compiled = compilePattern(pattern ?? '')
    expect(compiled.test(id)).toBe(true)
    expect(compiled.test(`${id}x`)).toBe(false)
    expect(compiled.test(`x${id}`)).toBe(false)
  }
})
