import { mkdtemp, open, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createAppender, openSpool } from '../../src/lib/spool.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'spool-test-'))
})

afterEach(async () => {
  await rm(folder, { recursive: true, force: true })
})

const texts = fc.array(
  fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.nat(300_000).map((length) => '😀x'.repeat(length / 5)),
  ),
  { minLength: 1, maxLength: 30 },
)

describe('an appender', () => {
  test('writes everything in order, whatever the sizes', async () => {
    await fc.assert(
      fc.asyncProperty(texts, async (parts) => {
        const file = await open(join(folder, 'out'), 'w')
        const appender = createAppender(file)
        for (const part of parts) await appender.append(part)
        await appender.flush()
        expect(appender.bytes).toBe(Buffer.byteLength(parts.join('')))
        await file.close()
        expect(await readFile(join(folder, 'out'), 'utf8')).toBe(parts.join(''))
      }),
      { numRuns: 30 },
    )
  })

  test('writes what is little soon, without being told to', async () => {
    const file = await open(join(folder, 'out'), 'w')
    expect(createAppender(file).append('one line\n')).toBeUndefined()
    await expect.poll(() => readFile(join(folder, 'out'), 'utf8'), { timeout: 3_000 }).toBe('one line\n')
    await file.close()
  })

  test('holds nobody up before its buffer is full', async () => {
    const file = await open(join(folder, 'out'), 'w')
    const appender = createAppender(file)
    expect(appender.append('x'.repeat(60_000))).toBeUndefined()
    expect(appender.append('x'.repeat(6_000))).toBeInstanceOf(Promise)
    await appender.flush()
    await file.close()
  })

  test('tells of a failed write until the end', async () => {
    const file = await open(join(folder, 'out'), 'w')
    await file.close()
    const appender = createAppender(file)
    await expect(appender.append('x'.repeat(70_000))).rejects.toThrow()
    await expect(appender.append('y'.repeat(70_000))).rejects.toThrow()
    await expect(appender.flush()).rejects.toThrow()
  })
})

describe('a spool', () => {
  test('gives every text back, in any order, while others are added', async () => {
    await fc.assert(
      fc.asyncProperty(texts, fc.infiniteStream(fc.nat()), async (parts, numbers) => {
        const spool = await openSpool()
        const places = []
        for (const text of parts) {
          const { at, full } = spool.append(text)
          await full
          places.push({ at, text })
          const earlier = places[(numbers.next().value as number) % places.length]
          if (earlier) expect(await spool.read(earlier.at)).toBe(earlier.text)
        }
        for (const { at, text } of places.toReversed()) expect(await spool.read(at)).toBe(text)
        await spool.close()
      }),
      { numRuns: 30 },
    )
  })

  test('leaves nothing behind, even when it is not closed', async () => {
    const { TMPDIR } = process.env
    process.env['TMPDIR'] = folder
    const spool = await openSpool().finally(() => {
      if (TMPDIR === undefined) delete process.env['TMPDIR']
      else process.env['TMPDIR'] = TMPDIR
    })
    await spool.append('secret').full
    expect(await readdir(folder)).toEqual([])
    await spool.close()
  })
})
