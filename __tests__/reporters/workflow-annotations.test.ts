import { describe, expect, test } from 'vitest'
import type { Annotation } from '../../src/render/index.ts'
import { annotationLines, workflowAnnotations } from '../../src/reporters/workflow-annotations.ts'
import { aCaseReport, aReport, failedOutcome, mixed, someRuns } from '../support/builders.ts'
import { fakeHost } from '../support/fake-host.ts'

const options = { pathOf: (file: string) => file, maxAnnotations: 50 }

function annotation(overrides: Partial<Annotation> = {}): Annotation {
  return { file: 'tests/a.jsonl', line: 3, level: 'failure', title: 'a: failed', message: 'expected "x"', ...overrides }
}

function many(count: number, level: Annotation['level']): Annotation[] {
  return Array.from({ length: count }, () => annotation({ level }))
}

/** What a runner makes of a command. Source: actions/runner, ActionCommand.cs. */
function unescaped(text: string): string {
  return text.replace(/%0D/g, '\r').replace(/%0A/g, '\n').replace(/%3A/g, ':').replace(/%2C/g, ',').replace(/%25/g, '%')
}

describe('a workflow command', () => {
  test.each([
    { level: 'failure', command: 'error' },
    { level: 'warning', command: 'warning' },
    { level: 'notice', command: 'notice' },
  ] as const)('for a $level is an $command', ({ level, command }) => {
    expect(annotationLines([annotation({ level })], options)).toEqual([
      `::${command} file=tests/a.jsonl,line=3,title=a%3A failed::expected "x"`,
    ])
  })

  test('keeps hostile text inside of its fields', () => {
    const [line = '', ...others] = annotationLines(
      [
        annotation({
          file: 'a,b:c\n.jsonl',
          title: 'x,line=1::error::\r\n::stop',
          message: '50%\r\n::set-output name=x::y',
        }),
      ],
      options,
    )
    expect(others).toEqual([])
    expect(line).not.toMatch(/[\r\n]/)
    const [, properties = '', data = ''] = /^::error (.*?)::(.*)$/.exec(line) ?? []
    expect(properties.split(',').map((property) => unescaped(property))).toEqual([
      'file=a,b:c\n.jsonl',
      'line=3',
      'title=x,line=1::error:: ::stop',
    ])
    expect(unescaped(data)).toBe('50%\r\n::set-output name=x::y')
  })

  test('holds no more than a runner shows', () => {
    const [line = ''] = annotationLines([annotation({ message: 'x'.repeat(9_000), title: 't'.repeat(900) })], options)
    const [, properties = '', data = ''] = /^::error (.*?)::(.*)$/.exec(line) ?? []
    expect(data).toHaveLength(4_096)
    expect(properties.length).toBeLessThan(320)
  })

  test('says its title when there is no message, because a runner drops an empty one', () => {
    expect(annotationLines([annotation({ message: '' })], options)[0]).toMatch(/::a: failed$/)
  })

  test('has no file when the suite lies outside of the checkout', () => {
    expect(annotationLines([annotation()], { ...options, pathOf: () => undefined })).toEqual([
      '::error title=a%3A failed::expected "x"',
    ])
  })
})

describe('of many annotations', () => {
  test('nine of a kind are shown, so that the runner has room for the reason of the job, and the rest is counted', () => {
    const lines = annotationLines([...many(12, 'failure'), ...many(11, 'warning'), ...many(2, 'notice')], options)
    expect(lines.filter((line) => line.startsWith('::error '))).toHaveLength(9)
    expect(lines.filter((line) => line.startsWith('::warning '))).toHaveLength(9)
    expect(lines.filter((line) => line.startsWith('::notice '))).toHaveLength(2)
    expect(lines.at(-1)).toBe('5 more annotations are not shown; the job summary lists every case.')
  })

  test('no more than max-annotations are shown', () => {
    expect(annotationLines(many(5, 'failure'), { ...options, maxAnnotations: 2 })).toHaveLength(3)
    expect(annotationLines(many(5, 'failure'), { ...options, maxAnnotations: 0 })).toHaveLength(1)
  })

  test('none at all print nothing', () => {
    expect(annotationLines([], options)).toEqual([])
  })
})

test('the reporter prints one line at a time, without secrets', async () => {
  const printed: string[] = []
  const { secrets } = fakeHost()
  secrets.add('hunter2-hunter2')
  const reporter = workflowAnnotations({
    ...options,
    redact: (text) => secrets.redact(text),
    print: (line) => printed.push(line),
  })
  const runs = someRuns(mixed(1, 2, failedOutcome('got hunter2-hunter2')))
  await reporter.onEnd?.(aReport({ cases: [aCaseReport({ runs })] }))
  expect(printed).toEqual([expect.stringMatching(/^::error file=tests\/support\.jsonl,line=1,title=greet-01.*got /)])
  expect(printed[0]).not.toContain('hunter2')
})
