import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, inject, test } from 'vitest'
import { differencesFromDist } from './support/bundle.ts'

const { directory } = inject('bundles')

test('the committed dist is what npm run build makes of these sources', async () => {
  expect(await differencesFromDist(directory)).toEqual([])
})

describe('a stale dist is noticed', () => {
  test.each([
    ['a changed file', (dist: string) => writeFile(join(dist, 'index.js'), '// an older build')],
    ['a missing chunk', (dist: string) => rm(join(dist, 'cli', 'index.js'))],
    ['a chunk that no build makes any more', (dist: string) => writeFile(join(dist, '0.index.js'), '')],
  ])('with %s', async (_situation, spoil) => {
    const folder = await mkdtemp(join(tmpdir(), 'agent-test-stale-'))
    try {
      await cp(directory, folder, { recursive: true })
      expect(await differencesFromDist(directory, folder)).toEqual([])
      await spoil(folder)
      expect(await differencesFromDist(directory, folder)).toHaveLength(1)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
})
