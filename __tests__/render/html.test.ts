import fc from 'fast-check'
import { parse } from 'parse5'
import { describe, expect, test } from 'vitest'
import { resolveIdentity } from '../../src/core/identity.ts'
import type { Report } from '../../src/core/report.ts'
import {
  aBaseline,
  aCaseReport,
  aGate,
  aReport,
  erroredOutcome,
  failedOutcome,
  loadedBaseline,
  mixed,
  passes,
  someRuns,
} from '../support/builders.ts'
import { allElements, attribute, dataOf, htmlOf, sha256, textsOf } from '../support/html.ts'
import { hostileText, skeletonOf, textContent } from '../support/markdown.ts'

const timeout = erroredOutcome('TIMEOUT', 'no answer in time')

describe('what the page tells', () => {
  const cases = [
    aCaseReport({ id: 'ok' }),
    aCaseReport({ id: 'flaky', runs: someRuns(mixed(2, 1)) }),
    aCaseReport({ id: 'broken', runs: someRuns([erroredOutcome(), ...passes(2)]) }),
    aCaseReport({ id: 'slow', runs: someRuns([timeout, timeout, timeout]) }),
    aCaseReport({ id: 'later', skip: 'not ready' }),
    aCaseReport({ id: 'never', runs: [] }),
  ]

  test.each<[title: string, report: Report, cards: string[]]>([
    [
      'every state is a card of its own',
      aReport({ cases }),
      [
        'Total 63 runs each',
        'Passed 125% of cases',
        'Failed 1',
        'Errored 1',
        'Timed out 1',
        'Skipped 1',
        'Not run 1',
        'Pass Rate 58.3%7 of 12 runs',
        'Duration 3m 12s',
      ],
    ],
    [
      'a single run: no words about runs, no card for what did not happen',
      aReport({ cases: [aCaseReport({ runs: someRuns(passes(1)) })], runsPerCase: 1 }),
      ['Total 1', 'Passed 1', 'Failed 0', 'Pass Rate 100%', 'Duration 3m 12s'],
    ],
    [
      'nothing was run: no rate',
      aReport({ cases: [aCaseReport({ skip: 'x' })] }),
      ['Total 13 runs each', 'Passed 0', 'Failed 0', 'Skipped 1', 'Pass Rate –', 'Duration 3m 12s'],
    ],
  ])('%s', async (_title, report, expected) => {
    const html = await htmlOf(report)
    const cards = allElements(html, 'dl').find((one) => attribute(one, 'class') === 'cards')
    const words = cards?.childNodes.flatMap((node) =>
      'tagName' in node ? [node.childNodes.map(textContent).join(' ').trim()] : [],
    )
    expect(words).toEqual(expected)
  })

  test('agent, connector, verdict with its reasons, baseline', async () => {
    const html = await htmlOf(aReport({ cases, connector: 'openai.mini', warnings: ['mind the gap'] }))
    expect(textsOf(html, 'subtitle')).toEqual(['yao:support-bot • openai.mini'])
    const [verdict = ''] = textsOf(html, 'verdict')
    expect(verdict).toMatch(/^Failed: flaky passed 2\/3 \(66\.7%\), below the required 100% \(and 1 more reason\)/)
    expect(verdict).toContain('Not compared: no baseline was asked for.')
    expect(verdict).toContain('4 of 12 runs errored')
    expect(textsOf(html, 'facts')[0]).toBe(
      'Agentyao:support-botConnectoropenai.miniInputtests/support.jsonlRuns per case3Stability1 stable, 2 unstable, 1 highly unstableGatefails on regression, threshold, error; every case must reach 100%Usertest-userTeamtest-teamLocaleen-usStarted2026-03-01T10:00:00.000ZFinished2026-03-01T10:03:12.000ZVersionagent-test 1.0.0',
    )
    expect(html).toContain('<li>mind the gap</li>')
    expect(allElements(html, 'title').map(textContent)).toEqual(['Failed · Agent Test Report'])
  })

  test('changes against the baseline, regressions first and open', async () => {
    const before = [
      aCaseReport({ id: 'ok', runs: someRuns(mixed(1, 2)) }),
      aCaseReport({ id: 'flaky' }),
      aCaseReport({ id: 'slow' }),
      aCaseReport({ id: 'gone' }),
      aCaseReport({ id: 'lost' }),
    ]
    const lost = aCaseReport({ id: 'lost', runs: someRuns(mixed(0, 3)) })
    const html = await htmlOf(aReport({ cases: [...cases, lost], loaded: loadedBaseline(before) }))
    expect(textsOf(html, 'group')).toEqual([
      'Regressed (1)lost 21/21 → 0/3',
      'Lower, which may be chance (1)flaky 21/21 → 2/3',
      'Not judged: every run errored (1)slow 21/21',
      'Higher, which may be chance (1)ok 7/21 → 3/3',
      'New (1)broken 2/2',
      'Removed (1)gone 21/21',
      '0 cases unchanged.',
    ])
    const open = allElements(html, 'details').filter((one) => attribute(one, 'open') !== undefined)
    expect(open.map((one) => textContent(one).slice(0, 9))[0]).toBe('Regressed')
    expect(dataOf(html).cases.map(({ name, change }) => [name, change?.kind, change?.rates, change?.points])).toEqual([
      ['lost', 'regressed', '21/21 → 0/3', -100],
      ['flaky', 'dropped', '21/21 → 2/3', -33.3],
      ['slow', 'not_judged', '21/21 → –', 0],
      ['broken', 'new', '– → 2/2', 0],
      ['ok', 'risen', '7/21 → 3/3', 66.7],
      ['never', undefined, undefined, undefined],
      ['later', undefined, undefined, undefined],
    ])
  })

  test('stability of a case: runs, class, mean, least, greatest, deviation', async () => {
    const runs = someRuns(mixed(2, 1)).map((run, index) => ({ ...run, durationMs: 100 * (index + 1) }))
    const { cases: told } = dataOf(await htmlOf(aReport({ cases: [aCaseReport({ runs })] })))
    expect(told).toMatchObject([{ passed: 2, runs: 3, class: 'Unstable', ms: 200, spread: [100, 300, 81.6] }])
  })

  test('long lists of reasons, changes and warnings end in a count', async () => {
    const many = Array.from({ length: 80 }, (_, index) => aCaseReport({ id: `c${index}`, runs: someRuns(mixed(0, 3)) }))
    const before = many.map(({ id }) => aCaseReport({ id }))
    const html = await htmlOf(aReport({ cases: many, loaded: loadedBaseline(before) }))
    expect(textsOf(html, 'verdict')[0]).toContain('… and 60 more reasons')
    expect(textsOf(html, 'group')[0]).toContain('… and 30 more')
  })
})

/** A report with something in every place, each of them holding the text. */
function reportOf(text: string): Report {
  const suite = `tests/${text}.jsonl`
  const named = (index: number) => ({ suite, id: `c${index} ${text}`, location: { file: suite, line: index } })
  const failure = failedOutcome({
    name: text,
    message: text,
    expected: text,
    actual: `${text}!`,
    details: { [text]: text },
  })
  const cases = [
    aCaseReport({
      ...named(1),
      input: { [text]: text },
      summary: `x${text}`,
      runs: someRuns(mixed(0, 3, failure), { output: { [`x${text}`]: text } }),
    }),
    aCaseReport({ ...named(2), runs: someRuns([...passes(2), erroredOutcome('PROVIDER_ERROR', `x${text}`)]) }),
    aCaseReport({ ...named(3), target: text, skip: `x${text}` }),
    aCaseReport({ ...named(4), target: text, runs: [] }),
  ]
  const earlier = [aCaseReport(named(1)), aCaseReport(named(9))]
  return aReport({
    cases,
    targets: ['yao:support-bot', `x${text}`],
    connector: `x${text}`,
    inputs: [`x${text}`],
    warnings: [`x${text}`],
    version: `x${text}`,
    identity: resolveIdentity({ flags: { user: `x${text}` } }),
    loaded: { kind: 'ok', baseline: aBaseline(earlier), source: `x${text}` },
    gate: aGate,
  })
}

describe('hostile texts', () => {
  test('no text changes the elements of the page, their attributes or the script', async () => {
    const plain = await htmlOf(reportOf('harmless'))
    const shape = (html: string) => {
      const names = allElements(html).map(({ tagName, attrs }) => [tagName, ...attrs.map(({ name }) => name)].join(' '))
      return { skeleton: skeletonOf(parse(html) as unknown as Parameters<typeof skeletonOf>[0]), names }
    }
    const expected = shape(plain)
    for (const text of fc.sample(hostileText, 150)) {
      const html = await htmlOf(reportOf(`h${text}h`))
      expect(shape(html)).toEqual(expected)
      const [script] = allElements(html, 'script').slice(-1)
      expect(script && textContent(script)).toBe(textContent(allElements(plain, 'script').slice(-1)[0] as never))
      expect(dataOf(html).cases).toHaveLength(4)
    }
  })

  test('links lead into the page, whatever a case is called', async () => {
    for (const text of [
      'javascript:alert(1)',
      '" href="http://x',
      '\uD800',
      '%',
      '# ?',
      ...fc.sample(hostileText, 50),
    ]) {
      const html = await htmlOf(reportOf(text))
      for (const link of allElements(html, 'a')) expect(attribute(link, 'href')).toMatch(/^#case=[\w.~!*'()%-]+$/)
    }
  })
})

describe('one file that asks for nothing', () => {
  const read = async () => await htmlOf(reportOf('harmless'))

  test('its policy allows its own script and style by their hashes, and nothing else', async () => {
    const html = await read()
    const policy = allElements(html, 'meta').find((one) => attribute(one, 'http-equiv') === 'Content-Security-Policy')
    const [style] = allElements(html, 'style')
    const script = allElements(html, 'script').at(-1)
    expect(policy && attribute(policy, 'content')).toBe(
      [
        "default-src 'none'",
        `script-src 'sha256-${sha256(script ? textContent(script) : '')}'`,
        `style-src 'sha256-${sha256(style ? textContent(style) : '')}'`,
        'img-src data:',
        "base-uri 'none'",
        "form-action 'none'",
      ].join('; '),
    )
    // A policy rules what stands below it only.
    const order = allElements(html).map(({ tagName }) => tagName)
    expect(order.indexOf('style')).toBeGreaterThan(order.indexOf('meta'))
  })

  test('no element names anything outside of it', async () => {
    const addresses = allElements(await read()).flatMap(({ attrs }) =>
      attrs.flatMap(({ name, value }) => (['src', 'href', 'action', 'data', 'srcset'].includes(name) ? [value] : [])),
    )
    expect(addresses.length).toBeGreaterThan(0)
    expect(addresses.filter((address) => !/^(#|data:image\/svg\+xml,)/.test(address))).toEqual([])
  })

  test('the same report gives the same bytes', async () => {
    expect(await read()).toBe(await read())
  })
})

describe('large reports', () => {
  const long = 'z'.repeat(19_000)
  const runsOf = (failing: boolean) =>
    someRuns([failing ? failedOutcome('no') : { status: 'passed', checks: [] }], { output: long })

  test('what matters least is shortened first, and says so', async () => {
    const cases = Array.from({ length: 3_000 }, (_, index) => {
      const runs = runsOf(index % 2 === 1)
      // Of a pass the report keeps no output; the results do.
      return aCaseReport({ id: `c${index}`, runs: runs.map((run) => ({ ...run, output: long })) })
    })
    const html = await htmlOf(aReport({ cases, runsPerCase: 1 }))
    expect(html.length).toBeLessThan(27_000_000)
    const { cases: told } = dataOf(html)
    expect(told).toHaveLength(3_000)
    const [first, last] = [told[0], told.at(-1)]
    expect(first?.status).toBe('failed')
    expect(first?.details?.[0]?.sections?.[0]?.[1]).toBe(long)
    expect(last).toMatchObject({ status: 'passed', shortened: true })
    expect(last).not.toHaveProperty('details')
    // The row of a failed case tells why, even where its details had no room.
    expect(told.filter(({ status, why }) => status === 'failed' && why !== 'no')).toEqual([])
    const cut = told.filter(({ status, shortened, details }) => status === 'failed' && shortened && details)
    expect(cut.length).toBeGreaterThan(0)
  })

  test('rows for readers without JavaScript are bounded in number and in text', async () => {
    const cases = Array.from({ length: 250 }, (_, index) => aCaseReport({ id: `c${index}`, runs: runsOf(true) }))
    const html = await htmlOf(aReport({ cases, runsPerCase: 1 }))
    expect(allElements(html, 'tr').filter((one) => attribute(one, 'class') === 'case')).toHaveLength(200)
    expect(textsOf(html, 'scriptless')[0]).toMatch(/^50 more cases/)
    const table = html.slice(html.indexOf('<tbody'), html.indexOf('</tbody'))
    expect(table.length).toBeLessThan(4_000_000)
    expect(textsOf(html, 'note').filter((text) => text.startsWith('Shortened')).length).toBeGreaterThan(0)
  })

  test('no single script is longer than what a few hundred cases take', async () => {
    const cases = Array.from({ length: 1_200 }, (_, index) => aCaseReport({ id: `c${index}` }))
    const html = await htmlOf(aReport({ cases }))
    const blocks = allElements(html, 'script').filter((one) => attribute(one, 'data-cases') !== undefined)
    expect(blocks.map((block) => (JSON.parse(textContent(block)) as unknown[]).length)).toEqual([500, 500, 200])
  })
})
