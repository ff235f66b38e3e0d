import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openAttachments } from '../../src/suites/attachments.ts'
import { loadSuites } from '../../src/suites/index.ts'
import { fakeHost } from '../support/fake-host.ts'
import { casesOf, described, folderWith, jsonLines } from './folder.ts'

function suite(source: string, id = 'a') {
  return jsonLines({ id, input: { content: [{ type: 'file', source }] } })
}

async function urlOf(
  cwd: string,
  { env = {}, allowOutside = false }: { env?: Record<string, string>; allowOutside?: boolean } = {},
) {
  const loaded = await loadSuites({ inputs: ['tests/cases.jsonl'], host: fakeHost({ cwd, env }), allowOutside })
  const content = casesOf(loaded)[0]?.messages[0]?.content
  const [part] = Array.isArray(content) ? content : []
  return { problems: described(loaded), url: part?.type === 'file' ? part.file.url : undefined }
}

describe('where files are looked for', () => {
  test('beside the suite, not in the working directory', async () => {
    const cwd = folderWith({ 'tests/cases.jsonl': suite('file://a.txt'), 'tests/a.txt': 'T', 'a.txt': 'wrong' })
    expect(await urlOf(cwd)).toEqual({ problems: [], url: 'data:text/plain;base64,VA==' })
  })

  test('an absolute path is taken as it is, outside of CI anywhere', async () => {
    const elsewhere = folderWith({ 'a.txt': 'T' })
    const cwd = folderWith({ 'tests/cases.jsonl': suite(`file://${join(elsewhere, 'a.txt')}`) })
    expect(await urlOf(cwd)).toEqual({ problems: [], url: 'data:text/plain;base64,VA==' })
  })
})

describe('in CI', () => {
  const outside = {
    problems: [
      'tests/cases.jsonl:1: input.content[0].source: the file lies outside of the workspace, which is not allowed in CI (keep attachments in the repository; the command line takes --allow-outside)',
    ],
    url: undefined,
  }

  test('a file above the workspace is refused', async () => {
    const root = folderWith({ 'secret.txt': 'S', 'repo/tests/cases.jsonl': suite('file://../../secret.txt') })
    expect(await urlOf(join(root, 'repo'), { env: { CI: 'true' } })).toEqual(outside)
    expect(await urlOf(join(root, 'repo'), { env: { CI: 'false' } })).toMatchObject({ problems: [] })
  })

  test('a link that leads out of the workspace is refused', async () => {
    const root = folderWith({ 'secret.txt': 'S', 'repo/tests/cases.jsonl': suite('file://inside.txt') })
    symlinkSync(join(root, 'secret.txt'), join(root, 'repo/tests/inside.txt'))
    expect(await urlOf(join(root, 'repo'), { env: { CI: '1' } })).toEqual(outside)
  })

  test('a folder whose name only starts like the workspace is outside', async () => {
    const root = folderWith({
      'repo-secrets/s.txt': 'S',
      'repo/tests/cases.jsonl': suite('file://../../repo-secrets/s.txt'),
    })
    expect(await urlOf(join(root, 'repo'), { env: { CI: 'true' } })).toEqual(outside)
  })

  test('the workspace of GitHub counts, not the working directory, and it may be a link', async () => {
    const root = folderWith({
      'repo/shared/a.txt': 'T',
      'repo/pkg/tests/cases.jsonl': suite('file://../../shared/a.txt'),
    })
    symlinkSync(join(root, 'repo'), join(root, 'link'))
    const env = { CI: 'true', GITHUB_WORKSPACE: join(root, 'link') }
    expect(await urlOf(join(root, 'repo/pkg'), { env })).toMatchObject({
      problems: [],
      url: 'data:text/plain;base64,VA==',
    })
  })

  test('what the checkout keeps in .git is refused', async () => {
    const cwd = folderWith({ '.git/config': 'token', 'tests/cases.jsonl': suite('file://../.git/config') })
    const problems = ['tests/cases.jsonl:1: input.content[0].source: files of the .git folder are not allowed in CI']
    expect((await urlOf(cwd, { env: { CI: 'true' } })).problems).toEqual(problems)
    expect((await urlOf(cwd, { env: { CI: 'true' }, allowOutside: true })).problems).toEqual(problems)
  })

  test.each([
    ['above the workspace', 'file://../../a.txt'],
    ['behind a link', 'file://link.txt'],
  ])('what lies %s is read when it is allowed', async (_, source) => {
    const root = folderWith({ 'a.txt': 'T', 'repo/tests/cases.jsonl': suite(source) })
    symlinkSync(join(root, 'a.txt'), join(root, 'repo/tests/link.txt'))
    const world = { env: { CI: 'true' } }
    expect(await urlOf(join(root, 'repo'), world)).toEqual(outside)
    expect(await urlOf(join(root, 'repo'), { ...world, allowOutside: true })).toEqual({
      problems: [],
      url: 'data:text/plain;base64,VA==',
    })
  })

  test('the .git of another checkout is no attachment either', async () => {
    const root = folderWith({
      'other/.git/config': 'token',
      'repo/tests/cases.jsonl': suite('file://../../other/.git/config'),
    })
    expect((await urlOf(join(root, 'repo'), { env: { CI: '1' }, allowOutside: true })).problems).toEqual([
      expect.stringContaining('files of the .git folder'),
    ])
  })
})

describe('what is read', () => {
  test.each([
    ['A.TXT', 'text/plain'],
    ['a.tsx', 'text/typescript'],
    ['a.hpp', 'text/x-c++'],
    ['a.docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
    ['a.zsh', 'text/x-shellscript'],
    ['archive.tar.gz', 'application/gzip'],
    ['Makefile', 'application/octet-stream'],
    ['constructor', 'application/octet-stream'],
  ])('%s is %s', (name, mime) => {
    const folder = folderWith({ [name]: 'x' })
    expect(openAttachments({ cwd: folder, env: {} }).load(name, { folder, form: 'file' })).toEqual({
      ok: true,
      data: `data:${mime};base64,eA==`,
    })
  })

  test('a file used often is read once', () => {
    const folder = folderWith({ 'a.png': 'one' })
    const attachments = openAttachments({ cwd: folder, env: {} })
    const first = attachments.load('a.png', { folder, form: 'image' })
    writeFileSync(join(folder, 'a.png'), 'two')
    expect(attachments.load('./a.png', { folder, form: 'image' })).toBe(first)
  })

  test('a file over 20 MiB is refused', () => {
    const folder = folderWith({ 'big.bin': '' })
    truncateSync(join(folder, 'big.bin'), 21 * 1024 * 1024)
    expect(openAttachments({ cwd: folder, env: {} }).load('big.bin', { folder, form: 'file' })).toEqual({
      ok: false,
      message: 'larger than 20 MiB (21.0 MiB)',
    })
  })

  test.each([
    ['a missing file', 'no.txt', 'file "no.txt" not found'],
    ['a file below a file', 'a.txt/b.txt', 'file "a.txt/b.txt" not found'],
    ['a folder', 'dir.txt', '"dir.txt" is not a file'],
    ['a link to itself', 'loop.txt', '"loop.txt" cannot be read (ELOOP)'],
    ['a path with a zero byte', 'a\0.txt', '"a\\u0000.txt" cannot be read (ERR_INVALID_ARG_VALUE)'],
    ['a device', '/dev/zero', '"/dev/zero" is not a file'],
  ])('%s is refused', (_, path, message) => {
    const folder = folderWith({ 'a.txt': 'x' })
    mkdirSync(join(folder, 'dir.txt'))
    symlinkSync('loop.txt', join(folder, 'loop.txt'))
    expect(openAttachments({ cwd: folder, env: {} }).load(path, { folder, form: 'file' })).toEqual({
      ok: false,
      message,
    })
  })
})
