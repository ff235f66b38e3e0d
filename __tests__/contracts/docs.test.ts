import { readdir, readFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { actionYml, withTables } from '../../scripts/docs.ts'
import { namesOn, OPTION_NAMES } from '../../src/config/lookup.ts'
import { OUTPUT_NAMES } from '../../src/config/outputs.ts'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..')
const read = (name: string) => readFile(join(root, name), 'utf8')

describe('action.yml', () => {
  test('is what npm run docs writes', async () => {
    expect(await read('action.yml')).toBe(actionYml())
  })

  test('declares the inputs, the outputs and a runtime that GitHub knows', async () => {
    const action = parse(await read('action.yml'))
    expect(Object.keys(action.inputs)).toEqual(namesOn('action'))
    expect(Object.keys(action.outputs)).toEqual(OUTPUT_NAMES)
    expect(action.runs).toEqual({ using: 'node24', main: 'dist/index.js' })
    expect(action.inputs.runs.default).toBe('3')
    expect(action.inputs['github-token'].default).toBe('${{ github.token }}')
    expect(action.inputs.name).not.toHaveProperty('default')
  })
})

describe('the tables of README.md', () => {
  test('are what npm run docs writes', async () => {
    const readme = await read('README.md')
    expect(withTables(readme)).toBe(readme)
  })

  test('name every option and every output', async () => {
    const readme = await read('README.md')
    const rows = readme.split('\n').filter((line) => line.startsWith('| '))
    for (const name of OPTION_NAMES)
      expect(rows.filter((row) => row.includes(`--${name}`) || row.startsWith(`| \`${name}\` `))).not.toEqual([])
    for (const name of OUTPUT_NAMES) expect(rows.filter((row) => row.startsWith(`| \`${name}\` `))).not.toEqual([])
  })

  test('replace what stands between the marks and nothing else', () => {
    const written = withTables(
      'a\n<!-- inputs -->\nstale row\n<!-- /inputs -->\nb\n<!-- outputs -->\n<!-- /outputs -->\nc\n',
    )
    expect(written.split('\n').filter((line) => !line.startsWith('| ') && line !== '')).toEqual([
      'a',
      '<!-- inputs -->',
      '<!-- /inputs -->',
      'b',
      '<!-- outputs -->',
      '<!-- /outputs -->',
      'c',
    ])
    expect(withTables(written)).toBe(written)
  })

  test.each([
    ['no mark', 'text'],
    ['no end', '<!-- inputs -->'],
    ['the end first', '<!-- /inputs -->\n<!-- inputs -->'],
  ])('are refused where the README has %s', (_situation, readme) => {
    expect(() => withTables(readme)).toThrow('README.md needs the lines <!-- inputs --> and <!-- /inputs -->')
  })
})

test('ARCHITECTURE.md names only what is in the sources', async () => {
  const entries = await readdir(join(root, 'src'), { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const words = new Set((await Promise.all(files.map((file) => readFile(file, 'utf8')))).join('\n').split(/\W+/))
  const named = [...(await read('.github/ARCHITECTURE.md')).matchAll(/`([a-z]+[A-Z]\w*)`/g)].map(
    ([, name = '']) => name,
  )
  expect(named.length).toBeGreaterThan(15)
  expect(named.filter((name) => !words.has(name))).toEqual([])
})
