import { expect, test } from 'vitest'
import { splitCommand } from '../../src/lib/command-line.ts'

test.each<[string, string, string[]]>([
  ['one word', 'agent', ['agent']],
  ['words at blanks, tabs and newlines', ' node \t agent.mjs\n--fast ', ['node', 'agent.mjs', '--fast']],
  ['nothing', '', []],
  ['only blanks', ' \t ', []],
  ['single quotes group and keep backslashes', String.raw`echo 'a  "b" \n'`, ['echo', String.raw`a  "b" \n`]],
  ['double quotes group', 'echo "a  \'b\'"', ['echo', "a  'b'"]],
  ['a backslash in double quotes takes the next character', String.raw`echo "a\"b\\c\n"`, ['echo', String.raw`a"b\cn`]],
  ['a backslash outside takes a blank', String.raw`echo a\ b`, ['echo', 'a b']],
  ['a backslash outside takes a quote', String.raw`echo \"a\'`, ['echo', '"a\'']],
  ['an escaped newline is a newline', 'a\\\nb', ['a\nb']],
  ['adjacent parts join', `a'b c'"d e"\\ f`, ['ab cd e f']],
  ['an empty quoted word is a word', `a '' "" b`, ['a', '', '', 'b']],
  ['an empty part adds nothing', `a''b`, ['ab']],
  [
    'nothing is expanded',
    'echo $HOME ~ *.ts {a,b} `id` $(id)',
    ['echo', '$HOME', '~', '*.ts', '{a,b}', '`id`', '$(id)'],
  ],
  ['operators of a shell are characters', 'a|b;c && d > e # f', ['a|b;c', '&&', 'd', '>', 'e', '#', 'f']],
  ['JSON in single quotes', `agent '{"a": [1, 2]}'`, ['agent', '{"a": [1, 2]}']],
  ['letters beyond the basic plane', `\\😀 "😀"`, ['😀', '😀']],
])('%s', (_, text, words) => {
  expect(splitCommand(text)).toEqual({ words })
})

test.each([
  ['an open single quote', `echo 'a b`, `the single quote in "'a b" is never closed`],
  ['an open double quote', 'echo "a', String.raw`the double quote in "\"a" is never closed`],
  ['a quote opened by the last character', `echo '`, `the single quote in "'" is never closed`],
  [
    'a double quote closed only by an escaped one',
    String.raw`echo "a\"`,
    String.raw`the double quote in "\"a\\\"" is never closed`,
  ],
  ['a backslash at the end', 'echo a\\', 'the backslash at the end has nothing to escape'],
  ['a long rest is cut', `'${'x'.repeat(100)}`, `the single quote in "'${'x'.repeat(29)}…" is never closed`],
])('%s is a problem', (_, text, problem) => {
  expect(splitCommand(text)).toEqual({ problem })
})

test('a very long command is split in linear time', () => {
  const text = `"${'\\"'.repeat(200_000)}" ${'a'.repeat(200_000)}`
  expect(splitCommand(text)).toEqual({ words: ['"'.repeat(200_000), 'a'.repeat(200_000)] })
})
