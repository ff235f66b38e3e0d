import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createTextStore } from '../../src/lib/text-store.ts'

describe('a text store', () => {
  test('gives back what was put in, whatever came before and after', () => {
    const texts = fc.array(fc.string({ unit: 'grapheme', maxLength: 200 }), { maxLength: 50 })
    fc.assert(
      fc.property(texts, (list) => {
        const store = createTextStore()
        const places = list.map((text) => store.add(text))
        expect(places.map((place) => store.read(place))).toEqual(list)
      }),
    )
  })

  test('goes on in a new piece when one is full', () => {
    const store = createTextStore()
    const texts = Array.from({ length: 50 }, (_, index) => `${index}:${'ü'.repeat(40_000)}`)
    const places = texts.map((text) => store.add(text))
    expect(places.map((place) => store.read(place))).toEqual(texts)
  })

  test('refuses a text that no piece can hold', () => {
    expect(() => createTextStore().add('x'.repeat(2 * 1024 ** 2))).toThrow('too large')
  })
})
