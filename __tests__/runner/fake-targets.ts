import { TargetError } from '../../src/core/errors.ts'
import type { EmittedEvent } from '../../src/core/trace.ts'
import type { RunRequest, Target } from '../../src/targets/target.ts'

/** A target in this process: what it says is up to the test; everything around it is real. */
export function scriptedTarget(execute: (request: RunRequest, call: number) => AsyncIterable<EmittedEvent>): Target {
  let calls = 0
  return {
    label: 'scripted',
    execute(request) {
      calls += 1
      return execute(request, calls)
    },
  }
}

export async function* say(text: string): AsyncGenerator<EmittedEvent> {
  yield { type: 'assistant_message', text }
}

/** Says nothing and fails. */
export function failWith(error: TargetError): AsyncIterable<EmittedEvent> {
  return { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(error) }) }
}

export function rateLimited(retryAfterMs?: number): TargetError {
  return new TargetError('slow down', {
    code: 'RATE_LIMITED',
    retryable: true,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  })
}
