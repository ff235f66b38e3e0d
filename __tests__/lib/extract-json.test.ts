import { describe, expect, test } from 'vitest'
import { describeCandidate, findJson, type JsonCandidate } from '../../src/lib/extract-json.ts'

async function allIn(text: string): Promise<JsonCandidate[]> {
  const found: JsonCandidate[] = []
  for await (const candidate of findJson(text)) found.push(candidate)
  return found
}

async function valuesIn(text: string): Promise<unknown[]> {
  return (await allIn(text)).map((candidate) => candidate.value)
}

const fence = (label: string, body: string) => `\`\`\`${label}\n${body}\n\`\`\`\n`

describe('what is found, in order', () => {
  test.each<[string, string, unknown[]]>([
    ['nothing in an empty text', '', []],
    ['nothing in prose', 'no json here', []],
    ['no bare scalars', '42', []],
    ['no quoted text', '"red"', []],
    ['the whole text, and then nothing else', '{"a":[{"b":1}]}', [{ a: [{ b: 1 }] }]],
    ['a whole list', '[1,2]', [[1, 2]]],
    ['blanks and a byte order mark around it', '\uFEFF \n{"a":1}\n\n', [{ a: 1 }]],
    [
      'a whole text before the fence inside one of its strings',
      '{"code":"```json\\n{}\\n```","ok":true}',
      [{ code: '```json\n{}\n```', ok: true }],
    ],
    ['a fence, then the same again as a piece of the text', `Here:\n${fence('json', '{"a":1}')}`, [{ a: 1 }, { a: 1 }]],
    ['a fence with its label in capitals', fence('JSON', '[1]'), [[1], [1]]],
    ['a fence on one line', 'Take ```json{"a":1}``` please', [{ a: 1 }, { a: 1 }]],
    ['a fence with more words behind its label', fence('json title="x"', '{"a":1}'), [{ a: 1 }, { a: 1 }]],
    ['a fence with Windows line ends', '```json\r\n{"a":1}\r\n```\r\n', [{ a: 1 }, { a: 1 }]],
    ['an indented fence', '- see\n   ```json\n   {"a":1}\n   ```', [{ a: 1 }, { a: 1 }]],
    ['a fence that is never closed', '```json\n{"a":1}\n', [{ a: 1 }, { a: 1 }]],
    ['a fence whose JSON holds backticks', fence('json', '{"a":"```x```"}'), [{ a: '```x```' }, { a: '```x```' }]],
    [
      'labelled fences before those without a label',
      `${fence('', '{"a":1}')}${fence('json', '{"a":2}')}`,
      [{ a: 2 }, { a: 1 }, { a: 1 }, { a: 2 }],
    ],
    ['no fence of another language', fence('sql', 'SELECT 1'), []],
    ['a YAML fence', fence('yaml', 'a: 1\nb: [x]'), [{ a: 1, b: ['x'] }]],
    ['a YAML fence by its short name', fence('yml', '- a\n- b'), [['a', 'b']]],
    ['YAML in a fence without a label', fence('', 'a: 1'), [{ a: 1 }]],
    ['objects in prose', 'First {"a":1}, then {"a":{"b":2}}.', [{ a: 1 }, { a: { b: 2 } }]],
    ['a brace inside a string', 'So {"a":"} {"} it is', [{ a: '} {' }]],
    ['a quotation mark in the prose before', 'a 5" pipe {"a":1} of 6"', [{ a: 1 }]],
    ['an object behind a brace that is never closed', 'a { here\nand {"a":1}', [{ a: 1 }]],
    ['an object behind a lone quotation mark', 'a { 5" here\nand {"a":1}', [{ a: 1 }]],
    ['an object inside brackets of prose', '[so I say {"a":1} here]', [{ a: 1 }]],
    ['an object inside of code', 'f() { return {"a":1} }', [{ a: 1 }]],
    ['an object behind a stray closing brace', '} ] {"a":1}', [{ a: 1 }]],
    ['a list that closes before its object does', '[ { "a": 1 ] {"b":2}', [[{ a: 1 }], { b: 2 }]],
    ['trailing commas', '{"a":1,}', [{ a: 1 }, { a: 1 }]],
    ['single quotes', "{'a':'b'}", [{ a: 'b' }, { a: 'b' }]],
    ['bare keys', '{a: "b"}', [{ a: 'b' }, { a: 'b' }]],
    ['comments', '{"a":1 /* one */}', [{ a: 1 }, { a: 1 }]],
    ['a text that was cut off', '{"a":{"b":"c', [{ a: { b: 'c' } }]],
    ['a broken fence', fence('json', '{"a":1,}'), [{ a: 1 }, { a: 1 }]],
    ['a broken object in prose', "I say {'a': 1} here", [{ a: 1 }]],
    ['a key that is called __proto__', '{"__proto__":{"a":1}}', [JSON.parse('{"__proto__":{"a":1}}')]],
    ['a text that looks like YAML', 'a: 1\nb: two', [{ a: 1, b: 'two' }]],
    ['a YAML document', '---\na: 1', [{ a: 1 }]],
    ['no YAML that is broken', 'a: b: c\n - d', []],
    ['no YAML in a sentence with quotation marks', '"a": said he', []],
  ])('%s', async (_, text, values) => {
    expect(await valuesIn(text)).toEqual(values)
  })

  test('a part of a broken document does not answer for the whole', async () => {
    const [first] = await valuesIn('{"user":{"color":"blue"},"color":"red",}')
    expect(first).toEqual({ user: { color: 'blue' }, color: 'red' })
  })

  test('a document that nobody can mend yields none of its parts', async () => {
    expect(await valuesIn('see {"user": {"color":"blue"}, ::, "x" "y": } there')).toEqual([])
  })
})

describe('how it was found', () => {
  test.each<[string, string, string[]]>([
    ['a whole text needs no words', '{"a":1}', ['']],
    [
      'a fence and a piece of the text',
      `One\n\n${fence('json', '{"a":1}')}`,
      ['JSON in the fence at line 4', 'JSON in the text at line 4'],
    ],
    ['a YAML fence', fence('yaml', 'a: 1'), ['YAML in the fence at line 2']],
    ['a mended text', "{'a':1}", ['the output read as repaired JSON', 'repaired JSON in the text at line 1']],
    [
      'a mended fence',
      fence('json', "{'a':1}"),
      ['repaired JSON in the fence at line 2', 'repaired JSON in the text at line 2'],
    ],
    ['a guess', 'a: 1', ['the output read as YAML']],
  ])('%s', async (_, text, words) => {
    expect((await allIn(text)).map((candidate) => describeCandidate(candidate, text))).toEqual(words)
  })

  test.each<[string, string, boolean[]]>([
    ['a fence says that it is data', fence('json', "{'a':1}"), [false, true]],
    ['a mended piece of prose is a guess', "so {'a':1} is", [true]],
    ['text that looks like YAML is a guess', 'a: 1', [true]],
    ['JSON in prose is none', 'so {"a":1} is', [false]],
  ])('%s', async (_, text, guesses) => {
    expect((await allIn(text)).map((candidate) => candidate.isGuess)).toEqual(guesses)
  })
})

test('nothing is looked for behind the candidate that was enough', async () => {
  const candidates = findJson(`${fence('json', '{"a":1}')}{'b':`)
  expect((await candidates.next()).value).toMatchObject({ value: { a: 1 } })
  await candidates.return(undefined)
  expect((await candidates.next()).done).toBe(true)
})

describe('hostile texts of a megabyte', () => {
  const M = 1_000_000
  test.each<[string, string]>([
    ['opening braces', '{'.repeat(M)],
    ['opening brackets of both kinds', '{['.repeat(M / 2)],
    ['valid JSON of absurd depth', `${'['.repeat(M / 2)}${']'.repeat(M / 2)}`],
    ['the same in prose', `see ${'['.repeat(M / 2)}${']'.repeat(M / 2)}`],
    ['objects of absurd depth', `${'{"a":'.repeat(M / 6)}1${'}'.repeat(M / 6)}`],
    ['very many brackets of prose', 'see [x]'.repeat(M / 7)],
    ['very many objects that cannot be read', '{x:}'.repeat(M / 4)],
    ['prose in very many nested brackets', `see ${'['.repeat(400)}${'x'.repeat(M)}${']'.repeat(400)}`],
    ['quotation marks', '{"'.repeat(M / 2)],
    ['escaped quotation marks', `{"${'\\"'.repeat(M / 2)}`],
    ['backticks', '`'.repeat(M)],
    ['fences that are never closed', '```json '.repeat(M / 8)],
    ['fences on lines of their own', '```json\n'.repeat(M / 8)],
    ['a fence and blanks', `\`\`\`${' '.repeat(M)}`],
    ['blanks', ' '.repeat(M)],
    ['YAML', 'a: b\n'.repeat(M / 5)],
    ['YAML in fences', fence('yaml', 'a: {b: c}\n'.repeat(50)).repeat(M / 520)],
    ['closing and opening braces', '}{'.repeat(M / 2)],
  ])('%s take well under a second', async (_, text) => {
    const started = performance.now()
    const candidates = await allIn(text)
    // Measured at 0.4 s at most; the bound leaves room for a machine that is busy with other tests.
    expect(performance.now() - started).toBeLessThan(2_500)
    expect(candidates.length).toBeLessThanOrEqual(3_000)
    for (const { value } of candidates) expect(() => JSON.stringify(value)).not.toThrow()
  })

  test.each([
    ['quotation marks that open and close', `{"${'"'.repeat(31_000)}`],
    ['regular expressions', `[${'/a'.repeat(15_000)}`],
    ['words in quotation marks', `["${'"a '.repeat(10_000)}`],
    ['lines of open quotation marks', `["${'"a\n'.repeat(10_000)}`],
  ])('mending a text of %s is bounded', async (_, text) => {
    const started = performance.now()
    await allIn(text)
    expect(performance.now() - started).toBeLessThan(2_500)
  })

  test('aliases that multiply are refused', async () => {
    const lines = Array.from({ length: 12 }, (_, index) => `k${index + 1}: &k${index + 1} [${`*k${index},`.repeat(9)}]`)
    expect(await valuesIn(fence('yaml', `k0: &k0 [x]\n${lines.join('\n')}`))).toEqual([])
  })
})
