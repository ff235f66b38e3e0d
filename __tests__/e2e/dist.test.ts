import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { differencesFromDist } from '../support/bundle.ts'

test('the committed dist is what the sources give', async () => {
  expect(await differencesFromDist(inject('bundles').directory)).toEqual([])
})

test('a changed, a missing and a left-over file are each noticed', async () => {
  const { directory } = inject('bundles')
  const copy = await mkdtemp(join(tmpdir(), 'agent-test-dist-'))
  await cp(directory, copy, { recursive: true })
  await writeFile(join(copy, 'index.js'), '// other\n')
  await rm(join(copy, 'package.json'))
  await writeFile(join(copy, 'cli', '9.index.js'), '')
  expect(await differencesFromDist(directory, copy)).toEqual(['cli/9.index.js', 'index.js', 'package.json'])
  await rm(copy, { recursive: true })
})
