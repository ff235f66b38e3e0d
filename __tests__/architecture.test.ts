import { readdir, readFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { LAYERS, type Sources, violationsOf } from './support/architecture-rules.ts'

const src = resolve(dirname(fileURLToPath(import.meta.url)), '..', 'src')

async function readSources(): Promise<Sources> {
  const entries = await readdir(src, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
  const read = async (file: string): Promise<[string, string]> => [
    relative(src, file).replaceAll('\\', '/'),
    await readFile(file, 'utf8'),
  ]
  return new Map(await Promise.all(files.map((entry) => read(join(entry.parentPath, entry.name)))))
}

describe('the sources', () => {
  test('keep every rule of the architecture', async () => {
    const sources = await readSources()
    expect(sources.size).toBeGreaterThan(40)
    expect(violationsOf(sources)).toEqual([])
  })

  test('fill every row of the table of layers', async () => {
    const sources = await readSources()
    const units = new Set([...sources.keys()].map((path) => path.split('/')[0]))
    expect(Object.keys(LAYERS).filter((unit) => !units.has(unit))).toEqual([])
  })
})

/** Files that are there to be imported; `planted` adds the one under test. */
const HOUSE = {
  'core/json.ts': 'export const json = 1',
  'lib/pool.ts': 'export const pool = 1',
  'targets/target.ts': 'export const defineTarget = (x: unknown) => x',
  'targets/http.ts': "import { defineTarget } from './target.ts'\nexport const http = defineTarget({})",
  'targets/all.ts': "export { http } from './http.ts'",
  'targets/index.ts': "import * as all from './all.ts'\nexport const targets = all",
  'runner/execute.ts': 'export const execute = 1',
  'suites/index.ts': 'export const suites = 1',
  'pipeline.ts': 'export const run = 1',
}

const planted = (files: Record<string, string>) => violationsOf(new Map(Object.entries({ ...HOUSE, ...files })))

describe('the checker', () => {
  test('is content with a house in order', () => {
    expect(planted({})).toEqual([])
  })

  test.each([
    [
      'an import upwards',
      { 'core/a.ts': "import { run } from '../pipeline.ts'" },
      'core/a.ts:1 imports ../pipeline.ts: core (row 1) may not use pipeline.ts (row 5.2)',
    ],
    [
      'an import upwards of types only',
      { 'core/a.ts': "import type { run } from '../pipeline.ts'" },
      'core/a.ts:1 imports ../pipeline.ts: core (row 1) may not use pipeline.ts (row 5.2)',
    ],
    [
      'a lazy import upwards',
      { 'lib/a.ts': "export const load = () => import('../core/json.ts')" },
      'lib/a.ts:1 imports ../core/json.ts: lib (row 0) may not use core (row 1)',
    ],
    [
      'a sibling',
      { 'runner/a.ts': "\nexport { suites } from '../suites/index.ts'" },
      'runner/a.ts:2 imports ../suites/index.ts: runner (row 3) may not use suites (row 3)',
    ],
    [
      "a kind's own file from outside",
      { 'runner/a.ts': "import { http } from '../targets/http.ts'" },
      'runner/a.ts:1 imports ../targets/http.ts: targets is entered through index.ts or target.ts',
    ],
    [
      'a folder without a row',
      { 'helpers/a.ts': "import { json } from '../core/json.ts'" },
      'helpers/a.ts: helpers has no row in the table of layers',
    ],
    [
      'an SDK outside its folder',
      { 'runner/a.ts': "import OpenAI from 'openai'" },
      'runner/a.ts:1 imports openai: runner may use node:',
    ],
    [
      'a package below a scope outside its folder',
      { 'runner/a.ts': "import { retry } from '@octokit/plugin-retry'" },
      'runner/a.ts:1 imports @octokit/plugin-retry: runner may use node:',
    ],
    [
      'Node in a pure folder',
      { 'core/a.ts': "import { readFile } from 'node:fs/promises'" },
      'core/a.ts:1 imports node:fs/promises: core may use zod',
    ],
    [
      'the process by the back door',
      { 'runner/a.ts': "import { env } from 'node:process'" },
      'runner/a.ts:1 imports node:process: only the entries touch the process',
    ],
    [
      'the artifact client loaded at once',
      { 'artifacts/a.ts': "import { DefaultArtifactClient } from '@actions/artifact'" },
      'artifacts/a.ts:1 imports @actions/artifact eagerly: use await import()',
    ],
    [
      'the environment',
      { 'runner/a.ts': 'export const token = process.env.TOKEN' },
      'runner/a.ts:1 uses process: only the entries do; take it from Host',
    ],
    [
      'the process as a value',
      { 'runner/a.ts': 'export const all = { process }' },
      'runner/a.ts:1 uses process: only the entries do; take it from Host',
    ],
    [
      'the console',
      { 'core/a.ts': "\n\nexport const say = () => console.log('x')" },
      'core/a.ts:3 uses console: only the entries do; take it from Host',
    ],
    [
      'the clock',
      { 'runner/a.ts': 'export const at = Date.now()' },
      'runner/a.ts:1 uses Date.now: only the entries do; take it from Host',
    ],
    [
      'the clock as a date',
      { 'runner/a.ts': 'export const at = new Date()' },
      'runner/a.ts:1 uses new Date(): only the entries do; take it from Host',
    ],
    [
      'randomness',
      { 'core/a.ts': 'export const die = Math.random()' },
      'core/a.ts:1 uses Math.random: only the entries do; take it from Host',
    ],
    [
      'the built-in fetch',
      { 'targets/a.ts': "export const get = () => fetch('x')" },
      'targets/a.ts:1 uses fetch: only the entries do; take it from Host',
    ],
    [
      'a cycle',
      {
        'core/a.ts': "import { b } from './b.ts'\nexport const a = b",
        'core/b.ts': "import { a } from './a.ts'\nexport const b = a",
      },
      'core/a.ts -> core/b.ts -> core/a.ts: a cycle',
    ],
    [
      'a kind that the registry does not name',
      { 'targets/tcp.ts': "import { defineTarget } from './target.ts'\nexport const tcp = defineTarget({})" },
      'targets/tcp.ts: tcp is not listed in targets/all.ts',
    ],
  ])('finds %s', (_situation, files, violation) => {
    expect(planted(files)).toEqual([violation])
  })

  test.each([
    ['a type from the artifact client', { 'artifacts/a.ts': "import type { Artifact } from '@actions/artifact'" }],
    [
      'the artifact client behind await import()',
      { 'artifacts/a.ts': "export const client = () => import('@actions/artifact')" },
    ],
    [
      'a cycle of types alone',
      {
        'core/a.ts': "import type { B } from './b.ts'\nexport type A = B",
        'core/b.ts': "import type { A } from './a.ts'\nexport type B = A | 1",
      },
    ],
    ['a property called process', { 'core/a.ts': 'export const at = (x: { process: number }) => x.process' }],
    ['a parameter called fetch', { 'targets/a.ts': 'export const client = (fetch: () => void) => ({ fetch })' }],
    ['a date made from a number', { 'core/a.ts': 'export const day = (ms: number) => new Date(ms)' }],
    ['the process in an entry', { 'cli.ts': 'export const args = process.argv' }],
    [
      'words in a text or a comment',
      { 'core/a.ts': "// console.log, process.env\nexport const text = 'Date.now() process.env'" },
    ],
  ])('allows %s', (_situation, files) => {
    expect(planted(files)).toEqual([])
  })
})
