import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { formatPercent } from '../../src/core/percent.ts'
import { formatDuration } from '../../src/lib/duration.ts'
import { commonEnds, figuresOf, opensRuns } from '../../src/render/html/browser/details.ts'
import { findCases, groupsOf } from '../../src/render/html/browser/find.ts'
import type { Page, View } from '../../src/render/html/browser/page.ts'
import type { PageCase, PageRun } from '../../src/render/html/page-data.ts'
import { PARTS, pageScript } from '../../src/render/html/script.ts'
import { ROOT } from '../support/bundle.ts'

describe('functions that are sent to the browser as they stand', () => {
  /** What they may use besides what they are given and declare. */
  const KNOWN = new Set([
    'Array',
    'Intl',
    'JSON',
    'Map',
    'Math',
    'Object',
    'Set',
    'String',
    'encodeURIComponent',
    'undefined',
  ])

  test.each(Object.entries(PARTS))('%s uses nothing from around it', (name, part) => {
    const source = ts.createSourceFile(name, `(${part.toString()})`, ts.ScriptTarget.ES2023, true)
    expect(freeNames(source).filter((free) => !KNOWN.has(free))).toEqual([])
  })

  test('there is no other code in their files', () => {
    const folder = join(ROOT, 'src/render/html/browser')
    for (const file of readdirSync(folder)) {
      const source = ts.createSourceFile(file, readFileSync(join(folder, file), 'utf8'), ts.ScriptTarget.ES2023, true)
      const others = source.statements.filter(
        (statement) =>
          !(ts.isImportDeclaration(statement) && statement.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword) &&
          !ts.isFunctionDeclaration(statement) &&
          !ts.isInterfaceDeclaration(statement) &&
          !ts.isTypeAliasDeclaration(statement),
      )
      expect(others.map((statement) => statement.getText())).toEqual([])
    }
  })

  test('the script holds each of them and makes no markup of text', () => {
    const script = pageScript()
    for (const name of Object.keys(PARTS)) expect(script).toContain(`${name}: function ${name}`)
    expect(script).not.toMatch(/innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b|<\/script|<!--/i)
  })
})

/** Names that are used and nowhere declared. */
function freeNames(source: ts.SourceFile): string[] {
  const declared = new Set<string>()
  const used = new Set<string>()
  const visit = (node: ts.Node): void => {
    const isDeclaration =
      ts.isVariableDeclaration(node) ||
      ts.isParameter(node) ||
      ts.isBindingElement(node) ||
      ts.isFunctionExpression(node)
    if (isDeclaration && node.name && ts.isIdentifier(node.name)) declared.add(node.name.text)
    if (ts.isIdentifier(node) && !isMemberName(node)) used.add(node.text)
    ts.forEachChild(node, visit)
  }
  visit(source)
  return [...used].filter((name) => !declared.has(name))
}

function isMemberName(node: ts.Identifier): boolean {
  const { parent } = node
  if (ts.isPropertyAccessExpression(parent)) return parent.name === node
  if (ts.isPropertyAssignment(parent)) return parent.name === node
  return ts.isBindingElement(parent) && parent.propertyName === node
}

const item = (parts: Partial<PageCase> & Pick<PageCase, 'name'>): PageCase => ({
  status: 'passed',
  passed: 1,
  runs: 1,
  ms: 1,
  ...parts,
})

describe('groups of a case', () => {
  test.each<[title: string, parts: Partial<PageCase>, groups: string[]]>([
    ['passed', {}, ['all', 'passed']],
    ['failed', { status: 'failed', passed: 0 }, ['all', 'failed']],
    ['flaky', { status: 'failed', runs: 3 }, ['all', 'failed', 'flaky']],
    ['errored in one run', { status: 'error', runs: 2 }, ['all', 'error', 'flaky']],
    ['regressed', { change: { kind: 'regressed', rates: '', points: -1 } }, ['all', 'passed', 'regressed']],
    ['skipped', { status: 'skipped', passed: 0, runs: 0 }, ['all', 'skipped']],
  ])('%s', (_title, parts, groups) => {
    expect(groupsOf(item({ name: 'c', ...parts }))).toEqual(groups)
  })
})

describe('finding and sorting', () => {
  const cases: readonly PageCase[] = [
    item({
      name: 'c10',
      status: 'failed',
      passed: 0,
      ms: 30,
      suite: 0,
      change: { kind: 'regressed', rates: '', points: -100 },
    }),
    item({ name: 'c9', status: 'failed', runs: 2, ms: 10, suite: 1, given: [['Input', 'STRASSE 7']] }),
    item({ name: 'C1', ms: 20, suite: 0, change: { kind: 'improved', rates: '', points: 50 } }),
    item({ name: 'later', status: 'skipped', passed: 0, runs: 0, ms: 0, suite: 1, why: 'waits' }),
  ]
  const find = (view: Partial<View>): string[] => {
    const whole: View = {
      filter: 'all',
      suite: '',
      words: [],
      sortBy: 'status',
      descending: false,
      first: 0,
      found: [],
      open: new Set(),
      ...view,
    }
    const page = { parts: PARTS, facts: { suites: ['a.jsonl', 'b.jsonl'], cases: 4 }, cases, texts: [], view: whole }
    return findCases(page as unknown as Page).map((index) => cases[index]?.name ?? '')
  }

  test.each<[title: string, view: Partial<View>, names: string[]]>([
    ['everything, as it stands', {}, ['c10', 'c9', 'C1', 'later']],
    ['downwards', { descending: true }, ['later', 'C1', 'c9', 'c10']],
    ['one group', { filter: 'failed' }, ['c10', 'c9']],
    ['one suite', { suite: '1' }, ['c9', 'later']],
    ['words in any text, in capitals or not', { words: ['strasse', 'b.js'] }, ['c9']],
    ['all words must be there', { words: ['strasse', 'waits'] }, []],
    ['names by their numbers', { sortBy: 'case' }, ['C1', 'c9', 'c10', 'later']],
    ['rates, what was not run first', { sortBy: 'passed' }, ['later', 'c10', 'c9', 'C1']],
    ['rates downwards', { sortBy: 'passed', descending: true }, ['C1', 'c9', 'c10', 'later']],
    ['changes', { sortBy: 'change' }, ['c10', 'c9', 'later', 'C1']],
    ['times', { sortBy: 'time' }, ['later', 'c9', 'C1', 'c10']],
  ])('%s', (_title, view, names) => {
    expect(find(view)).toEqual(names)
  })
})

describe('details', () => {
  test.each([
    ['equal', 'abc', 'abc', [3, 0]],
    ['a middle that differs', '{"a":44.9}', '{"a":49.9}', [6, 3]],
    ['nothing in common', 'abc', 'xyz', [0, 0]],
    ['one inside the other, nothing counted twice', 'aa', 'aaa', [2, 0]],
    ['empty', '', 'x', [0, 0]],
  ])('ends in common: %s', (_title, one, other, ends) => {
    expect(commonEnds(one, other)).toEqual(ends)
  })

  const failed = (run: number, message: string): PageRun => ({
    run,
    status: 'failed',
    ms: 1,
    checks: [{ name: 'c', passed: false, message }],
  })
  test.each<[title: string, runs: readonly PageRun[], open: boolean[]]>([
    ['the only one', [{ run: 1, status: 'passed', ms: 1 }], [true]],
    [
      'none that passed',
      [
        { run: 1, status: 'passed', ms: 1 },
        { run: 2, status: 'passed', ms: 1 },
      ],
      [false, false],
    ],
    ['each way to fail once', [failed(1, 'a'), failed(2, 'a'), failed(3, 'b')], [true, false, true]],
    [
      'errors by their cause',
      [
        { run: 1, status: 'error', ms: 1, error: 'x' },
        { run: 2, status: 'error', ms: 1, error: 'x' },
        { run: 3, status: 'timeout', ms: 1, error: 'x' },
      ],
      [true, false, true],
    ],
  ])('runs that are open: %s', (_title, runs, open) => {
    expect(opensRuns(runs)).toEqual(open)
  })

  test('figures: only what there is', () => {
    const facts = { suites: ['a.jsonl'], cases: 1 }
    const figures = (parts: Partial<PageCase>) =>
      figuresOf({ formatDuration, formatPercent }, facts, item({ name: 'c', ...parts }))
    expect(figures({ runs: 0, passed: 0, status: 'skipped' })).toEqual([])
    expect(
      figures({
        suite: 0,
        line: 7,
        target: 'yao:bot',
        status: 'failed',
        runs: 4,
        passed: 1,
        errored: 2,
        skipped: 1,
        class: 'Highly Unstable',
        ms: 1_500,
        spread: [1_000, 2_000, 500],
        change: { kind: 'regressed', rates: '4/4 → 1/2', points: -50 },
      }),
    ).toEqual([
      ['Defined in', 'a.jsonl:7'],
      ['Target', 'yao:bot'],
      ['Runs', '1 of 4 passed (25%), 1 failed, 2 errored, 1 skipped'],
      ['Stability', 'Highly Unstable'],
      ['Time', 'mean 1.5s, min 1.0s, max 2.0s, std dev 500ms'],
      ['Baseline', 'regressed: 4/4 → 1/2 (-50 pp)'],
    ])
  })
})
