import { describe, expect, test } from 'vitest'
import { loadDescription } from '../support/github/description.ts'
import { fill } from '../support/github/filler.ts'
import { createValidator, type Exchange } from '../support/github/validate.ts'

const validator = createValidator()

const COMMENTS = '/repos/octo/agent/issues/7/comments'
const CHECKS = '/repos/octo/agent/check-runs'

const comment = fill('issue-comment', { id: 1, body: 'hello' })
const check = { name: 'Agent tests', head_sha: 'a'.repeat(40) }

interface Row {
  readonly situation: string
  readonly exchange: Partial<Exchange> & { readonly query?: URLSearchParams }
  readonly reasons: readonly string[]
}

const rows: Row[] = [
  {
    situation: 'a comment that is created as described',
    exchange: { method: 'POST', path: COMMENTS, requestBody: { body: 'hello' }, status: 201, responseBody: comment },
    reasons: [],
  },
  {
    situation: 'a page of comments',
    exchange: {
      path: COMMENTS,
      query: new URLSearchParams('per_page=100&page=2'),
      status: 200,
      responseBody: [comment],
    },
    reasons: [],
  },
  {
    situation: 'a comparison of two branches with slashes in their names',
    exchange: { path: '/repos/octo/agent/compare/a/b...c/d', status: 404, responseBody: { message: 'Not Found' } },
    reasons: [],
  },
  {
    situation: 'a refusal that the operation does not declare',
    exchange: { method: 'POST', path: CHECKS, requestBody: check, status: 403, responseBody: { message: 'no' } },
    reasons: [],
  },
  {
    situation: 'a value outside of an enum',
    exchange: { method: 'POST', path: CHECKS, requestBody: { ...check, status: 'done' } },
    reasons: ['request body/status: must be equal to one of the allowed values (["queued","in_progress","completed"])'],
  },
  {
    situation: 'a body field that is not described',
    exchange: { method: 'POST', path: CHECKS, requestBody: { ...check, colour: 'red' } },
    reasons: ['request body: must NOT have additional properties ("colour")'],
  },
  {
    situation: 'a nested body field that is not described',
    exchange: {
      method: 'POST',
      path: CHECKS,
      requestBody: { ...check, output: { title: 'a', summary: 'b', note: 'c' } },
    },
    reasons: ['request body/output: must NOT have additional properties ("note")'],
  },
  {
    situation: 'more annotations than one request may carry',
    exchange: {
      method: 'POST',
      path: CHECKS,
      requestBody: {
        ...check,
        output: {
          title: 'a',
          summary: 'b',
          annotations: Array.from({ length: 51 }, () => ({
            path: 'a',
            start_line: 1,
            end_line: 1,
            annotation_level: 'failure',
            message: 'm',
          })),
        },
      },
    },
    reasons: ['request body/output/annotations: must NOT have more than 50 items'],
  },
  {
    situation: 'a body that is missing',
    exchange: { method: 'POST', path: COMMENTS },
    reasons: ['request has no body'],
  },
  {
    situation: 'a body that is not asked for',
    exchange: { path: COMMENTS, requestBody: { body: 'x' } },
    reasons: ['request has a body, none is described'],
  },
  {
    situation: 'an unknown query parameter',
    exchange: { path: COMMENTS, query: new URLSearchParams('size=3') },
    reasons: ['unknown query parameter size'],
  },
  {
    situation: 'a query parameter of the wrong type',
    exchange: { path: COMMENTS, query: new URLSearchParams('per_page=many') },
    reasons: ['parameter per_page: "many" does not fit'],
  },
  {
    situation: 'a path parameter of the wrong type',
    exchange: { path: '/repos/octo/agent/issues/first/comments' },
    reasons: ['parameter issue_number: "first" does not fit'],
  },
  {
    situation: 'a path that is not described',
    exchange: { path: '/repos/octo/agent/minutes' },
    reasons: ['path is not in the description'],
  },
  {
    situation: 'a method that is not described for the path',
    exchange: { method: 'PUT', path: COMMENTS },
    reasons: ['path is not in the description'],
  },
  {
    situation: 'an answer without a required field',
    exchange: { path: COMMENTS, status: 200, responseBody: [{ ...comment, id: undefined }] },
    reasons: ["response 200/0: must have required property 'id'"],
  },
  {
    situation: 'an answer with null where it is not allowed',
    exchange: { path: COMMENTS, status: 200, responseBody: [{ ...comment, body: null }] },
    reasons: ['response 200/0/body: must be string'],
  },
  {
    situation: 'a status that is not declared',
    exchange: { method: 'POST', path: COMMENTS, requestBody: { body: 'x' }, status: 200, responseBody: comment },
    reasons: ['status 200 is not declared'],
  },
  {
    situation: 'an error whose body is no error',
    exchange: { path: COMMENTS, status: 500, responseBody: 'oops' },
    reasons: ['response 500: must be object'],
  },
]

test.each(rows)('$situation gives $reasons.length violations', ({ exchange, reasons }) => {
  const full: Exchange = { method: 'GET', path: '/', query: new URLSearchParams(), ...exchange }
  expect(validator.check(full)).toEqual(reasons.map((reason) => ({ method: full.method, path: full.path, reason })))
})

describe('the filler', () => {
  test('knows every operation of the description', () => {
    expect(loadDescription().operations).toHaveLength(48)
  })

  test.each([
    ['issue-comment'],
    ['check-run'],
    ['workflow-run'],
    ['artifact'],
    ['full-repository'],
    ['pull-request'],
    ['commit-comparison'],
  ])('fills every property that %s requires', (name) => {
    const schema = loadDescription().document['components'] as { schemas: Record<string, { required: string[] }> }
    expect(Object.keys(fill(name, {}))).toEqual(expect.arrayContaining(schema.schemas[name]?.required ?? []))
  })
})
