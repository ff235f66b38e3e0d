import { expect, test } from 'vitest'
import type { Step } from '../../src/core/step.ts'
import { describeParting } from '../../src/render/parting.ts'

const step = (tool: string, parameters = '00', shown?: string): Step => ({
  tool,
  parameters,
  ...(shown === undefined ? {} : { shown }),
})
const options = { base: 'main', quote: (text: string) => `<${text}>` }

test.each<[string, Step[], Step[], string | undefined]>([
  ['the same calls', [step('a')], [step('a')], undefined],
  ['no calls at all', [], [], undefined],
  [
    'another tool',
    [step('look_up'), step('refund_order')],
    [step('look_up'), step('cancel_order', '01', '{"order":7}')],
    'at step 2: main called <refund_order>, here <cancel_order> with <{"order":7}>; before it, both called <look_up>',
  ],
  ['another first tool', [step('a')], [step('b')], 'at step 1: main called <a>, here <b>'],
  [
    'other parameters',
    [step('a', '00')],
    [step('a', '01', '{"x":\n1}')],
    'at step 1: main called <a> with other parameters than here: <{"x": 1}>',
  ],
  [
    'one call too many',
    [step('a'), step('b'), step('c'), step('d')],
    [step('a'), step('b'), step('c'), step('d'), step('e')],
    'at step 5: main made no further call, here <e>; before it, both made the same 4 calls, last <b>, <c>, <d>',
  ],
  [
    'one call too few',
    [step('a'), step('b')],
    [step('a')],
    'at step 2: main called <b>, here there was no further call; before it, both called <a>',
  ],
])('%s', (_name, before, here, expected) => {
  expect(describeParting(before, here, options)).toBe(expected)
})

test('nothing is said where one side is not known', () => {
  expect(describeParting(undefined, [step('a')], options)).toBeUndefined()
  expect(describeParting([step('a')], undefined, options)).toBeUndefined()
})
