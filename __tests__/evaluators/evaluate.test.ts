import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { defineEvaluator } from '../../src/evaluators/evaluator.ts'
import { evaluateTrace } from '../../src/evaluators/index.ts'
import { story } from './story.ts'

const finding = (type: string) => ({ type, message: `${type} happened` })

const counting = defineEvaluator({
  type: 'counting',
  schema: z.object({ fail: z.enum(['never', 'throw', 'halfway']).default('never') }),
  violations: { 'too-many': 'error', 'too-few': 'warning' },
  judge({ fail }) {
    if (fail === 'throw') throw new Error('it broke')
    if (fail === 'never') return { kind: 'judged', inspections: [] }
    return {
      kind: 'judged',
      inspections: [
        { name: 'heavy', weight: 3, findings: [] },
        { name: 'light', findings: [finding('too-many'), finding('too-few')] },
      ],
    }
  },
})

const find = (type: string) => (type === 'counting' ? counting : undefined)
const evaluate = async (settings: object) =>
  (await evaluateTrace(story(), [{ ...settings, type: 'counting' }], find))[0]

describe('an evaluator', () => {
  test('that throws, is not known or is given wrong settings fails alone', async () => {
    const configs = [
      { type: 'counting', fail: 'throw' },
      { type: 'counting', fail: 'halfway' },
      { type: 'missing' },
      { type: 'counting', fail: 3 },
    ]
    expect(await evaluateTrace(story(), configs, find)).toMatchObject([
      { status: 'errored', evaluator: 'counting', message: 'it broke' },
      { status: 'scored', score: 75 },
      { status: 'errored', evaluator: 'missing', message: 'there is no such evaluator' },
      { status: 'errored', evaluator: 'counting' },
    ])
  })

  test('that has nothing to ask does not apply', async () => {
    expect(await evaluate({})).toEqual({
      status: 'not_applicable',
      evaluator: 'counting',
      reason: 'nothing of it is asked for',
    })
  })

  test('scores by weight, and passes without an error', async () => {
    expect(await evaluate({ fail: 'halfway' })).toEqual({
      status: 'scored',
      evaluator: 'counting',
      passed: false,
      score: 75,
      checks: [
        { name: 'heavy', passed: true, weight: 3, message: '' },
        { name: 'light', passed: false, weight: 1, message: 'too-many happened; too-few happened' },
      ],
      violations: [
        { type: 'too-many', severity: 'error', message: 'too-many happened' },
        { type: 'too-few', severity: 'warning', message: 'too-few happened' },
      ],
    })
  })

  test.each([
    [{ severities: { 'too-many': 'info' } }, true, 75, ['info', 'warning']],
    [{ severities: { 'too-many': 'off' } }, true, 75, ['warning']],
    [{ severity: 'off' }, true, 100, []],
    [{ severity: 'error', severities: { 'too-few': 'off' } }, false, 75, ['error']],
  ])('with %j', async (settings, passed, score, severities) => {
    const evaluation = await evaluate({ fail: 'halfway', ...settings })
    expect(evaluation).toMatchObject({ passed, score })
    expect(evaluation?.status === 'scored' && evaluation.violations.map(({ severity }) => severity)).toEqual(severities)
  })
})
