import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { UserError } from '../../src/core/errors.ts'
import { createTarget } from '../../src/targets/index.ts'
import { fakeHost } from '../support/fake-host.ts'
import { collect } from '../support/run-request.ts'

let folder: string
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'agent-test-command-')))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const create = (run: unknown, env: Record<string, string> = { PATH: folder }) =>
  createTarget({ type: 'command', run }, { host: fakeHost({ cwd: folder, env }) })

beforeAll(async () => {
  await mkdir(join(folder, 'bin'))
  await writeFile(join(folder, 'bin', 'plain.txt'), 'no program')
  await chmod(join(folder, 'bin', 'plain.txt'), 0o644)
  await symlink(process.execPath, join(folder, 'bin', 'runtime'))
})

test.each<[string, () => string, () => string]>([
  ['in PATH', () => 'runtime --version', () => `relative${delimiter}/nowhere${delimiter}${join(folder, 'bin')}`],
  ['by a path from the working directory', () => './bin/runtime --version', () => '/nowhere'],
  ['by an absolute path', () => `${join(folder, 'bin', 'runtime')} --version`, () => ''],
])('%s', async (_, run, path) => {
  const target = await create(run(), { PATH: path() })
  expect(await collect(target)).toEqual({ events: [{ type: 'assistant_message', text: process.version }] })
})

test.each([
  ['not in PATH', 'no-such-agent --fast', 'the program "no-such-agent" is not in PATH'],
  ['in the working directory, which an empty entry of PATH would mean', 'bin', 'the program "bin" is not in PATH'],
  ['a path to nothing', './bin/none', 'the program "./bin/none" does not exist'],
  ['a folder', './bin', 'the program "./bin" is not a file'],
  ['not executable', 'bin/plain.txt', 'the program "bin/plain.txt" is not executable'],
  ['a shell line', 'cd bin && ./runtime', 'the program "cd" is not in PATH'],
  ['nothing', '  ', 'names no program'],
  ['an empty word', ['', 'a'], 'names no program'],
  ['an empty list', [], 'names no program'],
  ['an open quote', `node 'a`, `the single quote in "'a" is never closed`],
  ['a NUL character', ['node', 'a\0b'], 'a word holds a NUL character'],
])('%s is a configuration error', async (_, run, message) => {
  const error = await create(run, { PATH: `${delimiter}${join(folder, 'bin')}` }).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(UserError)
  expect(error).toMatchObject({ code: 'INVALID_TARGET', problems: [{ field: 'target.run', message }] })
})
