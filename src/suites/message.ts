import { type Case, caseKey, MESSAGE_SUITE, type Suite } from '../core/suite.ts'
import { fingerprintOf } from './fingerprint.ts'

/** Direct messages as cases T001, T002, … that hold as soon as there is an answer. Source: spec yao 2.2. */
export function messageSuite(texts: readonly string[], cwd: string): Suite {
  return { name: MESSAGE_SUITE, path: cwd, cases: texts.map(messageCase), warnings: [] }
}

function messageCase(text: string, index: number): Case {
  const id = `T${String(index + 1).padStart(3, '0')}`
  const question = { messages: [{ role: 'user', content: text }], assertions: [], options: {}, metadata: {} } as const
  return {
    key: caseKey(MESSAGE_SUITE, id),
    id,
    suite: MESSAGE_SUITE,
    location: { file: MESSAGE_SUITE, line: 1 },
    input: text,
    ...question,
    fingerprint: fingerprintOf(question),
  }
}
