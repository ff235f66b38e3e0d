import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import { type Description, findOperation, loadDescription, type Operation, type Schema } from './description.ts'

/** One request with its answer, as seen on the wire. */
export interface Exchange {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  /** Parsed JSON; undefined when there was none. */
  readonly requestBody?: unknown
  /** Undefined when the connection was cut before an answer. */
  readonly status?: number
  readonly responseBody?: unknown
}

/** Where client or server left GitHub's description. */
export interface Violation {
  readonly method: string
  readonly path: string
  readonly reason: string
}

/** Judged as `basic-error` where an operation does not declare them: the whole API may answer so. */
const isCommonError = (status: number) => [401, 403, 404, 422, 429].includes(status) || status >= 500

const BASIC_ERROR = '#/components/schemas/basic-error'

export interface Validator {
  check(exchange: Exchange): Violation[]
}

export function createValidator(description: Description = loadDescription()): Validator {
  const compile = createCompiler(description)
  return {
    check(exchange) {
      const match = findOperation(description, exchange.method, exchange.path)
      const violation = (reason: string): Violation => ({ method: exchange.method, path: exchange.path, reason })
      if (!match) return [violation('path is not in the description')]
      return [
        ...checkParameters(match.operation, match.parameters, exchange.query, compile),
        ...checkRequestBody(match.operation, exchange.requestBody, compile),
        ...checkResponse(match.operation, exchange, compile),
      ].map(violation)
    },
  }
}

type Strictness = 'strict' | 'open'
type Compile = (schema: string | Schema, strictness: Strictness) => ValidateFunction

function createCompiler({ document }: Description): Compile {
  const ajv = new Ajv({ strict: false, allErrors: true, discriminator: false, logger: false })
  addFormats.default(ajv)
  for (const strictness of ['strict', 'open'] as const)
    ajv.addSchema(convert(document, strictness) as Schema, strictness)
  const compiled = new Map<string, ValidateFunction>()
  return (schema, strictness) => {
    const value = typeof schema === 'string' ? { $ref: `${strictness}${schema}` } : convert(schema, strictness)
    const key = JSON.stringify(value)
    const validate = compiled.get(key) ?? ajv.compile(value as Schema)
    compiled.set(key, validate)
    return validate
  }
}

/** OpenAPI 3.0 to JSON schema: `nullable`, references to the named document, and no further properties where strict. */
function convert(value: unknown, strictness: Strictness): unknown {
  if (Array.isArray(value)) return value.map((item) => convert(item, strictness))
  if (typeof value !== 'object' || value === null) return value
  const { nullable, ...rest } = value as Schema
  const converted = Object.fromEntries(
    Object.entries(rest).map(([key, item]) => [
      key,
      key === '$ref' && typeof item === 'string' && item.startsWith('#')
        ? `${strictness}${item}`
        : convert(item, strictness),
    ]),
  )
  const closes = strictness === 'strict' && typeof rest['properties'] === 'object' && rest['type'] === 'object'
  const closed = closes ? { additionalProperties: false, ...converted } : converted
  return nullable === true ? { anyOf: [{ type: 'null' }, closed] } : closed
}

function checkParameters(
  { parameters }: Operation,
  inPath: Readonly<Record<string, string>>,
  query: URLSearchParams,
  compile: Compile,
): string[] {
  const known = new Set(parameters.filter((parameter) => parameter.in === 'query').map((parameter) => parameter.name))
  const unknown = [...query.keys()].filter((name) => !known.has(name)).map((name) => `unknown query parameter ${name}`)
  const wrong = parameters.flatMap((parameter) => {
    const text = parameter.in === 'path' ? inPath[parameter.name] : query.get(parameter.name)
    if (text === null || text === undefined) return parameter.required ? [`parameter ${parameter.name} is missing`] : []
    const validate = compile(parameter.schema, 'open')
    // The same text may be meant as number, boolean or string.
    const fits = [text, Number(text), text === 'true' ? true : text === 'false' ? false : undefined].some((value) =>
      validate(value),
    )
    return fits ? [] : [`parameter ${parameter.name}: ${JSON.stringify(text)} does not fit`]
  })
  return [...unknown, ...wrong]
}

function checkRequestBody({ requestBody }: Operation, body: unknown, compile: Compile): string[] {
  if (requestBody === undefined) return body === undefined ? [] : ['request has a body, none is described']
  if (body === undefined) return ['request has no body']
  return errorsOf(compile(requestBody, 'strict'), body, 'request body')
}

function checkResponse(operation: Operation, { status, responseBody }: Exchange, compile: Compile): string[] {
  if (status === undefined) return []
  const declared = operation.responses.has(status)
  if (!declared && !isCommonError(status)) return [`status ${status} is not declared`]
  const pointer = declared ? operation.responses.get(status) : BASIC_ERROR
  if (pointer === undefined)
    return responseBody === undefined ? [] : [`response ${status} has a body, none is described`]
  return errorsOf(compile(pointer, 'open'), responseBody, `response ${status}`)
}

function errorsOf(validate: ValidateFunction, value: unknown, what: string): string[] {
  if (validate(value)) return []
  return (validate.errors ?? []).map((error) => `${what}${describe(error)}`)
}

function describe({ instancePath, message, params }: ErrorObject): string {
  const detail = ['additionalProperty', 'allowedValues'].find((name) => name in params)
  return `${instancePath}: ${message ?? 'does not fit'}${detail === undefined ? '' : ` (${JSON.stringify(params[detail])})`}`
}
