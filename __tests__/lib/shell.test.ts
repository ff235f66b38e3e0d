import { expect, test } from 'vitest'
import { shellCommands } from '../../src/lib/shell.ts'

/** Words with `*` behind those that the shell expands, then assignments, redirections and `|` of a pipeline. */
function shown(script: string): string[] {
  return shellCommands(script).map(({ assignments, words, redirections, isPiped }) =>
    [
      ...assignments.map((text) => `[${text}]`),
      ...words.map(({ text, isGlob, isQuoted }) => `${text}${isGlob ? '*' : ''}${isQuoted ? '"' : ''}`),
      ...redirections.map(({ operator, target }) => `{${operator} ${target}}`),
      ...(isPiped ? ['|'] : []),
    ].join(' '),
  )
}

test.each<[string, string[]]>([
  ['', []],
  ['   \n\t ', []],
  ['ls -la', ['ls -la']],
  ['a && b || c; d & e', ['a', 'b', 'c', 'd', 'e']],
  ['a\nb', ['a', 'b']],
  ['a | b |& c', ['a |', 'b |', 'c |']],
  ['a || b', ['a', 'b']],
  ['echo "a > b"', ['echo a > b"']],
  ["echo 'a && b' c", ['echo a && b" c']],
  ['echo a\\ b \\> c', ['echo a b" >" c']],
  ['echo "a \\" b"', ['echo a " b"']],
  ['a"b c"d', ['ab cd"']],
  ["echo ''", ['echo "']],
  ['rm *.b "*.c" ?', ['rm *.b* *.c" ?*']],
  ['A=1 B+=2 cmd C=3', ['[A=1] [B+=2] cmd C=3']],
  ['A=1', []],
  ['echo a > f', ['echo a {> f}']],
  ['echo a >f 2>&1 >> g < h', ['echo a {> f} {>& 1} {>> g} {< h}']],
  ['cmd &> f', ['cmd {&> f}']],
  ['cmd 2> /dev/null', ['cmd {> /dev/null}']],
  ['> f', ['{> f}']],
  [': >| f', [': {> f}']],
  ['cat <<EOF > f\nrm x\nEOF\necho hi', ['cat {<< EOF} {> f}', 'echo hi']],
  ["cat <<-'END' | sort\n\trm x\n\tEND\nls", ['cat {<< END} |', 'sort |', 'ls']],
  ['cat <<EOF\nnever closed', ['cat {<< EOF}']],
  ['cat <<< word', ['cat {<<< word}']],
  ['a # b; c', ['a']],
  ['a#b', ['a#b']],
  ['# a', []],
  ['a \\\n b', ['a b']],
  ['echo $(rm x) `ls y`', ['echo $(rm x) `ls y`', 'rm x', 'ls y']],
  ['echo "$(rm x)"', ['echo $(rm x)"', 'rm x']],
  ["echo '$(rm x)'", ['echo $(rm x)"']],
  ['echo $(a $(b))', ['echo $(a $(b))', 'a $(b)', 'b']],
  ['x=$((1+2)) y', ['[x=$((1+2))] y']],
  ['echo ${a:-b c}', ['echo ${a:-b c}']],
  ['diff <(ls a) b', ['diff <(ls a) b', 'ls a']],
  ['(cd x && rm y)', ['cd x', 'rm y']],
  ['{ a; b; }', ['a', 'b']],
  ['if a; then b; else c; fi', ['a', 'b', 'c']],
  ['while ! a; do b; done', ['a', 'b']],
  ['time a', ['a']],
  ['"if" a', ['if" a']],
  ['echo "never closed', ['echo never closed"']],
  ['echo $(never closed', ['echo $(never closed', 'never closed']],
  ['a;;b', ['a', 'b']],
  ['git commit -m "rm -rf /"', ['git commit -m rm -rf /"']],
])('%j', (script, commands) => {
  expect(shown(script)).toEqual(commands)
})

test('substitutions are looked into only so deep', () => {
  const deep = `${'echo $('.repeat(50)}rm x${')'.repeat(50)}`
  expect(shellCommands(deep).length).toBeLessThan(10)
})

test.each([
  ['openings', '$('.repeat(200_000)],
  ['quotes', '"'.repeat(400_001)],
  ['ticks', '`'.repeat(400_001)],
  ['documents', '<<E\n'.repeat(60_000)],
  ['braces', '${'.repeat(200_000)],
  ['digits', '1'.repeat(400_000)],
  ['backslashes', '\\'.repeat(400_001)],
])('many %s take little time', (_, script) => {
  const begun = performance.now()
  shellCommands(script)
  expect(performance.now() - begun).toBeLessThan(3_000)
})
