import { describe, expect, test } from 'vitest'
import { casesOf, described, jsonLines, loadText } from './folder.ts'

describe('hostile files', () => {
  test.each([
    ['objects', `{"id":"a","input":"x","metadata":${'{"a":'.repeat(1e6)}1${'}'.repeat(1e6)}}`],
    ['lists', `{"id":"a","input":${'['.repeat(1e6)}${']'.repeat(1e6)}}`],
    ['unclosed lists', '['.repeat(1e6)],
    ['unclosed objects', '{"a":'.repeat(1e6)],
    ['lists over many lines', '[\n'.repeat(1e5)],
  ])('%s nested a million deep are refused', async (_, text) => {
    const loaded = await loadText(`${text}\n{"id":"last","input":"x"}`)
    expect(loaded.problems[0]?.message).toContain('nested deeper than 128 levels')
    expect(casesOf(loaded).map(({ id }) => id)).toContain('last')
  })

  test('names of object internals are plain names', async () => {
    const loaded = await loadText(
      '{"id":"a","input":"x","metadata":{"__proto__":{"x":1},"constructor":2},"__proto__":{"skip":true},"toString":1,"options":{"__proto__":{"mode":"m"}}}',
    )
    expect(described(loaded)).toEqual([])
    const [item] = casesOf(loaded)
    expect(JSON.stringify(item?.metadata)).toBe('{"__proto__":{"x":1},"constructor":2}')
    expect(item?.skip).toBeUndefined()
    expect(item?.options.mode).toBeUndefined()
    expect(loaded.suites[0]?.warnings).toHaveLength(3)
  })

  test('unknown fields without end are cut short', async () => {
    const fields = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`f${index}${'x'.repeat(1_000)}`, 1]))
    const warnings = (await loadText(jsonLines({ id: 'a', input: 'x', ...fields }))).suites[0]?.warnings
    expect(warnings).toHaveLength(101)
    expect(warnings?.at(-1)).toBe('cases.jsonl: 900 more warnings')
    expect(warnings?.every((text) => text.length < 300)).toBe(true)
  })

  test('unfinished records one after the other do not take for ever', async () => {
    const loaded = await loadText('{"id":"a","input":\n'.repeat(5_000))
    expect(loaded.problems).toHaveLength(5_000)
  })

  test('a record over 32 MiB is refused, and reading goes on after it', async () => {
    const long = JSON.stringify({ id: 'long', input: 'x'.repeat(33 * 1024 * 1024) })
    const loaded = await loadText(`${long}\n{"id":"a","input":"Hello"}`)
    expect(described(loaded)).toEqual(['cases.jsonl:1: the record is longer than 32 MiB'])
    expect(casesOf(loaded).map(({ id }) => id)).toEqual(['a'])
  })

  test('a record of several MiB is data like any other', async () => {
    const loaded = await loadText(jsonLines({ id: 'big', input: 'x'.repeat(5 * 1024 * 1024) }))
    expect(described(loaded)).toEqual([])
  })
})

test('fifty thousand cases load', async () => {
  const records = Array.from({ length: 50_000 }, (_, index) => ({
    id: `c${index}`,
    input: `q ${index}`,
    assert: { type: 'contains', value: 'x' },
  }))
  const loaded = await loadText(jsonLines(...records))
  expect(described(loaded)).toEqual([])
  expect(casesOf(loaded)).toHaveLength(50_000)
  expect(casesOf(loaded).at(-1)?.location.line).toBe(50_000)
})
