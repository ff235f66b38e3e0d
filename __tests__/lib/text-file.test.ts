import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { openTextFile } from '../../src/lib/text-file.ts'

const TEXTS = ['', 'a', 'é€𝄞', 'x'.repeat(200_000), '\n"\\', 'y'.repeat(300_000), 'z', '\u0000', 'ß'.repeat(262_144)]

test('texts come back as they were, in any order, while more are added', () => {
  const file = openTextFile()
  const places = Array.from({ length: 5 }, () => TEXTS.map((text) => [file.add(text), text] as const)).flat()
  for (const [place, text] of places) expect(file.read(place) === text).toBe(true)
  for (const [place, text] of places.toReversed()) expect(file.read(place) === text).toBe(true)
  const late = file.add('late')
  expect([file.read(late), file.read(places[0]?.[0] ?? late)]).toEqual(['late', ''])
  file.close()
})

test('it leaves nothing behind, and a small one never touches the disk', () => {
  const ours = () => readdirSync(tmpdir()).filter((name) => name.startsWith('agent-test-texts-')).length
  const before = ours()
  const small = openTextFile()
  small.add('x')
  expect(ours()).toBe(before)
  small.close()
  const large = openTextFile()
  large.add('x'.repeat(1_000_000))
  large.close()
  expect(ours()).toBe(before)
})
